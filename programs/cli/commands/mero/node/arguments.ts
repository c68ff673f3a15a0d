import { type Command, Option } from 'commander';
import { exitCodes, Failure } from '../../../exit-codes.ts';

/** Adds the host that a verb is about: an argument, or --node as the original had it. */
export const onNode = (command: Command): Command =>
  command
    .argument('[node]', 'the host: its name, the fid of its Mero node or the id of its node')
    .addOption(new Option('--node <node>', 'the same as the argument'));

/** The host that was given in either way. Throws a {@link Failure} when none or two were. */
export function nodeGiven(argument: string | undefined, { node: option }: { readonly node?: string }): string {
  const given = argument ?? option;
  if (given === undefined) throw new Failure(exitCodes.usage, 'no node is given', 'Give its name or fid, as mero status shows them');
  if (option !== undefined && option !== given) throw new Failure(exitCodes.usage, 'two different nodes are given');
  return given;
}
