import { Later } from '../../../lib/core/errors.ts';
import type { Bus, Envelope } from '../../../lib/ports/bus/bus.ts';
import { admitEvents } from '../../../lib/ports/bus/limits.ts';
import type { Environment } from '../environment.ts';
import type { Faults } from '../faults.ts';
import type { Kernel } from '../kernel.ts';
import type { Watcher } from '../watching.ts';

/** How late an event may reach a subscriber, in ms. */
const delayMaxMs = 5 * 60_000;

/**
 * The bus as one environment reaches it: events go to the subscriber in any order, some more than once, some late; some
 * calls are taken in part. `hands` is the rule that hands each to a queue, where there is one.
 */
export const busPort = (
  environment: Environment,
  { kernel, faults, watch }: { readonly kernel: Kernel; readonly faults: Faults; readonly watch: Required<Watcher> },
  hands: (event: string) => void = () => undefined,
): Bus => {
  const deliver = (event: Envelope): void => {
    const copies = faults.hits('duplicate', 0.5) ? 2 : 1;
    const told = JSON.stringify(event);
    for (let n = 0; n < copies; n++) {
      const lateMs = faults.hits('delay', 0.5)
        ? faults.span('delay', delayMaxMs)
        : faults.hits('reorder')
          ? faults.span('reorder', 5_000)
          : 0;
      kernel.after(1 + lateMs, `${event.id} ${event.type}`, () => {
        watch.heard(JSON.parse(told) as Envelope);
        hands(told);
      });
    }
  };
  return {
    publish: (events) =>
      environment.ask(`publishes ${events.length} events`, async () => {
        if (environment.cursed || faults.hits('throttle', 0.3)) throw new Later('service.busy', 'publish: throttled');
        const refused = admitEvents(events).filter(({ event }) => {
          if (faults.hits('partial-batch', 0.3)) return true;
          deliver(event);
          return false;
        });
        if (refused.length > 0) throw new Later('bus.refused', `${refused.length} of ${events.length} events were not taken`);
        if (faults.hits('lost-answer', 0.3)) throw new Later('service.busy', 'publish: no answer');
      }),
  };
};
