import * as z from 'zod';
import { ActionNumber } from '../../../../lib/core/ids.ts';
import { jsonIn } from '../../../../lib/core/json.ts';
import { EpochMs, secondMs } from '../../../../lib/core/time.ts';
import type { Folder } from '../../../../lib/machine/folder.ts';
import { Order } from './order.ts';

const file = 'uyuni-actions.json';
const orderFile = (number: ActionNumber): string => `uyuni-action-${number}.json`;

const Index = z.strictObject({
  version: z.literal(1),
  /** What Muster wants to be taken here, as its desired state has it. */
  wanted: z.array(ActionNumber),
  /** What this agent has asked for: Muster may have given it, and does not name it again. */
  taking: z.array(ActionNumber),
  /** What it works on, each in a file of its own. */
  taken: z.array(ActionNumber),
  /** The latest moment that an order has as its earliest. */
  earliest: EpochMs,
});
type Index = z.infer<typeof Index>;

/**
 * The actions on client systems that this agent is to take, and those that it has. All is on disk before it is acted
 * on: what the server was asked once is never asked twice.
 */
export class Orders {
  readonly #folder: Folder;
  readonly #taken = new Map<ActionNumber, Order>();
  #index: Index;

  /** Those that the folder has. */
  constructor(folder: Folder) {
    const read = Index.safeParse(jsonIn(folder.read(file)));
    this.#folder = folder;
    this.#index = read.success ? read.data : { version: 1, wanted: [], taking: [], taken: [], earliest: EpochMs.parse(0) };
    for (const number of this.#index.taken) {
      const order = this.#read(number);
      if (order) this.#taken.set(number, order);
    }
  }

  /** Takes what Muster's desired state has. */
  desired(wanted: readonly { readonly number: ActionNumber }[] | undefined): void {
    const numbers = (wanted ?? []).map(({ number }) => number);
    if (numbers.join() !== this.#index.wanted.join()) this.#write({ wanted: numbers });
  }

  /** What is to be taken. */
  toTake(): readonly ActionNumber[] {
    const { wanted, taking, taken } = this.#index;
    return [...new Set([...taking, ...wanted])].filter((number) => !taken.includes(number));
  }

  /** This agent asks for one from now on: it is remembered even if Muster does not name it any more. */
  asksFor(number: ActionNumber): void {
    if (!this.#index.taking.includes(number)) this.#write({ taking: [...this.#index.taking, number] });
  }

  /** Muster has nothing to do under a number. */
  gone(number: ActionNumber): void {
    const without = (all: readonly ActionNumber[]): ActionNumber[] => all.filter((one) => one !== number);
    this.#write({ wanted: without(this.#index.wanted), taking: without(this.#index.taking) });
  }

  /** A moment in whole seconds, not before `now`, that no order has. */
  nextEarliest(now: EpochMs): EpochMs {
    const second = Math.ceil(now / secondMs) * secondMs;
    return EpochMs.parse(Math.max(second, this.#index.earliest + secondMs));
  }

  /** Takes an order, unless it is here already: one that was written before a crash is the one that counts. */
  take(given: Order): void {
    const order = this.#read(given.number) ?? given;
    this.keep(order);
    const taken = [...new Set([...this.#index.taken, order.number])];
    this.#write({ taken, earliest: EpochMs.parse(Math.max(this.#index.earliest, order.earliest)) });
    this.gone(order.number);
  }

  /** Those that it works on, as they are now. */
  taken(): readonly Order[] {
    return [...this.#taken.values()];
  }

  /** Writes an order down. */
  keep(order: Order): void {
    this.#folder.write(orderFile(order.number), `${JSON.stringify(order)}\n`);
    this.#taken.set(order.number, order);
  }

  /** An order has ended, and Muster knows. */
  ended(number: ActionNumber): void {
    this.#taken.delete(number);
    this.#write({ taken: this.#index.taken.filter((one) => one !== number) });
    this.#folder.remove(orderFile(number));
  }

  #read(number: ActionNumber): Order | undefined {
    return Order.safeParse(jsonIn(this.#folder.read(orderFile(number)))).data;
  }

  #write(change: Partial<Index>): void {
    this.#index = { ...this.#index, ...change };
    this.#folder.write(file, `${JSON.stringify(this.#index)}\n`);
  }
}
