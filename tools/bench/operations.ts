import { newClusterId } from '../../lib/clients/cluster-ids/changes.ts';
import type { Fqdn } from '../../lib/core/ids.ts';
import { minuteMs, plusMs, secondMs } from '../../lib/core/time.ts';
import { fingerprintOf, nodeIdOf } from '../../lib/identity/fingerprint.ts';
import type { ShellSettings } from '../../lib/runtime/shell.ts';
import type { TestShell } from '../support/a-shell.ts';
import { aClient, aNode, fpOf } from '../support/builders.ts';
import { keyPairOf } from '../support/signing.ts';
import { aCountedNode, aCountedSite, bootOf, type CountedNode, type CountedSite, type UsedBy } from './sites/counted-site.ts';
import { measureSizes, type Sizes, storeDirectly, storedBytes } from './sizes.ts';
import { between, type Usage } from './usage.ts';

/** The usage of operations, each by the functions that take part in it. */
export type Operations = Readonly<Record<string, UsedBy>>;

/** The parts of a month: operations, and usage that grows with client systems and slots. */
export type Measured = { readonly operations: Operations; readonly sizes: Sizes };

type Site = CountedSite & { readonly nodes: readonly [CountedNode, CountedNode] };

/** Plays every operation where nothing else happens, and gives its usage. The same at every run. */
export async function measure(): Promise<Measured> {
  const site = await aSite();
  await beating(site, 2 * minuteMs);
  await site.publish();
  // One commit reserves the cluster ids of 64 acceptances: the one that is measured finds some at hand.
  await newClusterId(site.shell);
  const withoutClients = storedBytes(site.shell.table.rows.values());
  const client = await onboard(site);
  const bytesPerClient = storedBytes(site.shell.table.rows.values()) - withoutClients;
  const operations = {
    ...client.operations,
    ...(await asked(site, client)),
    silent: await silent(aCountedSite()),
    storeIndex: await stored(aCountedSite()),
    ...(await rhythm(site)),
    ...(await decided()),
    ...(await sweeps()),
    ...(await administered(site)),
    ...(await lifeOf(site)),
  };
  const { list, perThousand: listPerThousand } = await lists(site);
  const sizes = { ...(await measureSizes()), bytesPerClient, bytesPerNode: withoutClients / 2, listPerThousand };
  return { operations: { ...operations, list }, sizes };
}

/** A site with two nodes and nothing else. */
async function aSite(given: Partial<ShellSettings> = {}): Promise<Site> {
  const empty = aCountedSite(undefined, given);
  return { ...empty, nodes: [await aCountedNode(empty, 'node1.emea.acme.org'), await aCountedNode(empty, 'node2.emea.acme.org')] };
}

/** Lets time pass in periods of the sweep while nodes send heartbeats, every second period. */
async function beating(site: Site, ms: number, nodes: readonly CountedNode[] = site.nodes): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += 5 * secondMs) {
    site.shell.step(5 * secondMs);
    if (passedMs % (10 * secondMs) === 0) for (const node of nodes) await node.sendHeartbeat();
    await site.consume('heartbeats');
    await site.sweep();
  }
}

/** A client system that is confirmed on its node, and the newest token it was given. */
type Onboarded = { readonly fp: string; readonly token: string; readonly operations: Operations };

/** A client system from its first knock until it is confirmed on its node, with the usage of each step. */
async function onboard({ used, shell, call, publish }: Site): Promise<Onboarded> {
  const by = keyPairOf('a client system');
  const fp = fingerprintOf(by.publicKey);
  const facts = { os: 'sles-15.6', cpus: '4', memoryMib: '8192', serial: 'x'.repeat(24) };
  const report = { publicKey: by.publicKey, fqdn: 'web1.emea.acme.org', machineId: fp.slice(0, 32), facts, boot: 'a-boot-of-it' };
  let [token, body] = ['', ''];
  const step = (made: () => ReturnType<CountedSite['call']>) =>
    used(async () => {
      const reply = await made();
      token = reply.headers?.['muster-token'] ?? token;
      body = reply.body ?? '';
      await publish();
    });
  const knock = (more: object = {}) => step(() => call('POST', '/system/knock', { body: { ...report, ...more }, by }));
  const restarted = () => {
    shell.step(secondMs);
    return knock({ boot: 'another-boot' });
  };
  const operations = {
    firstKnock: await knock(),
    accept: await step(() => call('POST', '/api/v1/systems/accept', { body: { systems: [fp] } })),
    knockAccepted: await knock(),
    place: await step(() => call('GET', `/system/orphan?fp=${fp}`, { headers: { 'muster-token': token } })),
    confirm: await knock({ confirmed: body }),
    restart: await restarted(),
  };
  return { fp, token, operations };
}

