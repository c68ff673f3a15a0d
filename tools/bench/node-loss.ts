import { ownerOf } from '../../lib/clients/rows/status.ts';
import { contract } from '../../lib/contract.ts';
import { fingerprintOf } from '../../lib/identity/fingerprint.ts';
import { nobody } from '../../lib/zones/map/rows/slots.ts';
import { forgetZone, zoneOf } from '../../lib/zones/reads/zones.ts';
import type { LoadedZone } from '../../lib/zones/rows/loaded.ts';
import { defaultZone } from '../../lib/zones/zone.ts';
import { someFacts } from '../support/actors.ts';
import { keyPairOf } from '../support/signing.ts';
import type { Costs } from './ledger.ts';
import type { Figure } from './report/figure.ts';
import { program } from './report/program.ts';
import { aSteppedHost, type SteppedHost } from './sites/stepped-host.ts';

const heartbeatMs = 10_000;

type BenchNode = {
  readonly id: string;
  readonly fqdn: string;
  readonly up: (boot: string) => Promise<void>;
  readonly sendHeartbeat: () => Promise<void>;
};
type BenchClient = { readonly fp: string; readonly token: string };

/** A node that has joined, come up and is ready. */
async function aNode(host: SteppedHost, n: number): Promise<BenchNode> {
  const fqdn = `node${n}.bench.test`;
  const by = keyPairOf(`node ${n}`);
  const joined = await host.call(contract.join, { body: { publicKey: by.publicKey, fqdn, kind: 'salt' }, by });
  const { node: id } = JSON.parse(joined.body!) as { node: string };
  let [incarnation, seq] = [0, 0];
  const reportId = () => host.shell.newId();
  const up = async (boot: string): Promise<void> => {
    const call = { by, params: { id }, body: { id: reportId(), boot: { id: boot, kernel: boot }, facts: someFacts(fqdn) } };
    await host.call(contract.up, call);
    await host.pass(1);
    const acknowledged = JSON.parse((await host.call(contract.up, call)).body!) as { incarnation: number };
    [incarnation, seq] = [acknowledged.incarnation, 0];
    await host.call(contract.events, {
      by,
      params: { id },
      body: [{ id: reportId(), type: 'node.ready', version: 1, incarnation, data: {} }],
    });
    await host.pass(1);
  };
  const sendHeartbeat = async (): Promise<void> => {
    seq += 1;
    const load = { load1: 0.1, load5: 0.1, load15: 0.1, memoryUsedMib: 100, memoryMib: 4096, systems: 0 };
    await host.call(contract.heartbeat, { by, params: { id }, body: { id: reportId(), incarnation, seq, load } });
  };
  await up(`${id} boot 1`);
  return { id, fqdn, up, sendHeartbeat };
}

/**
 * So many client systems on the node with this index: each knocks, is accepted, assigned and confirmed by its own
 * calls.
 */
async function clientsOf(host: SteppedHost, index: number, count: number): Promise<BenchClient[]> {
  const zone = await zoneNow(host);
  const clients: BenchClient[] = [];
  for (let n = 0; clients.length < count; n++) {
    const pair = keyPairOf(`client ${n}`);
    const { publicKey } = pair;
    const fp = fingerprintOf(publicKey);
    if (ownerOf(zone, { fp, pin: nobody, soft: false }) !== index) continue;
    const body = { publicKey, fqdn: `web${n}.bench.test`, machineId: fp.slice(0, 32) };
    const knock = (report: object) => host.call(contract.knock, { body: report, by: pair });
    await knock(body);
    await host.call(contract.accept, { body: { systems: [fp] } });
    const token = tokenOf(await knock(body));
    const assigned = await host.call(contract.orphan, { query: `fp=${fp}`, headers: { 'muster-token': token } });
    clients.push({ fp, token: tokenOf(await knock({ ...body, confirmed: assigned.body })) });
  }
  return clients;
}

const tokenOf = ({ headers }: { headers?: Readonly<Record<string, string>> }): string => headers!['muster-token']!;

