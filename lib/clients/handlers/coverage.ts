import { digestRef, digestShows, receivedAfter } from '../../nodes/digests/digest.ts';
import { apply } from '../../runtime/apply.ts';
import { readRow, readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { type LoadedZone, servesAt } from '../../zones/rows/loaded.ts';
import { type Assignment, type ClientIn, clientRef, seenEveryMs } from '../client.ts';
import { decide } from '../decide.ts';
import { entriesPerPage, pageFor, placeOnPage, systemsPageRef, systemsRef } from '../systems/rows/list.ts';

/**
 * Whether the node of a client has seen it since the assignment: the bit at its place in a list version that a newer
 * digest of the node refers to. Three reads.
 */
export async function nodeSees(shell: Shell, fp: string, told: Assignment): Promise<boolean> {
  const [digestRow, systemsRow] = await readRows(shell, [digestRef(told.node), systemsRef(told.node)]);
  const digest = digestRow && receivedAfter(digestRow.body, told.at);
  const systems = systemsRow?.body;
  if (!digest || !systems) return false;
  for (const version of [systems.newest, systems.before]) {
    if (!version || (digest.listVersion !== version.version && digest.before?.listVersion !== version.version)) continue;
    const page = pageFor(version.firsts, fp);
    if (page === undefined) continue;
    const row = await readRow(shell, systemsPageRef(told.node, version.version, page));
    const place = row && placeOnPage(row.body, fp);
    if (place !== undefined && digestShows(digest, version.version, page * entriesPerPage + place)) return true;
  }
  return false;
}

/** The client as its node's digest shows it, and whether it does. Writes nothing. */
export async function withCoverage(
  shell: Shell,
  client: ClientIn<'accepted'>,
  zone: LoadedZone,
): Promise<{ client: ClientIn<'accepted'>; covered: boolean }> {
  const { told } = client;
  if (!told || !servesAt(zone, told.index, told.generation)) return { client, covered: false };
  const covered = await nodeSees(shell, client.fp, told);
  return {
    client: covered && told.confirmedAt === undefined ? { ...client, told: { ...told, confirmedAt: shell.now() } } : client,
    covered,
  };
}

/**
 * The same, and writes a confirmation by digest: on the own call of the client, once per placement. A long silence is
 * recorded too.
 */
export async function confirmedByDigest(
  shell: Shell,
  before: ClientIn<'accepted'>,
  zone: LoadedZone,
): Promise<{ client: ClientIn<'accepted'>; covered: boolean }> {
  const { client, covered } = await withCoverage(shell, before, zone);
  const { told } = before;
  const confirms = covered && told && told.confirmedAt === undefined;
  if (!confirms && before.silentSince === undefined && shell.now() - before.seenAt < seenEveryMs) return { client, covered };
  const id = shell.newId();
  const command = confirms
    ? ({ type: 'confirm', id, index: told.index, generation: told.generation, by: 'digest' } as const)
    : ({ type: 'seen', id } as const);
  const { state } = await apply(shell, clientRef(before.fp), command, decide);
  return { client: state?.standing === 'accepted' ? state : client, covered };
}
