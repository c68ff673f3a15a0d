import { type ApiClient, Unreachable } from '../../../lib/api/client.ts';
import { problemTypeOf } from '../../../lib/api/problem.ts';
import type { NodeId, ServiceName } from '../../../lib/core/ids.ts';
import { type EpochMs, plusMs, secondMs } from '../../../lib/core/time.ts';
import { nodeRoutes } from '../../../lib/node-contract.ts';
import type { FoundService } from '../../../lib/services/view-routes.ts';

/** The outcome of a lookup of services, or why it failed; `again` when the caller may try again. */
export type Found =
  | { readonly ok: true; readonly found: FoundService[] }
  | { readonly ok: false; readonly why: string; readonly again?: true };

/** How long an answer of Muster is reused: a service may look others up before each of its own calls. */
const goodMs = 5 * secondMs;
/** How many names are remembered. */
const namesMax = 100;

/** Looks services up by name in the zone of this node, under its identity. */
export class Finder {
  readonly #api: ApiClient;
  readonly #node: () => NodeId | undefined;
  readonly #now: () => EpochMs;
  readonly #known = new Map<ServiceName, { readonly until: EpochMs; readonly found: Promise<Found> }>();

  /** `node` is undefined while Muster has not acknowledged it. */
  constructor({ api, node, now }: { api: ApiClient; node(): NodeId | undefined; now(): EpochMs }) {
    this.#api = api;
    this.#node = node;
    this.#now = now;
  }

  /** Where services of this name are; never rejects because Muster is unreachable. */
  find(name: ServiceName): Promise<Found> {
    const now = this.#now();
    const known = this.#known.get(name);
    if (known && now < known.until) return known.found;
    const found = this.#ask(name);
    if (this.#known.size >= namesMax) this.#known.clear();
    this.#known.set(name, { until: plusMs(now, goodMs), found });
    // A failed lookup is not reused.
    void found.then(({ ok }) => ok || this.#known.delete(name));
    return found;
  }

  async #ask(name: ServiceName): Promise<Found> {
    const id = this.#node();
    if (id === undefined) return { ok: false, why: 'Muster has not acknowledged this boot yet; try again', again: true };
    try {
      const answer = await this.#api(nodeRoutes.services, { params: { id }, query: { name } });
      if (answer.ok) return { ok: true, found: answer.body };
      return { ok: false, why: `refused (${problemTypeOf(answer.problem)}): ${answer.problem.detail}` };
    } catch (error) {
      if (error instanceof Unreachable) return { ok: false, why: error.message, again: true };
      throw error;
    }
  }
}
