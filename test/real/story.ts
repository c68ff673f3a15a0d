import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiClient } from '../../lib/api/client.ts';
import { contract } from '../../lib/contract.ts';
import { Fingerprint } from '../../lib/core/ids.ts';
import { ClientRecord } from '../../programs/client/state.ts';
import { end, start } from '../../tools/check-deploy/processes.ts';
import { expected, step, until } from '../../tools/check-deploy/progress.ts';
import { aHost, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { aPort } from './a-port.ts';
import { aMachine, fqdns, type Machine, type Master, type Salt, startMaster } from './salt.ts';

/** The client system of the story, and the id of its minion. */
const web = 'web1.acme.test';
/**
 * How long a move may take: the knock, Salt's start, and passes of the keeper, on a busy machine. Without its release
 * hook a client system would find out after a quarter of an hour at the soonest.
 */
const moveMs = 120_000;
/** What was promised: the key of a client system that is banned is gone within a minute. */
const bannedMs = 60_000;

type Node = { readonly master: Master; readonly agent: ReturnType<typeof start>; readonly log: string };
type Scene = {
  readonly salt: Salt;
  readonly muster: TestHost;
  readonly api: ApiClient;
  readonly machine: Machine;
  readonly daemonHome: string;
};

/** Plays the life of a client system with real masters and a real minion. */
export async function story(salt: Salt, stops: (() => Promise<void>)[]): Promise<void> {
  const muster = await aHost({ beatMinMs: 500 });
  stops.push(() => muster.stop());
  const machine = aMachine(salt, web);
  stops.push(() => machine.stop());
  const scene: Scene = { salt, muster, api: apiAt(muster.url), machine, daemonHome: join(salt.root, 'daemon') };
  const first = await step('a node with a Salt master is up', () => aNode(scene, fqdns[0]));
  const fp = await step('a machine waits in the pool, and its minion is left alone', () => aDaemon(scene));
  await step('it is accepted, its minion starts, and its key is accepted', () => onboarded(scene, first, fp));
  const second = await step('a second node is up', () => aNode(scene, fqdns[1]));
  await step('it moves to the second node', () => moved(scene, fp, { from: first, to: second }));
  await step('its former master is told nothing by it any more', async () =>
    expected('silence', !(await first.master.pings(web)), 'an answer'),
  );
  await step('it moves back to the first node', () => moved(scene, fp, { from: second, to: first }));
  await step('its minion is killed, and started again by its daemon', () => minionDies(scene, first));
  await step('the first node is drained, and it goes to the second', () => drained(scene, fp, { from: first, to: second }));
  const third = await step('a third node is up', () => aNode(scene, fqdns[2]));
  const left = await step('the node that has it is killed, and it goes to the other', () => nodeDies(scene, fp, [second, third]));
  await step('it is banned: its key is gone within a minute, and its minion is stopped', () => banned(scene, fp, left));
}

/** A node: a master, and the agent beside it, which listens where client systems watch it. */
async function aNode({ salt, muster }: Scene, fqdn: (typeof fqdns)[number]): Promise<Node> {
  const master = startMaster(salt, fqdn);
  const log = join(master.root, 'agent.log');
  const knock = `kill -HUP $(cat '${join(salt.root, 'daemon.pid')}')`;
  const options = [
    ...['--endpoint', muster.url, '--fqdn', fqdn, '--kind', 'salt', '--home', join(master.root, 'agent')],
    ...['--watch', `127.0.0.1:${await aPort()}`, '--watch-source', `salt-master:${master.root}`, '--manage-keys'],
    ...['--salt-key', master.saltKey, '--release-hook', 'salt', '--salt', master.salt, '--knock-command', knock],
  ];
  const agent = program('agent', options, salt, log);
  await until(`${fqdn} is up`, 60_000, async () => {
    const said = textOf(log);
    return said.includes('acknowledged') ? { found: true } : { seen: said.slice(-500) };
  });
  return { master, agent, log };
}

const program = (name: 'agent' | 'client', args: readonly string[], { env, root }: Salt, log: string) =>
  start(process.execPath, [join(import.meta.dirname, `../../programs/${name}/main.ts`), ...args], { env, cwd: root, log });

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
};

/** The daemon of the machine; gives its fingerprint, once Muster knows it. */
async function aDaemon({ salt, muster, api, machine, daemonHome }: Scene): Promise<Fingerprint> {
  const log = join(salt.root, 'daemon.log');
  const driver = ['--driver', 'salt-minion', '--root', machine.root, '--systemctl', machine.systemctl];
  const own = ['--endpoint', muster.url, '--fqdn', web, '--home', daemonHome, '--machine-id', 'machine-1'];
  const daemon = program('client', [...own, ...driver], salt, log);
  writeFileSync(join(salt.root, 'daemon.pid'), String(daemon.pid));
  const fp = await until('the fingerprint', 30_000, async () => {
    const found = /fingerprint ([0-9a-f:]+)/.exec(textOf(log))?.[1]?.replaceAll(':', '');
    return found ? { found: Fingerprint.parse(found) } : { seen: textOf(log) };
  });
  await until('it waits', 30_000, async () => {
    const status = await statusOf(api, fp);
    return status === 'new' ? { found: true } : { seen: status };
  });
  expected('no minion', machine.minion() === undefined, machine.minion());
  expected('its configuration as it was', machine.config() === machine.configFor('uyuni.acme.test'), machine.config());
  return fp;
}

