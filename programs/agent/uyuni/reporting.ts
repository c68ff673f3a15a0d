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

/** Work beside an agent that reports what changes on the server with this configuration. */
export const reporterOf = (rhnConf: string, options: Omit<Reporting, 'connect' | 'inWords'>) => (agent: AgentView) =>
  reportChanges({ ...options, ...databaseBy(() => databaseIn(rhnConf)) }, agent);

/**
 * Reports what changes on the server of this host beside the agent, until it is stopped: as soon as something was
 * written, and every {@link everyMs} at the latest. It waits while the host is no member.
 */
export function reportChanges({ world, ...options }: Reporting, { api, member }: AgentView): { stop(): void } {
  const feed = new Feed({ ...options, send: (report) => sent(report, api, member()) });
  let state: 'resting' | 'working' | 'woken' | 'stopped' = 'resting';
  let cancel = (): void => undefined;
  const look = async (): Promise<void> => {
    if (state === 'stopped') return;
    if (state !== 'resting') {
      state = 'woken';
      return;
    }
    cancel();
    state = 'working';
    if (member()) await feed.pass();
    rest();
  };
  const rest = (): void => {
    if (state === 'stopped') return void feed.close();
    const isWoken = state === 'woken';
    state = 'resting';
    cancel = world.after(isWoken ? 0 : everyMs, () => void look());
  };
  feed.onChange(() => void look());
  void look();
  return {
    stop: () => {
      const isWorking = state === 'working' || state === 'woken';
      state = 'stopped';
      cancel();
      if (!isWorking) void feed.close();
    },
  };
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
