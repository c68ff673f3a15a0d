import type { EpochMs } from '../../core/time.ts';
import { type RateBeside, rateView } from '../../nodes/bearing/view.ts';
import { seconds } from '../../nodes/bearing/words.ts';
import type { Node } from '../../nodes/node.ts';
import { flapMax, flapScore } from '../../nodes/rows/flap.ts';
import { isMissed, missesNeeded, missesOf, missesText, networksNeeded } from '../../nodes/rows/miss.ts';
import { dropText, waitText } from '../../nodes/waits.ts';
import type { Explanation } from './routes.ts';

/** The guard-rails that bear on one node, beside its last decision. */
export const rulesOf = (node: Node, now: EpochMs): Explanation['also'] => [...voiceOf(node), ...missesOn(node), ...flapsOf(node, now)];

/**
 * Whether another system vouches for its life instead of its agent, since when, and which of its node-ups was the last.
 */
function voiceOf({ vouched, voice, boot, fqdn }: Node): Explanation['also'] {
  if (!vouched) return [];
  const last = voice?.ups[0];
  const lastUpText = last
    ? `node-up ${last.seq} was the last of the system that vouched last: one without a higher number does nothing`
    : 'no node-up has come yet';
  const awaits = last && !boot ? '; a node-up is awaited' : '';
  const because = `another system vouches for its life, not its agent (muster node set ${fqdn} --vouched off); ${lastUpText}${awaits}`;
  const at = voice?.since === undefined ? {} : { at: new Date(voice.since).toISOString() };
  return [{ subject: 'it is vouched for', because, ...at }];
}

/** How fast a node admits client systems, and why. */
export function explainRate(node: Node, beside: RateBeside): Explanation['also'][number] {
  const { everyMs, because } = rateView(node, beside);
  const subject = everyMs === 0 ? 'it admits any number at once' : `it admits one per ${seconds(everyMs)}`;
  return { subject, because, ...(beside.bearing && { at: new Date(beside.bearing.row.at).toISOString() }) };
}

/** The reason why a drain waits while the node owns so many slots, or how the node was given up. */
export const goingOf = (node: Node, slots: number): Explanation['also'] => {
  const [wait, drop] = [waitText(node, slots), dropText(node)];
  return [
    ...(wait === undefined ? [] : [{ subject: 'it waits', because: wait }]),
    ...(drop === undefined ? [] : [{ subject: 'it is dropped', because: drop }]),
  ];
};

/** Its client systems that have not reached it since it was last heard (guard-rail 4). */
function missesOn(node: Node): Explanation['also'] {
  const misses = 'missed' in node ? missesOf(node) : [];
  if (misses.length === 0) return [];
  const needed = isMissed(misses) ? '' : `; ${missesNeeded} from ${networksNeeded} networks are needed`;
  return [{ subject: 'rule 4', because: `${missesText(misses)}${needed}`, at: new Date(misses.at(-1)!.at).toISOString() }];
}

/** How often it was lost lately, and how long it may be silent because of that (guard-rail 11). */
function flapsOf({ flap }: Node, now: EpochMs): Explanation['also'] {
  const score = flapScore(flap, now);
  if (!flap || score < 0.1) return [];
  const scoreText = `flap score ${score.toFixed(1)}: it was lost and came back lately, and may be silent for ${(1 + score).toFixed(1)} times its lease`;
  return [{ subject: 'rule 11', because: `${scoreText}; above ${flapMax} it is quarantined`, at: new Date(flap.at).toISOString() }];
}
