import { type ApiClient, pathOf } from '../../lib/api/client.ts';
import type { Route } from '../../lib/api/route.ts';
import type { AgentView } from '../../programs/agent/view.ts';
import type { Agent } from '../../tools/support/players.ts';

type Sent = { readonly params?: Record<string, unknown>; readonly body?: object };

/** What work beside the agent of a node in a stepped world sees of it: its calls are signed by the node. */
export const viewOf = (agent: Agent): AgentView => ({
  member: () => ({ node: agent.id, incarnation: agent.incarnation, generation: 1 }),
  api: (async (route: Route, { params, body }: Sent) => {
    const { status, headers, body: answered } = await agent.call(route.method, pathOf(route, params), body);
    const rest = { status, headers: new Headers(headers) };
    return status < 400 ? { ok: true, ...rest, body: answered } : { ok: false, ...rest, problem: answered };
  }) as ApiClient,
});
