import { type Command, Option } from 'commander';
import { AuditDay, AuditZone, Who } from '../../../../lib/audit/routes.ts';
import { as } from '../../arguments.ts';

/** Of which part of the audit somebody wants to know. */
export type Asked = { zone?: AuditZone; from?: string; to?: string; who?: string };

const day = as(AuditDay, 'a day such as 2026-05-01, in UTC');

/** `--from DAY --to DAY`. */
export const ofDays = (command: Command): Command =>
  command
    .addOption(new Option('--from <day>', 'not before this day, in UTC').argParser(day))
    .addOption(new Option('--to <day>', 'not after this day').argParser(day));

/** `--zone NAME --who WHO`. */
export const ofWhom = (command: Command): Command =>
  command
    .addOption(
      new Option('--zone <name>', 'only what is of this zone; - is what is of none').argParser(as(AuditZone, 'the name of a zone, or -')),
    )
    .addOption(new Option('--who <who>', 'only what is put down to them: admin:…, key:…').argParser(as(Who, '1 to 300 characters')));