const systemOf = async (api: ApiClient, fp: Fingerprint) => {
  const answer = await api(contract.getSystem, { params: { fp } });
  return answer.ok ? answer.body : undefined;
};
const statusOf = async (api: ApiClient, fp: Fingerprint) => (await systemOf(api, fp))?.status;

async function onboarded(scene: Scene, node: Node, fp: Fingerprint): Promise<void> {
  const { results } = bodyOf(await scene.api(contract.accept, { body: { systems: [fp] } }));
  expected('an accepted key', results[0]?.done === true, results);
  await works(scene, node, fp);
}

/** Waits until Muster, the configuration, the master and the minion all have the client system at a node. */
async function works({ api, machine }: Scene, { master }: Node, fp: Fingerprint): Promise<void> {
  await until(`it works for ${master.fqdn}`, moveMs, async () => {
    const system = await systemOf(api, fp);
    const isThere = system?.node?.fqdn === master.fqdn && system.node.confirmed && master.keys('minions').includes(web);
    const seen = { node: system?.node, keys: master.keys('minions'), waits: master.keys('minions_pre'), minion: machine.minion() };
    return isThere && (await master.pings(web)) ? { found: true } : { seen };
  });
  expected('our line alone changed', machine.config() === machine.configFor(master.fqdn), machine.config());
}

/** Pins the client system to a node, which moves it there; its former node lets it know by its minion. */
async function moved(scene: Scene, fp: Fingerprint, { from, to }: { readonly from: Node; readonly to: Node }): Promise<void> {
  const body = { systems: [fp], node: to.master.fqdn, soft: true };
  const { results } = bodyOf(await scene.api(contract.pinSystems, { body }));
  expected('a pinned client system', results[0]?.done === true, results);
  await works(scene, to, fp);
  expected('a knock by its minion', /made 1 client systems knock|released 1 client systems/.test(textOf(from.log)), textOf(from.log));
}

async function minionDies(scene: Scene, { master }: Node): Promise<void> {
  const pid = scene.machine.minion();
  expected('a minion', pid !== undefined, pid);
  process.kill(-pid, 'SIGKILL');
  await until('another minion', moveMs, async () => {
    const now = scene.machine.minion();
    return now !== undefined && now !== pid && (await master.pings(web))
      ? { found: now }
      : { seen: textOf(join(scene.salt.root, 'daemon.log')) };
  });
  const { died } = ClientRecord.parse(JSON.parse(readFileSync(join(scene.daemonHome, 'state.json'), 'utf8')));
  expected('its end in its status', died !== undefined, died);
}

/** An operator drains a node: its client system is told by its minion, before the agent ends. */
async function drained(scene: Scene, fp: Fingerprint, { from, to }: { readonly from: Node; readonly to: Node }): Promise<void> {
  const before = textOf(from.log).length;
  bodyOf(await scene.api(contract.leaveNode, { params: { id: from.master.fqdn }, body: { mode: 'drain' } }));
  await works(scene, to, fp);
  const said = textOf(from.log).slice(before);
  expected('a knock by its minion', /made 1 client systems knock|released 1 client systems/.test(said), said);
  await end(from.master.process, 'SIGTERM');
}

/** Kills whichever of two nodes has the client system; gives the other, where it then works. */
async function nodeDies(scene: Scene, fp: Fingerprint, nodes: readonly [Node, Node]): Promise<Node> {
  const fqdn = (await systemOf(scene.api, fp))?.node?.fqdn;
  const [lost, other] = nodes[0].master.fqdn === fqdn ? nodes : [nodes[1], nodes[0]];
  await Promise.all([end(lost.agent, 'SIGKILL'), end(lost.master.process, 'SIGKILL')]);
  await works(scene, other, fp);
  return other;
}

async function banned({ api, machine, salt }: Scene, fp: Fingerprint, { master }: Node): Promise<void> {
  const { results } = bodyOf(await api(contract.ban, { body: { systems: [fp] } }));
  expected('a ban', results[0]?.done === true, results);
  await until('its key is gone', bannedMs, async () => {
    const keys = master.keys('minions');
    return keys.includes(web) ? { seen: keys } : { found: true };
  });
  expected('no answer to its master', !(await master.pings(web)), 'an answer');
  // It would find out by its next call, since no job reaches its minion any more.
  process.kill(Number(readFileSync(join(salt.root, 'daemon.pid'), 'utf8')), 'SIGHUP');
  await until('its minion is stopped', moveMs, async () => (machine.minion() === undefined ? { found: true } : { seen: machine.minion() }));
}

/** The body of an answer; throws for a refusal. */
function bodyOf<T>(answer: { readonly ok: true; readonly body: T } | { readonly ok: false; readonly problem: unknown }): T {
  expected('an answer of Muster', answer.ok, answer);
  return answer.body;
}
