import { type Decision, nothing, write } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import type { NodeCommand } from './command.ts';
import type { Node } from './node.ts';
import { isMissed, missedEarlyAt, missesMax, missesNeeded, missesOf, missesPerNetwork, networksNeeded, toldMisses } from './rows/miss.ts';

type Said = Omit<Extract<NodeCommand, { type: 'miss' }>, 'type' | 'id'>;

/** Of a fingerprint, so much tells the clients of one node apart. */
const head = (system: string): string => system.slice(0, 12);

/**
 * Guard-rail 4: one of its clients does not reach a node. What follows from that is for time to say, and for the zone's
 * brakes.
 */
export function onMiss(node: Node, said: Said, _now: EpochMs): Decision<Node> {
  const worthless = whyWorthless(node, said);
  if (worthless !== undefined || !('leaseUntil' in node)) return nothing(worthless ?? `it is ${node.status}`);
  const missed = [...missesOf(node), { by: head(said.system), from: said.network, at: said.at }].slice(-missesMax);
  const next = { ...node, missed };
  const early = missedEarlyAt(next);
  if (early !== undefined) return write<Node, never>(next, toldMisses(missed), { wakeAt: early });
  return write<Node, never>(next, `${toldMisses(missed)}; ${missesNeeded} from ${networksNeeded} are believed (rule 4)`);
}

/**
 * Who is quarantined beats less often than its lease says, and who is held is away on purpose: their clients are not
 * asked.
 */
const isWatched = (node: Node): boolean =>
  node.status === 'up' || node.status === 'joining' || (node.status === 'leaving' && node.leaving.mode === 'drain');

/** Whether no vote about a node would change anything for now. */
export const asksNoMore = (node: Node): boolean => !isWatched(node) || isMissed(missesOf(node));

/**
 * Why a vote changes nothing; undefined for one that does. A door asks this of a row that it has read, so that
 * thousands of votes cost no write.
 */
export function whyWorthless(node: Node, { system, network, generation, at }: Said): string | undefined {
  if (!isWatched(node)) return `what its client systems say is not asked while it is ${node.status}`;
  if (node.generation !== generation) return 'a vote about a membership that is over';
  if (at <= (node.heardAt ?? node.joinedAt)) return 'it was heard since';
  if (asksNoMore(node)) return 'enough client systems have said so';
  const misses = missesOf(node);
  if (misses.some(({ by }) => by === head(system))) return 'this client system has said so';
  if (misses.filter(({ from }) => from === network).length >= missesPerNetwork) return `enough of network ${network} have said so`;
  return undefined;
}
