import { type NodeCaller, nodeOf } from '../../nodes/verify-node.ts';
import type { Answer, Call } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { servicesOfNodeRoutes } from '../node-routes.ts';
import { servicesCalled } from '../reads/found.ts';

/** Returns the services of a name in the zone of a node, in the order of their nodes, online services first. */
export async function findServices(
  { query, caller }: Call<(typeof servicesOfNodeRoutes)['services'], NodeCaller>,
  shell: Shell,
): Promise<Answer> {
  return { status: 200, body: await servicesCalled(shell, nodeOf(caller).zone, query.name) };
}
