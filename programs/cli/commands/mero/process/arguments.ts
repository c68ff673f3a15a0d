import { type Command, InvalidArgumentError, Option } from 'commander';
import { contract } from '../../../../../lib/contract.ts';
import { readOverride } from '../../../../../lib/mero/facts/roles/mero-role.ts';
import type { MeroProcessView } from '../../../../../lib/mero/processes/routes.ts';
import { as } from '../../../arguments.ts';
import { exitCodes, Failure } from '../../../exit-codes.ts';
import { waitMs } from '../../../former-options.ts';

/** A fid as the API takes it. */
export type Fid = MeroProcessView['fid'];

const fid = as(contract.getMeroProcess.params!.shape.fid, 'a fid, such as 0x7200000000000001:0x2d');

/** Adds the process that a verb is about: an argument, or --fid as the original had it. */
export const onProcess = (command: Command): Command =>
  command.argument('[fid]', 'the fid of the process', fid).addOption(new Option('--fid <fid>', 'the same as the argument').argParser(fid));

/** The fid that was given in either way. Throws a {@link Failure} when none or two were. */
export function fidGiven(argument: Fid | undefined, { fid: option }: { readonly fid?: Fid }): Fid {
  const given = argument ?? option;
  if (given === undefined) throw new Failure(exitCodes.usage, 'no process is given', 'Give its fid, as mero status shows it');
  if (option !== undefined && option !== given) throw new Failure(exitCodes.usage, 'two different fids are given');
  return given;
}

/** Values for the variables of roles, by `--set NAME=VALUE`, given several times. */
export const setOption = (): Option =>
  new Option('--set <name=value>', 'a variable of the roles, such as multiplicity=16; may be given several times').argParser(
    (text: string, before: Readonly<Record<string, string | number>> = {}) => {
      const read = readOverride(text);
      if (!read) throw new InvalidArgumentError('It must be a name and a value, such as multiplicity=16.');
      return { ...before, [read[0]]: read[1] };
    },
  );

/** How long a verb waits, by default as long as a process may take to stop. */
export const waitOption = (): Option =>
  new Option('--timeout <span>', 'how long to wait; the order continues afterwards').argParser(waitMs).default(600_000, '10m');
