import { type ApiClient, Unreachable } from '../../../lib/api/client.ts';
import { type ActionNumbers, actionsInMemory, NoNumber } from '../../../programs/gateway/action-numbers.ts';
import type { Faults } from '../faults.ts';
import type { Kernel } from '../kernel.ts';
import { between } from '../random.ts';
import type { Estate } from './estate.ts';

/** What Muster says of a node. One that joins has no systems yet, so that the gateway does not know it. */
export type Status = 'up' | 'down' | 'leaving' | 'joining';

/** Few enough that a list has several pages, between which systems move. */
const pageItems = 4;
const answersMs = 40;
const lateMaxMs = 60_000;

/** Muster, as far as the gateway reads it. */
export class PlayedMuster {
  readonly statuses: Map<string, Status>;
  readonly actions: ActionNumbers;
  readonly #estate: Estate;
  readonly #kernel: Kernel;
  readonly #faults: Faults;

  constructor(estate: Estate, kernel: Kernel, faults: Faults) {
    this.#estate = estate;
    this.#kernel = kernel;
    this.#faults = faults;
    this.actions = keptNumbers(kernel, faults);
    this.statuses = new Map(estate.nodes.map((node) => [node, 'up']));
  }

  /** Lists zones, nodes and the systems of a node, each page as it is when it is asked for. */
  call = (async (
    { path }: { readonly path: string },
    { query }: { readonly query: { readonly q?: string; readonly limit: number; readonly cursor?: string } },
  ) => {
    const random = this.#kernel.random(`muster ${this.#kernel.steps}`);
    const isLate = this.#faults.hits('muster-lags');
    await this.#kernel.wait(isLate ? this.#faults.span('muster-lags', lateMaxMs) : between(random, 1, answersMs), `Muster answers ${path}`);
    if (isLate && random() < 0.3) throw new Unreachable('Muster is away');
    if (isLate && random() < 0.3) return { ok: false, problem: { title: 'Forbidden', detail: 'the key may not read' } };
    // By the order of all that there ever was: nothing is passed over because something else has gone.
    const [page, after] = this.#page(path, query.q, Number(query.cursor ?? 0));
    return { ok: true, body: { items: page, ...(after !== undefined && { next: String(after) }) } };
  }) as unknown as ApiClient;

  #page(path: string, q: string | undefined, from: number): readonly [items: readonly object[], next: number | undefined] {
    if (path.endsWith('/zones')) return [[{ name: 'default' }], undefined];
    if (path.endsWith('/nodes'))
      return [[...this.statuses].map(([fqdn, status]) => ({ fqdn, status, kind: 'uyuni', zone: 'default' })), undefined];
    const node = q?.replace('node:', '');
    const places = this.#estate.machines
      .map((machine, n) => ({ machine, n }))
      .filter(({ machine, n }) => n >= from && machine.row === node);
    const items = places.slice(0, pageItems).map(({ machine: { clusterId, minion, adopted } }) => ({
      clusterId,
      minion: { id: minion },
      ...(adopted && adopted.node === node && { numberThere: adopted.number }),
    }));
    return [items, places[pageItems]?.n];
  }
}

/** Numbers of actions, which Muster keeps whatever becomes of the gateway; now and then it is away. */
function keptNumbers(kernel: Kernel, faults: Faults): ActionNumbers {
  const stored = actionsInMemory(() => kernel.now);
  const late = async (): Promise<void> => {
    await kernel.wait(between(kernel.random(`actions ${kernel.steps}`), 1, answersMs), 'Muster answers about actions');
    if (faults.hits('muster-lags')) throw new NoNumber('Muster is away', false);
  };
  return {
    reserve: (count) => late().then(() => stored.reserve(count)),
    record: (reserved, parts) => late().then(() => stored.record(reserved, parts)),
    partsOf: (number, signal) => late().then(() => stored.partsOf(number, signal)),
    numbersAt: (node, ids) => late().then(() => stored.numbersAt(node, ids)),
  };
}
