import { Argument, type Command } from 'commander';
import { subjects } from '../../../lib/assembly/explain/routes.ts';
import type { ZoneView } from '../../../lib/zones/routes.ts';
import { zoneOption } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { exitCodes, Failure } from '../exit-codes.ts';
import { fingerprint, wholeFingerprints } from '../fingerprints.ts';
import { storageZone } from './mero/zone.ts';

/** The subject of `explain` and `history`. */
export type Subject = { readonly kind: (typeof subjects.options)[number]; readonly id: string };
/** The zone that goes with a process. */
export type OfZone = { readonly zone?: ZoneView['name'] };

/** Adds the two arguments that name a subject. */
export const onSubject = (command: Command): Command =>
  command
    .addArgument(new Argument('<kind>', 'the kind of thing').choices(subjects.options))
    .argument(
      '<id>',
      "a node's id or name, a client system's fingerprint or its beginning, a process's fid, a service's type, or the name of a zone, also for its cluster, its stations and the orders on its site",
    )
    .argument('[node]', 'the node of a service')
    .addOption(zoneOption('the storage zone of a process; if not given, the only one there is'));

/**
 * The subject as the API knows it: the beginning of a fingerprint is completed. Throws a {@link Failure} for a service
 * without its node.
 */
export async function subjectOf(cli: Cli, kind: Subject['kind'], id: string, node?: string): Promise<Subject> {
  if ((kind === 'service') !== (node !== undefined))
    throw new Failure(
      exitCodes.usage,
      node === undefined ? 'a service needs its node: give it after the type' : 'only a service takes a node',
    );
  if (node !== undefined) return { kind, id: `${id}@${node}` };
  if (kind !== 'system' && kind !== 'client') return { kind, id };
  const [fp] = await wholeFingerprints(cli, fingerprint(id));
  return { kind, id: fp! };
}

/** The zone to ask with, which only a process needs. */
export const zoneAsked = async (cli: Cli, kind: Subject['kind'], choice: OfZone): Promise<OfZone> =>
  kind === 'process' ? { zone: await storageZone(cli, choice) } : {};
