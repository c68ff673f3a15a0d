import { type Command, Option } from 'commander';
import { AuditDay, AuditZone, Who } from '../../../../lib/audit/routes.ts';
import { as } from '../../arguments.ts';

/** The part of the audit that a command asks for. */
export type Asked = { zone?: AuditZone; from?: string; to?: string; who?: string };

const day = as(AuditDay, 'a day such as 2026-05-01, in UTC');

/** `--from DAY --to DAY`. */
export const ofDays = (command: Command): Command =>
  command
    .addOption(new Option('--from <day>', 'only from this day on, in UTC').argParser(day))
    .addOption(new Option('--to <day>', 'only up to this day, in UTC').argParser(day));

/** `--zone NAME --who WHO`. */
export const ofWhom = (command: Command): Command =>
  command
    .addOption(
      new Option('--zone <name>', 'only entries of this zone; - for those of no zone').argParser(as(AuditZone, 'the name of a zone, or -')),
    )
    .addOption(
      new Option('--who <who>', 'only entries of this person or program: admin:…, key:…').argParser(as(Who, '1 to 300 characters')),
    );
