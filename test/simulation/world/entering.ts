import { contract } from '../../../lib/contract.ts';
import type { Fqdn } from '../../../lib/core/ids.ts';
import { enterPath, enterRoutes } from '../../../programs/agent/uyuni/enter/enter.ts';
import type { EnterRules } from '../../../programs/agent/uyuni/enter/rules.ts';
import type { SiteRoute } from '../../../programs/agent/uyuni/site/route.ts';
import type { AgentView } from '../../../programs/agent/view.ts';
import type { Around, Cluster } from '../cluster.ts';
import { oneOf } from '../random.ts';
import type { SimulatedHost } from './host.ts';
import { Person } from './people.ts';

/** The page of Muster in this world. */
const endpoint = 'https://muster.simulated';
const form = { 'content-type': 'application/x-www-form-urlencoded', origin: endpoint };
const rules: EnterRules = { by: 'subject', logins: { operator: 'admin' }, same: false, origins: [], rhnConf: '/etc/rhn/rhn.conf' };

/** Where browsers bring tickets to a server: the agent's own page, with sessions that are only counted. */
export class Entrance {
  /** Who was let in: by which ticket, and at which page. */
  readonly entered: { readonly ticket: string; readonly page: string }[] = [];
  readonly #post: SiteRoute;
  #agent: AgentView | undefined;

  constructor(fqdn: Fqdn, { kernel }: Around) {
    const [post] = enterRoutes({
      endpoint,
      agent: () => this.#agent,
      rules: () => ({ ok: true, rules }),
      mint: async (login) => ({ ok: true, key: '1x0', login, lifetimeS: 3_600 }),
      now: () => kernel.now,
      say: (line) => kernel.note(`${fqdn}: ${line}`),
    });
    this.#post = post!;
  }

  /** Work beside an agent: it is this agent that asks Muster about tickets. */
  readonly start = (agent: AgentView): { stop(): void } => {
    this.#agent = agent;
    return {
      stop: () => {
        if (this.#agent === agent) this.#agent = undefined;
      },
    };
  };

  /** A browser sends its form. */
  async bring(ticket: string): Promise<void> {
    const request = { method: 'POST', path: enterPath, query: new URLSearchParams(), headers: form, body: `ticket=${ticket}` };
    const { status, headers } = await this.#post.answer(request);
    if (status === 303) this.entered.push({ ticket, page: headers['location'] ?? '' });
  }
}

/**
 * Somebody who enters servers, by tickets that now and then come twice, late, or to another server first; in a world
 * whose servers can be entered.
 */
export function enterSome(around: Around, cluster: Cluster, hosts: readonly SimulatedHost[], isOver: () => boolean): void {
  const { kernel, config } = around;
  if (!config.enters) return;
  const person = new Person('visitor', around, cluster, isOver);
  const entrances = (): Entrance[] => hosts.flatMap(({ entrance }) => entrance ?? []);
  let pages = 0;
  const asked = async (): Promise<{ readonly ticket: string; readonly at: Entrance | undefined } | undefined> => {
    const id = await person.someNode();
    pages += 1;
    const got = id && (await person.ask(contract.enterNode, { params: { id }, body: { path: `/rhn/page${pages}.do` } }));
    return got && { ticket: got.ticket, at: hosts.find(({ fqdn }) => got.action.includes(`//${fqdn}/`))?.entrance };
  };
  const once = async (): Promise<void> => {
    const got = await asked();
    await got?.at?.bring(got.ticket);
  };
  const twice = async (): Promise<void> => {
    const got = await asked();
    await Promise.all([got?.at?.bring(got.ticket), got?.at?.bring(got.ticket)]);
  };
  const late = async (): Promise<void> => {
    const got = await asked();
    await kernel.wait(20_000 + person.random() * 20_000, 'a browser waits');
    await got?.at?.bring(got.ticket);
  };
  const elsewhere = async (): Promise<void> => {
    const got = await asked();
    if (got) await oneOf(person.random, entrances())?.bring(got.ticket);
    await got?.at?.bring(got.ticket);
  };
  person.work([once, twice, late, elsewhere]);
}
