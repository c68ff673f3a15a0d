import { beforeEach, describe, expect, it } from 'vitest';
import type { Fqdn } from '../../../../lib/core/ids.ts';
import { hourMs, minuteMs, secondMs } from '../../../../lib/core/time.ts';
import type { MeroProcess } from '../../../../lib/mero/processes/process.ts';
import type { Desired } from '../../../../lib/nodes/desired/desired.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import { keyOf } from '../../../../lib/ports/table/keys.ts';
import { Agent, factsOf } from '../../../../tools/support/players.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';
import { aCluster, aProcess, processFid, processTypes, storageZone, storeCluster } from '../../../support/mero.ts';

const host = 'ssu1.acme.org' as Fqdn;
const life = { pid: 4711, born: 'k1.100' };

let world: World;
let agent: Agent;
let words: number;
let kernel: string;
let secret: string;

/** A world with a storage zone, and a host of it with these processes whose node is up. */
async function aHostWith(processes: readonly MeroProcess[], cluster = aCluster()): Promise<void> {
  world = await stepped({ beatMinMs: 10_000, sweepPeriodMs: 5_000 });
  await world.call('POST', '/api/v1/zones', { name: storageZone, kind: 'storage' });
  await storeCluster(world.table, processes, { cluster });
  const token = { nodes: '*.acme.org', uses: 100, kind: 'storage', zone: storageZone };
  secret = ((await world.call('POST', '/api/v1/node-tokens', token)).body as { secret: string }).secret;
  agent = new Agent(world, host);
  words = 0;
  kernel = 'kernel-1';
  await agent.join({ kind: 'storage', token: secret });
  await boots([]);
  await agent.say('node.ready');
  agent.beats();
  await world.step(10 * secondMs);
}

type Entry = { process: string; pid: number; born?: string; state: string };
/** Says node-up with a table until it is acknowledged, as an agent does that has started. */
async function boots(processes: readonly Entry[], { reboot = false, flushed }: { reboot?: boolean; flushed?: number } = {}): Promise<void> {
  if (reboot) kernel = `${kernel}+`;
  agent.boot += 1;
  const body = {
    id: `up-${agent.boot}`,
    boot: { id: `${host}-boot-${agent.boot}`, kernel },
    facts: factsOf(host),
    table: { hash: hashOf(processes), processes },
    ...(flushed !== undefined && { flushed }),
  };
  const up = () => agent.call('POST', `/nodes/${agent.id}/up`, body);
  await up();
  await world.step(0);
  const reply = (await up()).body as { incarnation: number };
  [agent.incarnation, agent.seq, words] = [reply.incarnation, 0, 0];
}
const hashOf = (processes: readonly Entry[]): string =>
  `h${processes.map(({ process, pid, state }) => `${process}${pid}${state}`).join()}`.slice(0, 64);

const word = (type: string, data: object) => {
  words += 1;
  return { id: `w-${agent.boot}-${words}`, type, version: 1, incarnation: agent.incarnation, seq: words, data };
};
/** Reports words of the first process in one call, and lets them be worked on. */
async function says(...said: readonly (readonly [string, object?])[]): Promise<void> {
  const events = said.map(([type, data]) => word(type, { process: processFid(1), ...life, ...data }));
  expect((await agent.call('POST', `/nodes/${agent.id}/events`, events)).status).toBe(202);
  await world.step(0);
}

const bodyOf = async <S>(noun: string, id: string): Promise<S> => (await world.table.read(keyOf({ noun, id })))?.body as S;
const process = (n = 1) => bodyOf<MeroProcess>('process', `${storageZone}/${processFid(n)}`);
const stateOf = async (n = 1) => (await process(n)).state;
const orders = async () => (await bodyOf<Desired | undefined>('desired', agent.id))?.orders ?? 0;
const published = () =>
  world.bus.published
    .filter(({ type }) => type.startsWith('process.'))
    .map(({ type, data }) => [type, (data as { reason?: string }).reason]);

