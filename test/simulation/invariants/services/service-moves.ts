import { recoveryCoordinator } from '../../../../lib/services/rows/own-work.ts';
import { type Service, type ServiceMove, type ServiceStateName, serviceMoves } from '../../../../lib/services/service.ts';
import type { Invariant } from '../invariant.ts';
import { type ServiceStep, serviceSteps, toldService } from '../service-rows.ts';

/** Which states follow on which by one move. One that is offline is registered no more. */
const next = new Map<ServiceStateName, Set<ServiceStateName>>();
for (const move of Object.keys(serviceMoves) as ServiceMove[])
  for (const from of serviceMoves[move].from) next.set(from, (next.get(from) ?? new Set()).add(serviceMoves[move].to));

/** A service's state moves as the design's table has it, and each start is another instance. */
export const servicesMove: Invariant = {
  name: 'services-move-along-their-moves',
  says: "a service's state moves as the table of moves allows; each start is another instance, unless its agent has made an attempt of the rule by itself, with the next number (of what coordinates on site: a higher one, its epoch), of a service that was registered later than whatever had its place before",
  begin: ({ violated }) => {
    const registered = new Map<string, number>();
    return {
      committed: (changes) => {
        for (const step of serviceSteps(changes)) {
          const fault = faultOf(step, registered.get(step.id));
          if (fault !== undefined) violated(`${toldService(step)}${fault}`);
          if (step.after) registered.set(step.id, step.after.registered);
        }
      },
    };
  },
};

function faultOf({ before, after }: ServiceStep, formerly: number | undefined): string | undefined {
  if (!after) return undefined;
  if (!before) {
    if ((after.start !== 1 && after.type !== recoveryCoordinator) || after.state.is !== 'starting') return ', and was never started';
    return formerly !== undefined && after.registered <= formerly ? ', under a name that another had before' : undefined;
  }
  if (after.registered !== before.registered) return ', and is another without having ended';
  if (after.start === before.start) return faultOfMove(before, after);
  const isNext = after.type === recoveryCoordinator ? after.start > before.start : after.start === before.start + 1;
  return isNext && after.state.is === 'starting' ? undefined : ', which is no start';
}

/**
 * An instance goes on; or its agent has tried again what the rule was to, and perhaps said already that it is ready.
 */
function faultOfMove(before: Service, { state: { is } }: Service): string | undefined {
  const from = before.state.is;
  if (from === is) return undefined;
  const mayBeTried = from === 'failed' && before.retryAt !== undefined && !before.stopping;
  if (is === 'starting' || (from === 'failed' && is === 'online')) return mayBeTried ? undefined : ', which nobody was to try';
  return next.get(from)?.has(is) ? undefined : ', which is no move';
}
