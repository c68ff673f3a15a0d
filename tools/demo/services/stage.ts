import { contract } from '../../../lib/contract.ts';
import type { ServiceView } from '../../../lib/services/view-routes.ts';
import type { Means } from '../stage.ts';
import type { Cast } from './cast.ts';

/** The means of scenes: the cast, how to wait for something, and a function that prints each finished scene. */
export type Stage = Means & { readonly cast: Cast };

/** The services of the zone as they are now. */
export async function services({ cast }: Stage): Promise<readonly ServiceView[]> {
  const answer = await cast.api(contract.listServices, { params: { zone: 'default' }, query: {} });
  if (!answer.ok) throw new Error(answer.problem.detail);
  return answer.body.items;
}

/** Waits until the service of a host is as `is` has it; gives it. */
export const service = (
  stage: Stage,
  of: { readonly type: string; readonly host: string },
  what: string,
  is: (one: ServiceView) => boolean,
) =>
  stage.watching.until(`${of.type} of ${of.host} ${what}`, 30_000, async () =>
    (await services(stage)).find((one) => one.type === of.type && one.host === of.host && is(one)),
  );

/** The stations of the zone as they are now. */
export async function stationsNow({ cast }: Stage) {
  const answer = await cast.api(contract.getStations, { params: { zone: 'default' } });
  if (!answer.ok) throw new Error(answer.problem.detail);
  return answer.body;
}

/** The status of a node, as Muster reports it. */
export async function statusOf({ cast }: Stage, host: string): Promise<string> {
  const answer = await cast.api(contract.listNodes, { query: {} });
  if (!answer.ok) throw new Error(answer.problem.detail);
  return answer.body.items.find(({ fqdn }) => fqdn === host)?.status ?? 'unknown';
}

/** Starts agents, and waits until Muster has acknowledged them all. */
export async function startAgents({ cast, watching }: Stage, hosts: readonly string[]): Promise<void> {
  for (const host of hosts) cast.startAgent(host);
  await watching.until(`${hosts.join(', ')} acknowledged`, 60_000, async () => hosts.every(cast.isAcknowledged) || undefined);
}
