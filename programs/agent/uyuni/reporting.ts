import { type ApiClient, Unreachable } from '../../../lib/api/client.ts';
import { problemTypeOf } from '../../../lib/api/problem.ts';
import { printable } from '../../../lib/core/printable.ts';
import { secondMs } from '../../../lib/core/time.ts';
import type { World } from '../../../lib/machine/reactor.ts';
import { uyuniNodeRoutes } from '../../../lib/uyuni/node-routes.ts';
import type { AgentView } from '../view.ts';
import { type ChangeReport, Feed, type FeedOptions, type Sent } from './feed.ts';
import { outboxIn } from './outbox.ts';
import { type DatabaseAddress, databaseIn, NoRhnConf } from './rhn-conf.ts';
import { connectTo } from './session.ts';
import { troubleOf } from './trouble.ts';

/** How often an agent looks at an outbox that has not called, and tries again what has failed, in ms. */
const everyMs = 10 * secondMs;
/** How long it waits after a look for more to report, in ms. */
const pauseMs = secondMs;

/** What of the server of this host is reported, and with what. */
export type Reporting = Omit<FeedOptions, 'send'> & { readonly world: Pick<World, 'after'> };

/**
 * The outbox in a database, for {@link reportChanges}. `find` gives its address, and is asked at each connection: an
 * operator may have changed it. It may throw {@link NoRhnConf}.
 */
export function databaseBy(find: () => DatabaseAddress): Pick<FeedOptions, 'connect' | 'inWords'> {
  let address: DatabaseAddress | undefined;
  return {
    connect: async () => {
      address = find();
      return outboxIn(await connectTo(address));
    },
    inWords: (error) => {
      if (error instanceof NoRhnConf) return error.message;
      if (address === undefined) throw error;
      return troubleOf(error, address).words;
    },
  };
}

/** Work beside an agent that reports what changes on the server with this configuration, and hands it to a listener. */
export const reporterOf =
  (rhnConf: string, options: Omit<Reporting, 'connect' | 'inWords' | 'listener'>) => (agent: AgentView, listener: Reporting['listener']) =>
    reportChanges({ ...options, ...databaseBy(() => databaseIn(rhnConf)), listener }, agent);

/**
 * Reports what changes on the server of this host beside the agent, until it is stopped: as soon as something was
 * written, but no more than once in {@link pauseMs}, and every {@link everyMs} at the latest. It waits while the host
 * is no member.
 */
export function reportChanges(options: Reporting, agent: AgentView): { stop(): void } {
  const reporter = new Reporter(options, agent);
  reporter.look();
  return reporter;
}

class Reporter {
  readonly #options: Reporting;
  readonly #agent: AgentView;
  readonly #feed: Feed;
  #state: 'resting' | 'working' | 'pausing' | 'stopped' = 'resting';
  /** Something was written since the last look. */
  #isWoken = false;
  #cancel = (): void => undefined;
  #fault = '';

  constructor(options: Reporting, agent: AgentView) {
    this.#options = options;
    this.#agent = agent;
    this.#feed = new Feed({ ...options, send: (report) => sent(report, agent.api, agent.member()) });
    this.#feed.onChange(() => {
      this.#isWoken = true;
      if (this.#state === 'resting') this.look();
    });
  }

  look(): void {
    this.#cancel();
    this.#state = 'working';
    this.#isWoken = false;
    void this.#pass().then(() => this.#pause());
  }

  stop(): void {
    const isWorking = this.#state === 'working';
    this.#state = 'stopped';
    this.#cancel();
    this.#feed.stop();
    if (!isWorking) void this.#feed.close();
  }

  /** A fault of ours must not end the agent, which renews the lease of the node. */
  async #pass(): Promise<void> {
    if (!this.#agent.member()) return;
    try {
      await this.#feed.pass();
      this.#fault = '';
    } catch (error) {
      const words = String(error);
      if (words !== this.#fault) this.#options.say(`what changes on the server cannot be reported: ${printable(words)}; trying again`);
      this.#fault = words;
      await this.#feed.close();
    }
  }

  #pause(): void {
    if (this.#state === 'stopped') return void this.#feed.close();
    this.#state = 'pausing';
    this.#cancel = this.#options.world.after(pauseMs, () => {
      if (this.#isWoken) return this.look();
      this.#state = 'resting';
      this.#cancel = this.#options.world.after(everyMs - pauseMs, () => this.look());
    });
  }
}

/** What Muster does not take as it is, however often it is sent. */
const never = new Set(['malformed-json', 'unknown-field', 'unknown-type', 'invalid', 'too-large']);

async function sent({ source, seq, changes }: ChangeReport, api: ApiClient, member: ReturnType<AgentView['member']>): Promise<Sent> {
  if (!member) return { is: 'later' };
  const { node: id, incarnation } = member;
  try {
    const answer = await api(uyuniNodeRoutes.reportChanges, { params: { id }, body: { incarnation, source, seq, changes: [...changes] } });
    if (answer.ok) return { is: 'taken' };
    const problem = problemTypeOf(answer.problem);
    return never.has(problem) ? { is: 'refused', why: printable(`${problem}: ${answer.problem.detail}`) } : { is: 'later' };
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    return { is: 'later' };
  }
}
