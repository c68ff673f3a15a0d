import type { ClientIn } from '../../clients/client.ts';
import { networkOf } from '../../core/address.ts';
import { type EpochMs, plusMs, secondMs } from '../../core/time.ts';
import { apply } from '../../runtime/apply.ts';
import { stateOf } from '../../runtime/content.ts';
import { readRow } from '../../runtime/read.ts';
import { cached, type Shell } from '../../runtime/shell.ts';
import { type LoadedZone, servesAt } from '../../zones/rows/loaded.ts';
import { decide } from '../decide.ts';
import { nodeRef } from '../node.ts';
import { isVotingOver, whyWorthless } from '../on-miss.ts';

/**
 * How long an execution environment ignores votes about a node once it has enough: thousands of clients lose a node in
 * one moment.
 */
const restMs = 2 * secondMs;

/**
 * Takes the vote of a client system that has lost its node: one that was accepted, has signed, and is confirmed on that
 * node. The vote counts while the node is silent itself (guard-rail 4). It costs one read, mostly; a write for the few
 * votes that matter. `source`: the address that the client system knocks from.
 */
export async function bearWitness(
  shell: Shell,
  { fp, told }: ClientIn<'accepted'>,
  zone: LoadedZone,
  { source, at }: { readonly source: string; readonly at: EpochMs },
): Promise<void> {
  if (told?.confirmedAt === undefined || !servesAt(zone, told.index, told.generation)) return;
  const rests = cached(shell, 'nodes that are missed', () => new Map<string, EpochMs>());
  if ((rests.get(told.node) ?? 0) > at) return;
  const vote = { system: fp, network: networkOf(source), generation: told.generation, at };
  const ref = nodeRef(told.node as string);
  let node = stateOf(await readRow(shell, ref), at);
  if (node && whyWorthless(node, vote) === undefined) {
    const command = { type: 'miss', id: shell.newId(), ...vote } as const;
    node = (await apply(shell, ref, command, decide)).state;
  }
  if (!node || isVotingOver(node)) rest(rests, told.node, at);
}

/** The most nodes that are remembered: more than any zone loses at once. */
const restsMax = 1_000;

function rest(rests: Map<string, EpochMs>, node: string, at: EpochMs): void {
  if (rests.size >= restsMax) rests.clear();
  rests.set(node, plusMs(at, restMs));
}
