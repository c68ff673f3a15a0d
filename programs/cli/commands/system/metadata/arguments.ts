import { type Command, InvalidArgumentError } from 'commander';
import { contract } from '../../../../../lib/contract.ts';
import { type Fingerprint, MetadataKind } from '../../../../../lib/core/ids.ts';
import { checked } from '../../../../../lib/machine/command-line.ts';
import type { Cli } from '../../../cli.ts';
import { exitCodes, Failure } from '../../../exit-codes.ts';
import { fingerprint, fingerprintHelp, wholeFingerprints } from '../../../fingerprints.ts';
import { textOf } from '../../../reading.ts';

/** Adds the argument of verbs about the metadata of one client system: its fingerprint. */
export const ofSystem = (command: Command): Command =>
  command.argument('<fingerprint>', fingerprintHelp.replace('fingerprints', 'its fingerprint'), (text: string) => fingerprint(text));

/** Adds the arguments of verbs about one kind of its metadata. */
export const ofKind = (command: Command): Command =>
  ofSystem(command).argument('<kind>', 'the kind of metadata, such as channels, keys, groups, notes or actions', checked(MetadataKind));

/** The client system that an argument names. */
export async function systemOf(cli: Cli, given: readonly string[]): Promise<Fingerprint> {
  return (await wholeFingerprints(cli, given))[0] as Fingerprint;
}

/** A metadata revision on the command line. */
export function revision(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return Number(text);
}

/** The header that limits a change to this revision. */
export const ifAt = (at: number | undefined) => (at === undefined ? {} : { headers: { 'if-match': `"${at}"` } });

/** The JSON in a file, or on the standard input for `-`. Throws a {@link Failure} when there is none. */
export async function jsonIn(cli: Cli, file: string): Promise<unknown> {
  const text = await textOf(cli, file);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure(exitCodes.usage, `${file === '-' ? 'the standard input' : file} is not JSON: ${(error as Error).message}`);
  }
}

/** The document in a file, checked before it is sent. Throws a {@link Failure} for anything that is no document. */
export async function documentIn(cli: Cli, file: string) {
  const read = contract.putMetadata.body!.shape.document.safeParse(await jsonIn(cli, file));
  if (!read.success) throw new Failure(exitCodes.usage, 'the document is not a JSON object or list');
  return read.data;
}
