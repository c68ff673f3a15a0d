import type { World } from '../../../../lib/machine/reactor.ts';
import type { AgentView } from '../../view.ts';
import type { SiteRoute } from '../site/route.ts';
import { enterRoutes } from './enter.ts';
import { rulesIn } from './rules.ts';

type Env = { readonly endpoint: string; readonly world: Pick<World, 'now'>; say(line: string): void };

/** Loaded when somebody enters: a host without a Uyuni server needs no client of PostgreSQL. */
const sessions = () => import('./server-sessions.ts');

/** The routes of the site by which people enter the server of this host, if `file` says who may; beside its agent. */
export function enteringHere(file: string | undefined, { endpoint, world, say }: Env) {
  let view: AgentView | undefined;
  const routes: readonly SiteRoute[] =
    file === undefined
      ? []
      : enterRoutes({
          endpoint,
          agent: () => view,
          rules: () => rulesIn(file),
          mint: async (login, rules) => (await sessions()).sessionFor(login, rules),
          now: () => world.now(),
          say,
        });
  return {
    routes,
    start: (agent: AgentView): { stop(): void } => {
      view = agent;
      return {
        stop: () => {
          view = undefined;
        },
      };
    },
  };
}