/**
 * The usage of the calls that a client system on its node makes all day, in an environment that has its zone at hand;
 * and that of loading the zone.
 */
async function asked({ used, shell, call, publish }: Site, { fp, token }: Onboarded): Promise<Operations> {
  const status = (headers: Readonly<Record<string, string>> = {}) => call('GET', `/system/status?fp=${fp}`, { headers });
  const withToken = { 'muster-token': token };
  await status(withToken);
  const statusByToken = await used(() => status(withToken));
  const statusWithoutToken = await used(() => status());
  shell.step(6 * secondMs);
  const refresh = await used(() => status(withToken));
  shell.step(61 * minuteMs);
  await call('GET', '/api/v1/status');
  const renewal = await used(async () => {
    await status(withToken);
    await publish();
  });
  return { statusByToken, statusWithoutToken, refresh, renewal };
}

/** About as many client systems of a million change without an event in the time for which they are gathered. */
const silentCount = 12;

/** The usage of writing such client systems into the journal: one run for all of them. */
async function silent({ used, shell, publishSilent }: CountedSite): Promise<UsedBy> {
  const store = (n: number): Promise<void> => storeDirectly(shell, { noun: 'client', id: fpOf(n) }, aClient({ fp: fpOf(n) }));
  await store(silentCount);
  await publishSilent();
  for (let n = 0; n < silentCount; n++) await store(n);
  return used(publishSilent);
}

/** The usage of storing the index of searches after one client system has changed. */
async function stored({ used, shell, publishSilent, storeIndex }: CountedSite): Promise<UsedBy> {
  const change = async (n: number): Promise<void> => {
    shell.step(10 * minuteMs);
    await storeDirectly(shell, { noun: 'client', id: fpOf(n) }, aClient({ fp: fpOf(n) }));
    await publishSilent();
  };
  await change(0);
  await storeIndex();
  await change(1);
  return used(storeIndex);
}

/** The same heartbeats, where their endpoint decides on them. */
async function decided(): Promise<Operations> {
  const { heartbeat, heartbeatWithDigest } = await rhythm(await aSite({ hearsAtOnce: true }));
  return { heartbeatDirect: heartbeat, heartbeatWithDigestDirect: heartbeatWithDigest };
}

/** The usage at rest: heartbeats with and without a digest. */
async function rhythm(site: Site): Promise<Record<'heartbeat' | 'heartbeatWithDigest', UsedBy>> {
  const { used, shell, consume, nodes } = site;
  await beating(site, 20 * minuteMs);
  shell.step(secondMs);
  // The first heartbeat of a moment reads zone and settings anew, so that the others do not.
  await nodes[1].sendHeartbeat();
  await consume('heartbeats');
  const sendHeartbeat = (more?: object) =>
    used(async () => {
      await nodes[0].sendHeartbeat(more);
      await consume('heartbeats');
    });
  const heartbeat = await sendHeartbeat();
  await nodes[0].fetchList();
  await sendHeartbeat({ digest: { listVersion: 1, bits: 'AQ==' } });
  shell.step(1);
  // This is not the first digest: it is compared with an earlier one, and shows a change.
  const heartbeatWithDigest = await sendHeartbeat({ digest: { listVersion: 1, bits: 'Ag==' } });
  return { heartbeat, heartbeatWithDigest };
}

/**
 * The usage of sweeps that find nothing due; the share of a node that stays due, and that of a node that is moved to
 * its next due time.
 */
