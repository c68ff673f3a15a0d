import type { ActionPart, KnownActions } from '../../lib/uyuni/gateway/actions.ts';
import type { Directory } from '../../lib/uyuni/gateway/directory.ts';
import { faults } from '../../lib/uyuni/gateway/faults.ts';
import { actionsIn, type FormCall, type Plan, planOf, type SeatFound } from '../../lib/uyuni/gateway/plan.ts';
import type { Route } from '../../lib/uyuni/gateway/route.ts';
import { NoNumber } from './action-numbers.ts';
import type { GatewayParts } from './gateway.ts';
import { someAtOnce } from './some-at-once.ts';

/** Numbers of actions that are looked up at once for one call. */
const atOnce = 16;
/** As many actions as a call may name: each is a call of Muster. People cancel by pages, scripts by some hundreds. */
const actionsMax = 1_000;

/** What stands for the seat of a call that goes elsewhere. */
const notAsked: SeatFound = { why: 'the call does not go to the seat' };

/**
 * Which nodes are asked, with the numbers of actions in the call looked up before. Throws the reason of `signal`, by
 * which lookups end when the caller has gone: nothing was asked of nodes until then.
 */
export async function plannedOf(
  { actions, seats }: GatewayParts,
  route: Exclude<Route, { to: 'gateway' }>,
  call: FormCall,
  { directory, login, signal }: { readonly directory: Directory; readonly login: string; readonly signal: AbortSignal },
): Promise<Plan> {
  const numbers = route.to === 'refused' ? [] : [...new Set(actionsIn(call))];
  if (numbers.length > actionsMax)
    return { to: 'nobody', fault: faults.invalid(`the call names ${numbers.length} actions: name at most ${actionsMax} in one call`) };
  const known = new Map<number, readonly ActionPart[]>();
  try {
    await someAtOnce(numbers, atOnce, async (number) => {
      signal.throwIfAborted();
      const found = await actions.partsOf(number, signal);
      if (found) known.set(number, found);
    });
  } catch (error) {
    if (!(error instanceof NoNumber)) throw error;
    return { to: 'nobody', fault: faults.noNumber(`Muster does not say what the number of an action stands for: ${error.message}`) };
  }
  const seat = route.to === 'seat' ? await seats.seatFor({ login }) : notAsked;
  return planOf(route, call, directory, seat, known satisfies KnownActions);
}
