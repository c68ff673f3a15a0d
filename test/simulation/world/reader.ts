import { contract } from '../../../lib/contract.ts';
import { hourMs } from '../../../lib/core/time.ts';
import type { Around, Cluster } from '../cluster.ts';
import { between } from '../random.ts';
import { Person } from './people.ts';

/** Whoever reads changes goes on with its cursor for as long as it is good. */
export const readerName = 'reader';
/** How often it asks, in ms: a page asks every 3 s, and what it would see in between comes together here. */
const everyMs = 20_000;
/** A cursor of before this was given up: everything was off for days. */
const givenUpAfterMs = 12 * hourMs;

/** So often in a row nothing but its cursor is refused: the key that signed that was replaced by force. */
const refusedMax = 5;

/** Somebody whose page shows what happens, in pages of any length, until nobody is to do anything any more. */
export function readChanges(around: Around, cluster: Cluster, isOver: () => boolean): void {
  const { kernel } = around;
  const reader = new Person(readerName, around, cluster, isOver);
  let after: string | undefined;
  let answeredAt: number = kernel.now;
  let refused = 0;
  const read = async (): Promise<void> => {
    for (let more = true; more && !isOver(); ) {
      if (kernel.now - answeredAt > givenUpAfterMs || refused >= refusedMax) after = undefined;
      const page = await reader.ask(contract.listChanges, {
        query: { ...(after !== undefined && { after }), limit: between(reader.random, 1, 6) },
      });
      if (!page) {
        refused += 1;
        return;
      }
      refused = 0;
      answeredAt = kernel.now;
      after = page.next;
      more = page.more;
    }
  };
  const next = (): void => {
    const awayMs = cluster.isAway ? cluster.asleepUntil - kernel.now : 0;
    kernel.after(awayMs + reader.random() * 2 * everyMs, `${readerName} asks what is new`, () => {
      if (!isOver()) void read().finally(next);
    });
  };
  next();
}
