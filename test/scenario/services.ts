import { keyOf } from '../../lib/ports/table/keys.ts';
import { instanceOf, type Service } from '../../lib/services/service.ts';
import type { ServiceTypePut } from '../../lib/services/type-routes.ts';
import type { ServiceView } from '../../lib/services/view-routes.ts';
import type { StationsView } from '../../lib/stations/routes.ts';
import type { Agent } from '../../tools/support/players.ts';
import type { WorldReply } from '../../tools/support/stepped.ts';
import { Serving } from '../support/serving.ts';
import { type Cast, fqdnOf, nameOf } from './cast.ts';
import { type Line, line } from './line.ts';

const node = '(node\\d+)';
const type = '(greeter|usher|supervisor)';
const zone = 'zones/default';
const servings = new WeakMap<Agent, Serving>();

/** What runs of services on a node; from now on its tables say so. */
function servingOf(cast: Cast, name: string): Serving {
  const agent = cast.agent(name);
  const serving = servings.get(agent) ?? new Serving(agent);
  servings.set(agent, serving);
  agent.processes = serving;
  return serving;
}

/** Two types that have one name and one schema. */
const types: Readonly<Record<string, ServiceTypePut>> = {
  greeter: {
    start: ['greet'],
    schema: { configuration: { type: 'object', required: ['greeting'] }, resources: [], relations: [] },
    configuration: { greeting: 'Hello' },
    messages: [],
  },
  usher: {
    start: ['usher'],
    schema: 'greeter' as never,
    serviceName: 'greeter' as never,
    configuration: { greeting: 'This way' },
    messages: [],
  },
};

const order = (cast: Cast, what: string, of: string, name: string, more: object = {}): Promise<WorldReply> =>
  cast.api('POST', `${zone}/services/${of}/${what}`, { node: fqdnOf(name), ...more });

/** What came of an order: what was answered, and with which configuration it runs. */
function said({ status, body }: WorldReply): string[] {
  const { answer, because, detail, configuration } = body as Readonly<Record<string, string | undefined>>;
  const greeting = (configuration as { greeting?: string } | undefined)?.greeting;
  const what = answer ?? because ?? detail ?? '';
  return [`${status} ${what.replaceAll('.acme.org', '')}${greeting === undefined ? '' : `, with “${greeting}”`}`];
}

async function shown(cast: Cast, of: string, name: string): Promise<string> {
  const row = await cast.world.table.read(keyOf({ noun: 'service', id: `${cast.agent(name).id}/${of}` }));
  if (!row || row.gone) return 'it is not registered';
  const service = row.body as Service;
  const { greeting } = JSON.parse(service.configuration) as { greeting: string };
  return `${service.state.is}, start ${instanceOf(service).split('.')[1]}, with “${greeting}”`;
}

/** By which node's supervisor each service is watched, or by none. */
async function watchers(cast: Cast): Promise<string[]> {
  const { items } = (await cast.api('GET', `${zone}/services`)).body as { items: ServiceView[] };
  const watched = (one: ServiceView): string =>
    `${one.type} of ${nameOf(one.host)} by ${one.supervisor ? nameOf(one.supervisor.host) : 'nobody'}`;
  return items.map(watched).sort();
}

const named = (text: string): string[] => (text.match(/node\d+/g) ?? []).map(fqdnOf);

/** Who is heard, and who coordinates. */
function stationsSaid({ stations, quorum, coordinator }: StationsView): string[] {
  const heard = stations.flatMap((one) => (one.heard ? [nameOf(one.host)] : []));
  return [
    `${heard.length === 0 ? 'none' : heard.join(', ')} of ${stations.length} heard, ${quorum.needed} needed; ${
      coordinator ? `${nameOf(coordinator.host)} coordinates, epoch ${coordinator.epoch}` : 'nobody coordinates'
    }`,
  ];
}

/** What can be said in scripts of services and of stations. */
export const serviceLines: readonly Line[] = [
  line('operator puts the types greeter and usher, which have one name', async (cast) => {
    const statuses: number[] = [];
    for (const [name, body] of Object.entries(types)) statuses.push((await cast.api('PUT', `${zone}/service-types/${name}`, body)).status);
    return [statuses.join(', ')];
  }),
  line(`operator starts ${type} on ${node}`, async (cast, of, name) => said(await order(cast, 'start', of!, name!))),
  line(`operator starts ${type} on ${node} with “(.+)”`, async (cast, of, name, greeting) =>
    said(await order(cast, 'start', of!, name!, { configuration: { greeting } })),
  ),
  line(`operator reconfigures ${type} on ${node} to “(.+)”`, async (cast, of, name, greeting) =>
    said(await order(cast, 'reconfigure', of!, name!, { configuration: { greeting } })),
  ),
  line(`operator stops ${type} on ${node}`, async (cast, of, name) => said(await order(cast, 'stop', of!, name!))),
  line(`operator looks at ${type} on ${node}`, async (cast, of, name) => [await shown(cast, of!, name!)]),
  line(`${node} does what it is told`, async (cast, name) => {
    await servingOf(cast, name!).obey();
    return [];
  }),
  line(`${type} on ${node} ends with (\\d+)`, async (cast, of, name, exit) => {
    await servingOf(cast, name!).ends(of!, Number(exit));
    return [];
  }),
  line('operator looks who watches whom', watchers),
  line(`the ${type} before on ${node} is said to have failed`, async (cast, of, name) => {
    const serving = servingOf(cast, name!);
    const { instance } = serving.about(of!);
    const [registered, start] = instance.split('.');
    await serving.says('service.failed', { service: of, instance: `${registered}.${Number(start) - 1}`, reason: 'it broke' });
    return [];
  }),
  line(`${node} boots with an empty memory`, async (cast, name) => {
    const agent = cast.agent(name!);
    servingOf(cast, name!).boots({ kernel: true });
    agent.boot += 1;
    agent.kernel += 1;
    await agent.up();
    await cast.world.step(10_000);
    const { status } = await agent.up();
    agent.beats();
    return [`node-up ${status}`];
  }),
  line('operator names as stations ((?:node\\d+ ?)+)(, in their place)?', async (cast, hosts, update) => {
    const { status, body } = await cast.api('PUT', `${zone}/stations`, { hosts: named(hosts!), ...(update && { update: true }) });
    const { because, detail } = body as { because?: string; detail?: string };
    return [`${status} ${(because ?? detail ?? '').replaceAll('.acme.org', '')}`];
  }),
  line('operator looks at the stations', async (cast) => stationsSaid((await cast.api('GET', `${zone}/stations`)).body as StationsView)),
];