describe('words about a process', () => {
  beforeEach(() => aHostWith([aProcess({ host })]));

  it('are worked on in the order in which they were said, also when they come together', async () => {
    await says(['process.starting'], ['process.started']);
    expect(await process()).toMatchObject({ state: { is: 'online' }, running: life, heard: { node: agent.id, incarnation: 1, seq: 2 } });
    expect(published()).toEqual([
      ['process.starting', undefined],
      ['process.online', undefined],
    ]);
  });

  it('are refused where they cannot be, with a warning and a reason (reference: 37)', async () => {
    await says(['process.started']);
    expect(await stateOf()).toEqual({ is: 'offline' });
    expect(
      world.logged.filter(({ level, code }) => level === 'warn' && code === 'report.applied').map(({ fields }) => fields['because']),
    ).toEqual(['it is offline: it cannot become online']);
  });

  it('are heard from the node of its host alone', async () => {
    const other = new Agent(world, 'ssu2.acme.org');
    await other.join({ kind: 'storage', token: secret });
    await other.up();
    await world.step(0);
    await other.up();
    const event = { id: 'o-1', type: 'process.starting', version: 1, incarnation: 1, seq: 1, data: { process: processFid(1) } };
    await other.call('POST', `/nodes/${other.id}/events`, [event]);
    await world.step(0);
    expect(await stateOf()).toEqual({ is: 'offline' });
  });

  it('of what there is not change nothing, and stop nothing', async () => {
    await says(['process.starting', { process: processFid(77) }], ['process.starting']);
    expect(await stateOf()).toEqual({ is: 'starting' });
  });

  it('come by the bus too', async () => {
    const report = { type: 'process.starting', version: 1, id: 'by-hand', node: agent.id, data: { process: processFid(1) } };
    await world.queue.sendFromBus('reports', JSON.stringify(report));
    await world.step(0);
    expect(await process()).toMatchObject({ state: { is: 'starting' }, word: { report: 'by-hand' } });
  });
});

describe('a process that fails', () => {
  beforeEach(() => aHostWith([aProcess({ host })]));

  it('is ordered to start again by the sweep, in one commit with the word to its agent; its node stays up', async () => {
    await says(['process.starting'], ['process.failed', { reason: 'broken' }]);
    const before = await orders();
    await world.step(10 * secondMs);
    expect(await process()).toMatchObject({ state: { is: 'failed', reason: 'broken' }, start: 1, attempts: 1 });
    expect(await orders()).toBe(before + 1);
    expect((await bodyOf<Node>('node', agent.id)).status).toBe('up');
  });

  it('has failed for good after its attempts, and the row rests', async () => {
    for (let n = 0; n <= 5; n++) {
      await says(['process.starting'], ['process.failed', { reason: 'broken' }]);
      await world.step(10 * secondMs);
    }
    await world.step(hourMs);
    expect(await process()).toMatchObject({ state: { is: 'failed' }, start: 5, attempts: 5 });
    const row = await world.table.read(keyOf({ noun: 'process', id: `${storageZone}/${processFid(1)}` }));
    expect(row).not.toHaveProperty('wakeAt');
    const failed = world.bus.published
      .filter(({ type }) => type === 'process.failed')
      .map(({ data }) => data as { attempts: number; retry: boolean });
    expect(failed.map(({ attempts, retry }) => [attempts, retry])).toEqual([0, 1, 2, 3, 4, 5].map((n) => [n, n < 5]));
  });

  it('has failed when it is not ready within its time', async () => {
    await says(['process.starting']);
    await world.step(3 * minuteMs + 10 * secondMs);
    expect(published()).toContainEqual(['process.failed', 'start timeout']);
  });
});

describe('a host whose node is lost and back', () => {
  beforeEach(async () => {
    await aHostWith([aProcess({ host }), aProcess({ n: 2, host }), aProcess({ n: 3, host, type: processTypes.app })]);
    await says(['process.starting'], ['process.started']);
  });

  it('has what ran on it started again after a reboot, as far as it is to run (reference: 15 to 20, 36)', async () => {
    const before = await orders();
    await boots([], { reboot: true });
    expect(await process()).toMatchObject({ state: { is: 'failed', reason: 'node failure' }, start: 1 });
    expect(await stateOf(2)).toEqual({ is: 'offline' });
    expect(await orders()).toBe(before + 1);
  });

  it('keeps what runs on over a restart of its agent', async () => {
    const rev = (await world.table.read(keyOf({ noun: 'process', id: `${storageZone}/${processFid(1)}` })))!.rev;
    await boots([{ process: processFid(1), ...life, state: 'online' }]);
    const row = (await world.table.read(keyOf({ noun: 'process', id: `${storageZone}/${processFid(1)}` })))!;
    expect([row.rev, (row.body as MeroProcess).state]).toEqual([rev, { is: 'online' }]);
  });

  it('that is given up has lost them, and they are started again when it is admitted again', async () => {
    agent.fallSilent();
    await world.call('POST', `/api/v1/nodes/${agent.id}/drop`, {});
    await world.step(minuteMs);
    expect((await bodyOf<Node>('node', agent.id)).status).toBe('dropped');
    expect(await stateOf()).toEqual({ is: 'failed', reason: 'node lost' });
    expect((await process(3)).state).toEqual({ is: 'offline' });
    const row = await world.table.read(keyOf({ noun: 'node', id: agent.id }));
    expect(row).not.toHaveProperty('wakeAt');

    await world.call('POST', '/api/v1/node-pool/admit', { hosts: [host] });
    await boots([], { flushed: 1 });
    expect(await process()).toMatchObject({ state: { is: 'failed', reason: 'node lost' }, start: 1 });
  });
});

