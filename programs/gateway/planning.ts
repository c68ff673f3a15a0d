import type { ActionPart, KnownActions } from '../../lib/uyuni/gateway/actions.ts';
import type { Directory } from '../../lib/uyuni/gateway/directory.ts';
import { faults } from '../../lib/uyuni/gateway/faults.ts';
import { actionsIn, type FormCall, type Plan, planOf } from '../../lib/uyuni/gateway/plan.ts';
import type { Route } from '../../lib/uyuni/gateway/route.ts';
import { NoNumber } from './action-numbers.ts';
import type { GatewayParts } from './gateway.ts';
import { someAtOnce } from './some-at-once.ts';

/** Numbers of actions that are looked up at once for one call. */
const atOnce = 16;

/** Which nodes are asked, with the numbers of actions in the call looked up before. */
export async function plannedOf(
  { actions, seat }: GatewayParts,
  route: Exclude<Route, { to: 'gateway' }>,
  call: FormCall,
  directory: Directory,
): Promise<Plan> {
  const numbers = route.to === 'refused' ? [] : [...new Set(actionsIn(call))];
  const known = new Map<number, readonly ActionPart[]>();
  try {
    await someAtOnce(numbers, atOnce, async (number) => {
      const found = await actions.partsOf(number);
      if (found) known.set(number, found);
    });
  } catch (error) {
    if (!(error instanceof NoNumber)) throw error;
    return { to: 'nobody', fault: faults.noNumber(`Muster does not say what the number of an action stands for: ${error.message}`) };
  }
  return planOf(route, call, directory, seat, known satisfies KnownActions);
}
