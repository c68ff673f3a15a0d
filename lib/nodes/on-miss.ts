import { type Decision, nothing, write } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import type { NodeCommand } from './command.ts';
import type { Node } from './node.ts';
import { isMissed, missedEarlyAt, missesMax, missesNeeded, missesOf, missesPerNetwork, missesText, networksNeeded } from './rows/miss.ts';

type Vote = Omit<Extract<NodeCommand, { type: 'miss' }>, 'type' | 'id'>;

/** The part of a fingerprint that tells the clients of one node apart. */
const head = (system: string): string => system.slice(0, 12);

/** Guard-rail 4: one of its clients cannot reach a node. Time and the zone's guard-rails decide the consequence. */
export function onMiss(node: Node, vote: Vote, _now: EpochMs): Decision<Node> {
  const worthless = whyWorthless(node, vote);
  if (worthless !== undefined || !('leaseUntil' in node)) return nothing(worthless ?? `it is ${node.status}`);
  const missed = [...missesOf(node), { by: head(vote.system), from: vote.network, at: vote.at }].slice(-missesMax);
  const next = { ...node, missed };
  const early = missedEarlyAt(next);
  if (early !== undefined) return write<Node, never>(next, missesText(missed), { wakeAt: early });
  return write<Node, never>(next, `${missesText(missed)}; ${missesNeeded} from ${networksNeeded} networks are needed (rule 4)`);
}

/**
 * A quarantined node sends heartbeats less often than its lease implies, and a held node is away on purpose: votes of
 * their clients do not count.
 */
const isWatched = (node: Node): boolean =>
  node.status === 'up' || node.status === 'joining' || (node.status === 'leaving' && node.leaving.mode === 'drain');

/** Whether further votes about a node change nothing for now. */
export const isVotingOver = (node: Node): boolean => !isWatched(node) || isMissed(missesOf(node));

/**
 * Why a vote changes nothing; undefined for a vote that does. The endpoint checks this against a row that it has read,
 * so that thousands of votes cost no write.
 */
export function whyWorthless(node: Node, { system, network, generation, at }: Vote): string | undefined {
  if (!isWatched(node)) return `reports of its client systems do not count while it is ${node.status}`;
  if (node.generation !== generation) return 'the vote is about a membership that has ended';
  if (at <= (node.heardAt ?? node.joinedAt)) return 'it was heard after the vote';
  if (isVotingOver(node)) return 'enough client systems have reported this';
  const misses = missesOf(node);
  if (misses.some(({ by }) => by === head(system))) return 'this client system has already reported this';
  if (misses.filter(({ from }) => from === network).length >= missesPerNetwork)
    return `enough client systems of network ${network} have reported this`;
  return undefined;
}
