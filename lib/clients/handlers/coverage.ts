import { apply } from '../../runtime/apply.ts';
import type { Shell } from '../../runtime/shell.ts';
import { type LoadedZone, servesAt } from '../../zones/rows/loaded.ts';
import { type ClientIn, clientRef, seenEveryMs } from '../client.ts';
import { decide } from '../decide.ts';
import { nodeSees } from '../reads/coverage.ts';

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