describe('the table of what runs', () => {
  beforeEach(() => aHostWith([aProcess({ host }), aProcess({ n: 2, host })]));
  const beat = async (tableHash: string) => ((await agent.beat({ tableHash })).body as { resync: boolean }).resync;

  it('is asked for when a heartbeat says twice in a row that it is another than Muster has, and then is known', async () => {
    const online = [{ process: processFid(1), ...life, state: 'online' }];
    const asked: boolean[] = [];
    for (const hash of [hashOf([]), hashOf(online), hashOf(online)]) {
      asked.push(await beat(hash));
      await world.step(secondMs);
    }
    expect(asked).toEqual([false, false, true]);
    await agent.call('POST', `/nodes/${agent.id}/events`, [word('node.table', { hash: hashOf(online), processes: online })]);
    await world.step(0);
    expect(await process()).toMatchObject({ state: { is: 'online' }, running: life });
    expect([await beat(hashOf(online)), await beat(hashOf(online))]).toEqual([false, false]);
  });

  it('is asked for again where it lists another process than a report that has overtaken it', async () => {
    // Another machine with the same folder and boot has counted on: its reports are newer by their numbers.
    words = 4;
    await says(['process.starting', { pid: 9 }], ['process.started', { pid: 9 }]);
    words = 0;
    const online = [{ process: processFid(1), ...life, state: 'online' }];
    const tables: number[] = [];
    for (let n = 0; n < 24; n++) {
      if (await beat(hashOf(online))) {
        const table = word('node.table', { hash: hashOf(online), processes: online });
        await agent.call('POST', `/nodes/${agent.id}/events`, [table]);
        tables.push(table.seq);
      }
      await world.step(secondMs);
    }
    expect(tables).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(await process()).toMatchObject({ state: { is: 'online' }, running: life });
  });

  it('is asked for when its processes were loaded since it was said', async () => {
    await beat(hashOf([]));
    const size = { nodes: 1, processes: 2, services: 2, devices: 0 };
    const cluster = aCluster({ loaded: { load: 'l2', identity: 'i', at: world.now(), size } });
    await storeCluster(world.table, [aProcess({ host, load: 'l2', state: { is: 'unknown' } })], { cluster });
    expect(await beat(hashOf([]))).toBe(true);
    await agent.call('POST', `/nodes/${agent.id}/events`, [word('node.table', { hash: hashOf([]), processes: [] })]);
    await world.step(0);
    expect(await stateOf()).toEqual({ is: 'offline' });
    expect(await beat(hashOf([]))).toBe(false);
  });

  it('of a node that was given up changes nothing, as when a queue hands it over again later', async () => {
    await world.call('POST', `/api/v1/nodes/${agent.id}/drop`, {});
    await world.step(minuteMs);
    const late = {
      ...word('node.table', { hash: 'late', processes: [{ process: processFid(1), ...life, state: 'online' }] }),
      node: agent.id,
    };
    await world.queue.send('reports', JSON.stringify({ ...late, receivedAt: world.now(), intervalMs: 10_000 }));
    await world.step(secondMs);
    expect(await stateOf()).toEqual({ is: 'offline' });
  });

  /** A queue hands over a node-up of that boot, received at that moment, whose table shows nothing. */
  const handsOver = async (boot: number, receivedAt: number): Promise<void> => {
    const data = { boot: { id: `${host}-boot-${boot}`, kernel }, facts: factsOf(host), table: { hash: 'old', processes: [] } };
    const up = { type: 'node.up', version: 1, id: `up-${boot}-again`, node: agent.id, receivedAt, intervalMs: 10_000, data };
    await world.queue.send('reports', JSON.stringify(up));
    await world.step(secondMs);
  };
  const receivedAt = async () => (await bodyOf<Node>('node', agent.id)).boot!.receivedAt;

  it('of a node-up that is handed over again starts nothing that is to run since, though it had changed no row', async () => {
    await aHostWith([aProcess({ host })], aCluster({ level: 0, goals: 7 }));
    expect(await process()).not.toHaveProperty('heard');
    await storeCluster(world.table, [aProcess({ host })]);
    await handsOver(agent.boot, await receivedAt());
    expect(await process()).toMatchObject({ state: { is: 'offline' }, start: 0 });
  });

  it('of a node-up from before its boot was acknowledged anew is of an incarnation that is over', async () => {
    await says(['process.starting'], ['process.started']);
    const online = [{ process: processFid(1), ...life, state: 'online' }];
    await boots(online);
    const [before, earlier] = [agent.boot, await receivedAt()];
    await world.step(10 * secondMs);
    agent.fallSilent();
    await boots(online);
    await world.step(10 * secondMs);
    const data = { id: 'turn', boot: { id: `${host}-boot-${before}`, kernel }, facts: factsOf(host) };
    await agent.call('POST', `/nodes/${agent.id}/up`, data);
    await world.step(secondMs);
    expect(await bodyOf<Node>('node', agent.id)).toMatchObject({ incarnation: 4, boot: { id: data.boot.id } });
    await handsOver(before, earlier);
    expect(await process()).toMatchObject({ state: { is: 'online' }, start: 0 });
  });

  it('of a node that was only cut off is taken in once more as it is heard again', async () => {
    agent.fallSilent();
    await world.step(2 * minuteMs);
    expect((await bodyOf<Node>('node', agent.id)).status).toBe('suspect');
    await handsOver(agent.boot, world.now());
    expect(await process()).toMatchObject({ state: { is: 'offline' }, start: 1 });
  });

  it('that is older than one that was taken in changes nothing, also what no word was about', async () => {
    const online = [{ process: processFid(1), ...life, state: 'online' }];
    const first = word('node.table', { hash: hashOf(online), processes: online });
    await agent.call('POST', `/nodes/${agent.id}/events`, [word('node.table', { hash: hashOf([]), processes: [] })]);
    await world.step(0);
    await agent.call('POST', `/nodes/${agent.id}/events`, [first]);
    await world.step(0);
    expect(await stateOf()).toEqual({ is: 'offline' });
  });

  it('of a host with many processes is taken in by steps that a commit can hold', async () => {
    const many = Array.from({ length: 150 }, (_, n) => aProcess({ n: n + 1, host }));
    await aHostWith(many);
    const processes = many.map(({ fid }, n) => ({ process: fid, pid: n + 1, state: 'online' }));
    await agent.call('POST', `/nodes/${agent.id}/events`, [word('node.table', { hash: 'all', processes })]);
    await world.step(0);
    const states = await Promise.all(many.map((_, n) => stateOf(n + 1)));
    expect(new Set(states.map(({ is }) => is))).toEqual(new Set(['online']));
    expect((await bodyOf<Node>('node', agent.id)).table).toEqual({ hash: 'all', taken: 1 });
  });
});

