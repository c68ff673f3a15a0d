import type { ApiClient } from '../../../lib/api/client.ts';
import { problemTypeOf } from '../../../lib/api/problem.ts';
import { printable } from '../../../lib/core/printable.ts';
import { secondMs } from '../../../lib/core/time.ts';
import type { World } from '../../../lib/machine/reactor.ts';
import { type Offered, offeredMax, uyuniNodeRoutes } from '../../../lib/uyuni/node-routes.ts';
import { everySoOften } from '../every-so-often.ts';
import type { AgentView } from '../view.ts';
import type { AdoptionWanted } from './wanted.ts';

/** How soon the agent notices an order, and goes on with one that it could not finish, in ms. */
const everyMs = 5 * secondMs;

/** The systems of this host, by the accepted keys of its Salt master. */
export type AdoptableSystems = {
  /** Their minion ids, in their order. Throws {@link CannotOffer}. */
  ids(): Promise<readonly string[]>;
  /** Those of these that are still there. Throws {@link CannotOffer}. */
  systems(ids: readonly string[]): Promise<readonly Offered[]>;
};

/** The systems of this host cannot be read now, for this reason in words. */
export class CannotOffer extends Error {}

/** What an adopter works with; without `systems` this host has none to offer. */
export type AdopterOptions = {
  readonly wanted: AdoptionWanted;
  readonly systems: AdoptableSystems | undefined;
  readonly world: Pick<World, 'after'>;
  /** Called when Muster has been offered all of them: it knows keys that it did not know before. */
  offered(): void;
  say(line: string): void;
};

/**
 * Offers the systems of this host for adoption while an order is open, beside the agent, until it is stopped. It goes
 * on behind the last system that Muster has taken, also after a crash of either.
 */
export function offerSystems(options: AdopterOptions, agent: AgentView): { stop(): void } {
  const adopter = new Adopter(options, agent);
  return everySoOften(everyMs, () => adopter.pass(), options.world);
}

class Adopter {
  readonly #options: AdopterOptions;
  readonly #agent: AgentView;
  /** The last trouble, so that the log has it once. */
  #trouble = '';

  constructor(options: AdopterOptions, agent: AgentView) {
    this.#options = options;
    this.#agent = agent;
  }

  async pass(): Promise<void> {
    const { wanted, say } = this.#options;
    const order = wanted.order();
    const member = this.#agent.member();
    if (order === undefined || !member) return;
    try {
      await this.#offer(order, member);
      this.#trouble = '';
    } catch (error) {
      // A fault of ours must not end the agent, which renews the lease of the node.
      const why = printable(error instanceof Error ? error.message : String(error));
      if (why !== this.#trouble) say(`the systems of this host cannot be offered for adoption: ${why}; trying again`);
      this.#trouble = why;
    }
  }

  async #offer(order: string, member: Member): Promise<void> {
    const { wanted, systems, offered, say } = this.#options;
    const line = new Line(this.#agent.api, member, order);
    if (!systems) {
      await line.report({ total: 0, systems: [], end: { why: 'its agent has no --watch-source salt-master:ROOT: it knows no systems' } });
      return wanted.done(order);
    }
    const ids = await systems.ids();
    const total = ids.length;
    const begun = await line.report({ total, systems: [] });
    if (!begun.open) return wanted.done(order);
    const left = ids.filter((id) => begun.after === undefined || id > begun.after);
    say(`offering ${left.length} of ${total} systems for adoption`);
    for (let at = 0; at < left.length; at += offeredMax) {
      const { open } = await line.report({ total, systems: await systems.systems(left.slice(at, at + offeredMax)) });
      if (!open) return wanted.done(order);
    }
    await line.report({ total, systems: [], end: {} });
    offered();
    say(`offered ${total} systems for adoption: muster node adopt shows what became of them`);
    wanted.done(order);
  }
}

type Member = NonNullable<ReturnType<AgentView['member']>>;

type Told = { readonly total: number; readonly systems: readonly Offered[]; readonly end?: { readonly why?: string } };

/** Reports of one order, one after another. */
class Line {
  readonly #api: ApiClient;
  readonly #member: Member;
  readonly #order: string;

  constructor(api: ApiClient, member: Member, order: string) {
    this.#api = api;
    this.#member = member;
    this.#order = order;
  }

  /** Throws {@link CannotOffer} where Muster refuses the report, and Unreachable where it does not answer. */
  async report({ systems, ...rest }: Told): Promise<{ readonly open: boolean; readonly after?: string | undefined }> {
    const { node: id, incarnation } = this.#member;
    const body = { ...rest, incarnation, order: this.#order, systems: [...systems] };
    const answer = await this.#api(uyuniNodeRoutes.reportAdoption, { params: { id }, body });
    if (answer.ok) return answer.body;
    throw new CannotOffer(`Muster refuses them (${problemTypeOf(answer.problem)}): ${answer.problem.detail}`);
  }
}
