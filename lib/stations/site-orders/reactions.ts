import type { Decision, Follower } from '../../core/decision.ts';
import type { EpochMs } from '../../core/time.ts';
import { recoveryCoordinator } from '../../services/rows/own-work.ts';
import type { AskResult, Service } from '../../services/service.ts';
import { decide, type SiteOrdersInput } from './decide.ts';
import { type SiteOrders, siteOrdersRef } from './site-orders.ts';

const orderIn = /^site-order-(\d+)$/;
/**
 * The exit codes of a station's agent that did nothing because it was not allowed to, and of an agent that was killed
 * meanwhile. A command's own exit code is never one of these.
 */
const [notAllowed, interrupted] = [77, 75];

/**
 * The changes to the orders of a zone that follow from the answers of its coordinator's agent, in the commit that
 * stores the answers.
 */
export function siteOrderChanges(before: Service | undefined, decision: Decision<Service>, now: EpochMs): Follower[] {
  if (decision.does !== 'write' || before?.type !== recoveryCoordinator) return [];
  const known = before.results.map(({ ask }) => ask);
  const fresh = decision.next.results.filter(({ ask }) => ask !== undefined && orderIn.test(ask) && !known.includes(ask));
  // One report answers one question.
  return fresh.slice(0, 1).map((result) => ({
    ref: siteOrdersRef(before.zone),
    decide: (state) => decide(state as SiteOrders | undefined, answeredBy(before, result), now),
  }));
}

function answeredBy({ node, start: epoch }: Service, { ask, exit, says }: AskResult): SiteOrdersInput {
  const of = { type: 'answered' as const, n: Number(orderIn.exec(ask!)![1]), node, epoch };
  if (exit === notAllowed) return { ...of, outcome: 'refused', says };
  // A command that took too long was stopped: it is unknown what it had done by then.
  if (exit === undefined || exit === interrupted) return { ...of, outcome: 'unknown', says: says === '' ? 'it took too long' : says };
  return { ...of, outcome: 'done', exit, says };
}