/** The zone as a reader loads it now. */
async function zoneNow({ shell }: SteppedHost): Promise<LoadedZone> {
  forgetZone(shell, defaultZone);
  return (await zoneOf(shell, defaultZone))!;
}

/** The answer to every client system, asked one by one. */
async function statuses(host: SteppedHost, clients: readonly BenchClient[]): Promise<string[]> {
  const all: string[] = [];
  for (const { fp, token } of clients)
    all.push((await host.call(contract.systemStatus, { query: `fp=${fp}`, headers: { 'muster-token': token } })).body!);
  return all;
}

/** Lets time pass while these nodes send heartbeats. */
async function passBeating(host: SteppedHost, ms: number, nodes: readonly BenchNode[]): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += heartbeatMs) {
    for (const node of nodes) await node.sendHeartbeat();
    await host.pass(heartbeatMs);
  }
}

/**
 * Client systems whose status differed at any look, and slots that moved, while the node reboots and is back within its
 * lease.
 */
async function reboot(
  host: SteppedHost,
  clients: readonly BenchClient[],
  node: BenchNode,
  other: BenchNode,
): Promise<{ clients: number; slots: number }> {
  const before = { statuses: await statuses(host, clients), map: (await zoneNow(host)).map.owner.slice() };
  await passBeating(host, 2 * heartbeatMs, [other]);
  const away = await statuses(host, clients);
  await node.up(`${node.id} boot 2`);
  const back = await statuses(host, clients);
  await passBeating(host, 6 * heartbeatMs, [node, other]);
  const after = await statuses(host, clients);
  const { owner } = (await zoneNow(host)).map;
  return {
    clients: clients.filter((_, n) => [away, back, after].some((looked) => looked[n] !== before.statuses[n])).length,
    slots: before.map.filter((was, slot) => owner[slot] !== was).length,
  };
}

/** The cost of losing a node: from its last heartbeat until it is down, its slots have moved and the history has it. */
async function lose(host: SteppedHost, clients: readonly BenchClient[], node: BenchNode, other: BenchNode): Promise<Costs> {
  host.ledger.settle();
  await passBeating(host, 6 * heartbeatMs, [other]);
  const cost = host.ledger.settle();
  const { status } = JSON.parse((await host.call(contract.getNode, { params: { id: node.id } })).body!) as { status: string };
  const orphans = (await statuses(host, clients)).filter((byte) => byte === '2').length;
  if (status !== 'down' || orphans !== clients.length) throw new Error(`${status}; ${orphans} of ${clients.length} clients are orphans`);
  return cost;
}

async function measure(count: number): Promise<Figure[]> {
  const host = await aSteppedHost();
  // All client systems call from one address.
  await host.call(contract.editSettings, { body: { newKeysPerSource: 0 } });
  const [node, other] = [await aNode(host, 1), await aNode(host, 2)];
  const clients = await clientsOf(host, 0, count);
  await passBeating(host, 12 * heartbeatMs, [node, other]);
  const moved = await reboot(host, clients, node, other);
  const { state, history, mapPages } = await lose(host, clients, node, other);
  const of = `with ${count.toLocaleString('en-US')} clients`;
  const note = `beside: history ${history.rows} rows, ${history.units} units; map pages outside the commit ${mapPages.rows} rows, ${mapPages.units} units`;
  return [
    { what: `loss of a node ${of}: rows of state`, measured: state.rows, unit: 'rows', target: { atMost: 6 }, note },
    { what: `loss of a node ${of}: write units of state`, measured: state.units, unit: 'units', target: { atMost: 24 }, note },
    { what: `reboot inside the lease ${of}: clients that change status`, measured: moved.clients, unit: 'clients', target: { atMost: 0 } },
    { what: `reboot inside the lease ${of}: slots that move`, measured: moved.slots, unit: 'slots', target: { atMost: 0 } },
  ];
}

await program(async () => [...(await measure(2_000)), ...(await measure(20_000))]);