describe('what a storage node is told', () => {
  const halon = aProcess({ n: 1, host, type: processTypes.halon, endpoint: '10.0.0.1@tcp:12345:34:101' });
  const confd = aProcess({ n: 2, host, type: processTypes.confd, endpoint: '10.0.0.1@tcp:12345:44:101' });
  const ios = aProcess({ n: 3, host, endpoint: '10.0.0.1@tcp:12345:41:401' });
  const other = aProcess({ n: 4, host: 'ssu2.acme.org' as Fqdn });
  beforeEach(() => aHostWith([halon, confd, ios, other], aCluster({ level: 0, goals: 7 })));

  it('are its own processes, by the level of the cluster, under a revision that grows with it', async () => {
    const { status, body, headers } = await agent.desired();
    const { processes } = body as { processes: { process: string; goal: string; environment: { name: string; value: string }[] }[] };
    expect(status).toBe(200);
    expect(processes.map(({ process, goal }) => [process, goal])).toEqual([
      [processFid(2), 'run'],
      [processFid(3), 'stop'],
    ]);
    expect(processes[0]!.environment).toEqual([
      { name: 'MERO_M0D_EP', value: '10.0.0.1@tcp:12345:44:101' },
      { name: 'MERO_HA_EP', value: '10.0.0.1@tcp:12345:34:101' },
      { name: 'MERO_PROCESS_FID', value: processFid(2) },
      { name: 'MERO_CONF_XC', value: '/var/mero/confd/conf.xc' },
    ]);
    const revision = Number((headers['etag'] ?? '').replaceAll('"', ''));
    expect((await agent.beat()).body).toMatchObject({ desired: revision });
    expect((await agent.desired({ 'if-none-match': `"${revision}"` })).status).toBe(304);
    const row = (await world.table.read(keyOf({ noun: 'cluster', id: storageZone })))!;
    await world.table.commit([{ put: { ...row, body: aCluster({ level: 1, goals: 8 }) }, readRev: row.rev }]);
    expect((await agent.beat()).body).toMatchObject({ desired: revision + 1 });
    expect((await agent.desired({ 'if-none-match': `"${revision}"` })).status).toBe(200);
  });

  it('is the configuration of a process of its own, and of no other', async () => {
    const ask = async (n: number) => {
      const { status, body } = await agent.call('GET', `/nodes/${agent.id}/processes/${processFid(n)}/configuration`);
      return [status, (body as { type?: string; file?: string }).type ?? (body as { file?: string }).file];
    };
    expect(await ask(3)).toEqual([200, `/etc/sysconfig/m0d-${processFid(3)}`]);
    expect((await ask(4))[0]).toBe(403);
    expect((await ask(99))[0]).toBe(404);
  });
});
