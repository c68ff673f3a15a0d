import type { Folder } from '../../../../lib/machine/folder.ts';
import type { World } from '../../../../lib/machine/reactor.ts';
import type { AgentOptionsGiven } from '../../options.ts';
import type { AgentView } from '../../view.ts';
import { accountIn } from '../api/account.ts';
import { serverApi } from '../api/server-api.ts';
import { passing } from '../cluster-mode/passing.ts';
import { type ContentServer, followContent } from './follow.ts';
import { ContentWanted } from './wanted.ts';

type Env = { readonly folder: Folder; readonly world: World; limit(ms: number): AbortSignal; say(line: string): void };

/** Loaded when they are asked for: other hosts need none of it. */
const commands = () => import('./commands.ts');
const servers = () => import('./server.ts');

/** Carries out orders about the common content of the server on this host, where its operator lets Muster manage it. */
export function contentHere({ manageContent, uyuniAccount }: AgentOptionsGiven, { folder, world, limit, say }: Env) {
  const wanted = new ContentWanted(folder);
  const server = async (account: string): Promise<ContentServer> => {
    const { callMs, isPost } = await commands();
    const longer = (ms: number): AbortSignal => limit(Math.max(ms, callMs));
    const fetching = passing(fetch, folder);
    const api = serverApi({ account: () => accountIn(account), fetching, isPost, limit: longer, world, say });
    return (await servers()).contentServer(api);
  };
  const why = 'its agent has no --manage-content: the operator of this host does not let Muster manage it';
  const here = manageContent && uyuniAccount !== undefined ? () => server(uyuniAccount) : { why };
  return { wanted, start: (agent: AgentView) => followContent({ wanted, server: here, world, say }, agent) };
}
