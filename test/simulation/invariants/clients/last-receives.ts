import { wiring } from '../../../../infra/wiring.ts';
import type { QueueName } from '../../../../lib/ports/queue/queue.ts';
import type { Invariant } from '../invariant.ts';

/** A queue's own dead letters say nothing of why: only an operator at the console of AWS finds them. */
export const lastReceives: Invariant = {
  name: 'a-last-failure-is-put-aside',
  says: "a report that fails on its last receive becomes a dead letter with its reason; it goes to the queue's own dead letters only where that row could not be written, or a function died or ran out of time with it",
  begin: ({ violated }) => {
    /** Each message's queue: who logs does not say it, an embedded host consumes all of them. */
    const queues = new Map<string, QueueName>();
    const receivesMaxOf = (id: string): number => wiring.queues[queues.get(id) as keyof typeof wiring.queues]?.receivesMax ?? Number.NaN;
    return {
      sent: ({ id, letter, queue }) => void queues.set(letter?.id ?? id, queue),
      logged: (by, code, fields) => {
        // A door that decides at once has received nothing from a queue.
        const { id, receives = 0, detail } = fields as { readonly id: string; readonly receives?: number; readonly detail?: unknown };
        if (code !== 'report.later' || receives === 0 || receives < receivesMaxOf(id)) return;
        if (!/\bdead\b/.test(String(detail))) violated(`${by} handed ${id} back on receive ${receives}: ${String(detail)}`);
      },
    };
  },
};
