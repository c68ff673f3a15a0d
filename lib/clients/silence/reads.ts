import type { EpochMs } from '../../core/time.ts';
import { silenceIn, silenceList } from '../../ports/table/keys.ts';
import { read } from '../../runtime/read.ts';
import { cached, type Shell } from '../../runtime/shell.ts';
import { wholeList } from '../../runtime/whole-list.ts';
import { entryDigits, type SilenceRow, silenceRef, silentIn } from './silence.ts';

/** What the digests of a node have shown of its client systems; undefined for a node without digests. */
export const silenceOf = (shell: Shell, node: string): Promise<SilenceRow | undefined> => read(shell, silenceRef(node));

/**
 * About how many client systems each node of a zone no longer sees, by the ids of the nodes, from the list index alone:
 * some of them may have called since.
 */
export async function silentByNode(shell: Pick<Shell, 'table'>, zone: string): Promise<ReadonlyMap<string, number>> {
  const listed = (await wholeList(shell, silenceList(zone))).map(({ sk }) => silenceIn(sk));
  return new Map(listed.map(({ node, silent }) => [node, silent]));
}

/** The silent client systems of a node, by the beginnings of their fingerprints, and when they were read. */
type Known = { readonly entries: ReadonlySet<string>; readonly readAt: EpochMs };
const knownOn = (shell: Shell): Map<string, Known> => cached(shell, 'silent client systems', () => new Map<string, Known>());

/**
 * How many times older than a zone's map the silent client systems of a node may be: 2 minutes on AWS. A client system
 * that is on its node calls every six hours, so that few call within minutes after they are found silent.
 */
const olderThanZones = 24;

/**
 * Whether a client system may be silent, from the memory of this environment; undefined when that is too old to tell.
 * `fp`: its fingerprint, or the beginning of it.
 */
export function mayBeSilent(shell: Shell, node: string, fp: string): boolean | undefined {
  const known = knownOn(shell).get(node);
  if (!known || shell.now() - known.readAt > shell.settings.zoneMaxAgeMs * olderThanZones) return undefined;
  return known.entries.size > 0 && known.entries.has(fp.slice(0, entryDigits));
}

/** The same, from the row of its node's silence when the memory is too old. */
export async function isMarkedSilent(shell: Shell, node: string, fp: string): Promise<boolean> {
  const known = mayBeSilent(shell, node, fp);
  if (known !== undefined) return known;
  const readAt = shell.now();
  const row = await silenceOf(shell, node);
  const entries = new Set(row ? silentIn(row).map(({ entry }) => entry) : []);
  const all = knownOn(shell);
  if (all.size >= nodesMax) all.clear();
  all.set(node, { entries, readAt });
  return entries.has(fp.slice(0, entryDigits));
}

/** The most nodes that are remembered: more than any zone has. */
const nodesMax = 2_000;
