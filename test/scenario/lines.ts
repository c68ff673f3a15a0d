import type { SystemView } from '../../lib/clients/admin-routes.ts';
import type { NodeView } from '../../lib/nodes/admin-routes.ts';
import type { PooledHostView } from '../../lib/nodes/admission/routes.ts';
import type { ZoneView } from '../../lib/zones/routes.ts';
import { type Cast, fqdnOf, inTime, isNode, nameOf, shortly } from './cast.ts';
import { clusterLines } from './clusters.ts';
import { fromDuration } from './durations.ts';
import { letters } from './letters.ts';
import { type Line, line } from './line.ts';
import { serviceLines } from './services.ts';
import { storageLines } from './storage.ts';

const node = '(node\\d+)';
const client = '((?!node\\d|operator)[a-z]+\\d+)';
const anybody = '([a-z]+\\d+)';

const agents: readonly Line[] = [
  line(`${node} joins`, async (cast, name) => [shortly(await cast.agent(name!).join())]),
  line(`${node} says node-up(?:, having flushed generation (\\d+))?`, async (cast, name, flushed) => [
    shortly(await cast.agent(name!).up(flushed === undefined ? undefined : Number(flushed))),
  ]),
  line(`the boot of ${node} before says node-up`, async (cast, name) => {
    const agent = cast.agent(name!);
    agent.boot -= 1;
    const reply = await agent.up();
    agent.boot += 1;
    return [shortly(reply)];
  }),
  line(`${node} says that it is ready`, async (cast, name) => [shortly(await cast.agent(name!).say('node.ready'))]),
  line(`${node} starts`, async (cast, name) => {
    const agent = cast.agent(name!);
    const joined = await agent.join();
    await agent.up();
    await cast.world.step(0);
    const up = await agent.up();
    await agent.say('node.ready');
    agent.beats();
    return [`joins ${shortly(joined)}, node-up ${shortly(up)}, ready`];
  }),
  line(`${node} sends a heartbeat`, async (cast, name) => [shortly(await cast.agent(name!).beat())]),
  line(`${node} beats from now on`, async (cast, name) => {
    cast.agent(name!).beats();
    return [];
  }),
  line(`${node} falls silent`, async (cast, name) => {
    cast.agent(name!).fallSilent();
    return [];
  }),
  line(`${node} boots again`, async (cast, name) => {
    cast.agent(name!).boot += 1;
    return [];
  }),
  line(`${node} leaves, to be drained`, async (cast, name) => [shortly(await cast.agent(name!).leave('drain'))]),
  line(`${node} leaves, to be held for (.+)`, async (cast, name, time) => [
    shortly(await cast.agent(name!).leave('hold', inTime(cast.world, time!))),
  ]),
  line(`${node} releases what it is told to`, async (cast, name) => {
    const { release } = (await cast.agent(name!).desired()).body as { release: { mapVersion: number; slots: number[] }[] };
    const mapVersion = Math.max(...release.map((order) => order.mapVersion));
    const slots = release.reduce((sum, order) => sum + order.slots.length, 0);
    return [`${slots} slots, map version ${mapVersion}: ${shortly(await cast.agent(name!).say('node.released', { mapVersion }))}`];
  }),
  line(`${node} asks about ${client}`, async (cast, name, whom) => {
    const { verdict, node: whose } = (await cast.agent(name!).verdictOn(cast.daemon(whom!).fp)).body as { verdict: string; node?: string };
    return [`${verdict}${whose ? `: it is ${nameOf(whose)}'s` : ''}`];
  }),
];

const clients: readonly Line[] = [
  line(`${client} knocks`, async (cast, name) => [shortly(await cast.daemon(name!).knock())]),
  line(`${client} knocks, confirming ${node}`, async (cast, name, on) => [
    shortly(await cast.daemon(name!).knock({ confirmed: fqdnOf(on!) })),
  ]),
  line(`${client} knocks with the machine id of ${client}`, async (cast, name, whose) => [
    shortly(await cast.daemon(name!).knock({ machineId: `machine-${fqdnOf(whose!)}` })),
  ]),
  line(`${client} knocks with the name of ${client}`, async (cast, name, whose) => [
    shortly(await cast.daemon(name!).knock({ fqdn: fqdnOf(whose!) })),
  ]),
  line(`${client} knocks with the name of ${client}, confirming ${node}`, async (cast, name, whose, on) => [
    shortly(await cast.daemon(name!).knock({ fqdn: fqdnOf(whose!), confirmed: fqdnOf(on!) })),
  ]),
  line(`${client} knocks as boot (\\d+)`, async (cast, name, boot) => [
    shortly(await cast.daemon(name!).knock({ boot: `its-boot-${boot}` })),
  ]),
  line(`${client} asks where it stands( without its token)?`, async (cast, name, without) => [
    shortly(await cast.daemon(name!).status(without ? { token: null } : {})),
  ]),
  line(`${client} asks for its node( without its token)?`, async (cast, name, without) => [
    shortly(await cast.daemon(name!).orphan(without ? { token: null } : {})),
  ]),
];

const orders: Readonly<Record<string, object>> = { drains: { mode: 'drain' }, keeps: { mode: 'stay' } };

const operators: readonly Line[] = [
  line(`operator replaces ${client} with ${client}`, async (cast, old, by) => {
    const reply = await cast.api('POST', `${cast.pathTo(old!)}/replace`, { by: cast.daemon(by!).fp });
    const { because, detail } = reply.body as { because?: string; detail?: string };
    return [because ?? `${shortly(reply)}: ${detail}`];
  }),
  line(`operator (accepts|bans|unregisters|settles) ${client}`, async (cast, what, name) => {
    const path = `systems/${what!.replace(/s$/, '')}`;
    const { results } = (await cast.api('POST', path, { systems: [cast.daemon(name!).fp] })).body as { results: { because: string }[] };
    return results.map(({ because }) => because);
  }),
  line(`operator accepts ${client}, alone and by its fingerprint`, async (cast, name) => {
    const { results } = (await cast.api('POST', 'systems/accept', { systems: [cast.daemon(name!).fp], duplicates: true })).body as {
      results: { because: string }[];
    };
    return results.map(({ because }) => because);
  }),
  line(`operator (drains|keeps) ${node}`, async (cast, what, name) => [
    shortly(await cast.api('POST', `${cast.pathTo(name!)}/leave`, orders[what!])),
  ]),
  line(`operator holds ${node} for (.+)`, async (cast, name, time) => {
    const until = new Date(inTime(cast.world, time!)).toISOString();
    return [shortly(await cast.api('POST', `${cast.pathTo(name!)}/leave`, { mode: 'hold', until }))];
  }),
  line(`operator drops ${node}`, async (cast, name) => [shortly(await cast.api('POST', `${cast.pathTo(name!)}/drop`, {}))]),
  line('operator looks at who waits to be a node', async (cast) => {
    const { items } = (await cast.api('GET', 'node-pool')).body as { items: PooledHostView[] };
    return items.map(({ fqdn, standing, because }) => `${nameOf(fqdn)} ${standing}: ${because}`);
  }),
  line(`operator admits ${node}`, async (cast, name) => {
    const { results } = (await cast.api('POST', 'node-pool/admit', { hosts: [fqdnOf(name!)] })).body as { results: { because: string }[] };
    return results.map(({ because }) => because);
  }),
  line(`operator has ${node} take the place of ${node}`, async (cast, by, old) => [
    shortly(await cast.api('POST', `${cast.pathTo(old!)}/replace`, { by: cast.agent(by!).id })),
  ]),
  line('operator sets recovery mode, in which clients wait', async (cast) => {
    const { body } = await cast.api('PATCH', 'zones/default', { mode: 'recovery', meanwhile: 'hold' });
    return [(body as ZoneView).because];
  }),
  line(`operator looks at ${anybody}`, async (cast, name) => {
    const { body } = await cast.api('GET', cast.pathTo(name!));
    return [isNode(name!) ? showNode(body as NodeView) : showSystem(body as SystemView)];
  }),
  line(`operator looks at what ${node} is made of`, async (cast, name) => {
    const { host } = (await cast.api('GET', cast.pathTo(name!))).body as NodeView;
    return [host ? `${nameOf(host.fqdn)} at ${host.address}, ${host.memoryMib} MiB, ${host.cpus} CPUs` : 'nobody has said'];
  }),
  line('operator looks at the zone', async (cast) => {
    const { map } = (await cast.api('GET', 'zones/default')).body as ZoneView;
    return map.nodes.map(
      ({ fqdn, standing, generation, slots }) => `${nameOf(fqdn)} ${standing}, generation ${generation}, ${slots} slots`,
    );
  }),
  line(`operator asks why ${anybody}`, async (cast, name) => {
    const explained = (await cast.api('GET', cast.pathTo(name!).replace(/^(node|system)s\//, 'explain/$1/'))).body;
    const { state, because, also } = explained as { state: string; because: string; also: { subject: string; because: string }[] };
    return [`${state}: ${because}`, ...also.map((one) => `${one.subject}: ${one.because}`)];
  }),
  line(`operator reads the history of ${anybody}`, async (cast, name) => {
    const { items } = (await cast.api('GET', cast.pathTo(name!).replace(/^(node|system)s\//, 'history/$1/'))).body as {
      items: { at: string; type: string; because: string }[];
    };
    return items.map(({ at, type, because }) => `${at.slice(11, 19)} ${type}: ${because}`);
  }),
];

const time: readonly Line[] = [
  line('(\\d+ (?:s|min|h|days)) pass', async ({ world }, duration) => {
    await world.step(fromDuration(duration!));
    return [];
  }),
  line('Muster is away for (.+)', async ({ world }, duration) => {
    world.sleep(fromDuration(duration!));
    return [];
  }),
];

const showNode = ({ status, generation, incarnation, slots, because }: NodeView): string =>
  `${status}, generation ${generation}, incarnation ${incarnation}, ${slots} slots: ${because}`;
const showSystem = ({ status, node: on, because }: SystemView): string =>
  `${status}${on?.fqdn ? `, told ${nameOf(on.fqdn)}${on.confirmed ? ', confirmed' : ''}` : ''}: ${because}`;

/** Does what a line says; gives what was answered. Throws when the line means nothing. */
export async function perform(cast: Cast, text: string): Promise<readonly string[]> {
  for (const { reads, does } of [
    ...time,
    ...clusterLines,
    ...storageLines,
    ...serviceLines,
    ...operators,
    ...letters,
    ...agents,
    ...clients,
  ]) {
    const match = reads.exec(text);
    if (match) return does(cast, ...match.slice(1));
  }
  throw new Error(`nobody knows how to play: ${text}`);
}