async function sweeps(): Promise<Operations> {
  const sweepOf = async (site: CountedSite): Promise<Usage> => {
    site.shell.step(5 * secondMs);
    return (await site.used(site.sweep))['sweep']!;
  };
  // Every other sweep reads zone and settings anew; the one that does not is counted.
  const of = async (site: CountedSite): Promise<Usage> => {
    const both = [await sweepOf(site), await sweepOf(site)];
    return both.toSorted((a, b) => a.reads - b.reads)[0]!;
  };
  const site = aCountedSite();
  await of(site);
  const idle = await of(site);
  await dueNodes(site.shell);
  const glances = await of(site);
  if (glances.writes !== idle.writes) throw new Error('nodes that stay due are written');
  const moving = aCountedSite(undefined, { staysDueMs: 1 });
  await of(moving);
  await dueNodes(moving.shell);
  const ticks = await sweepOf(moving);
  return { sweep: { sweep: idle }, glance: { sweep: shareOf(glances, idle, dueCount) }, tick: { sweep: shareOf(ticks, idle, dueCount) } };
}

/** About as many nodes as stay due, at the most. */
const dueCount = 500;

/** Nodes that are up, with valid leases, and that are due all the same. */
async function dueNodes(shell: TestShell): Promise<void> {
  const at = shell.now();
  for (let n = 0; n < dueCount; n++) {
    const id = nodeIdOf(keyPairOf(`node${n}`).publicKey);
    const fqdn = `node${n}.emea.acme.org` as Fqdn;
    const node = aNode({ id, fqdn, heardAt: at, leaseUntil: plusMs(at, 38 * secondMs) });
    await storeDirectly(shell, { noun: 'node', id }, node, at);
  }
}

/** The share of each of so many due nodes in a sweep. */
const shareOf = (busy: Usage, idle: Usage, nodes: number): Usage =>
  Object.fromEntries(Object.entries(between(idle, busy)).map(([name, n]) => [name, Math.max(0, n) / nodes])) as Usage;

/** The usage of calls of an operator or a program: a change, with its audit, and a read. */
async function administered({ used, call, publish, shell }: Site): Promise<Operations> {
  shell.step(10 * secondMs);
  const change = await used(async () => {
    await call('PATCH', '/api/v1/settings', { body: { newKeysPerSource: 999 } });
    await publish();
  });
  return { change, look: await used(() => call('GET', '/api/v1/status')) };
}

/** The usage of the life of a node: a boot within its lease, and its loss, beyond the rhythm of the other node. */
async function lifeOf(site: Site): Promise<Operations> {
  const { used, consume, publish, nodes } = site;
  await beating(site, minuteMs);
  await publish();
  const boot = await used(async () => {
    await bootOf(site, nodes[0], 'second');
    await consume('reports');
    await publish();
  });
  const sweepsOf = async (sending: readonly CountedNode[]): Promise<UsedBy> => {
    const { sweep: swept, publish: out } = await used(async () => {
      await beating(site, minuteMs, sending);
      await publish();
    });
    return { sweep: swept!, ...(out && { publish: out }) };
  };
  const loud = await sweepsOf([nodes[1]]);
  const quiet = await sweepsOf([nodes[1]]);
  return { boot, loss: { ...loud, sweep: between(quiet['sweep']!, loud['sweep']!) } };
}

/** The usage of a list of client systems that a node has already, and of a thousand more on it when it has changed. */
async function lists({ used, call, shell, nodes: [, node] }: Site): Promise<{ list: UsedBy; perThousand: Sizes['listPerThousand'] }> {
  const read = () => {
    shell.step(minuteMs);
    return used(() => call('GET', `/nodes/${node.id}/systems`, { by: node.keys }));
  };
  await read();
  const list = await read();
  for (let n = 0; n < 2_000; n++) await storeDirectly(shell, { noun: 'client', id: fpOf(n) }, aClient({ fp: fpOf(n) }));
  const more = between(list['node-door']!, (await read())['node-door']!);
  // The other node is down: all two thousand are on the list.
  return { list, perThousand: { reads: more.reads / 2, writes: more.writes / 2 } };
}
