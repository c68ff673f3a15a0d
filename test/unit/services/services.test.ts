import { beforeEach, describe, expect, it } from 'vitest';
import { minuteMs, secondMs } from '../../../lib/core/time.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import type { ServiceTypes } from '../../../lib/services/rows/service-type.ts';
import { instanceOf, type NameHolder, type ResourceHolders, type Service } from '../../../lib/services/service.ts';
import { aRow } from '../../../tools/support/a-row.ts';
import { Agent } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';
import { Serving } from '../../support/serving.ts';
import { aType, schemas } from './some.ts';

const fqdn = 'salt1.acme.org';

let world: World;
let agent: Agent;
let serving: Serving;

beforeEach(async () => {
  world = await stepped({ beatMinMs: 10_000, sweepPeriodMs: 5_000 });
  agent = await new Agent(world, fqdn).start();
  // Where one of two falls silent it is the one that is down.
  await new Agent(world, 'salt3.acme.org').start();
  await new Agent(world, 'salt4.acme.org').start();
  serving = new Serving(agent);
  agent.processes = serving;
  const types: ServiceTypes = {
    zone: 'default' as ServiceTypes['zone'],
    schemas: [...schemas],
    types: [aType('web'), aType('proxy', 'web')],
  };
  await world.table.commit([{ put: aRow({ ...keyOf({ noun: 'service-types', id: 'default' }), body: types }), readRev: 0 }]);
});

type Ordered = { type?: string; node?: string; configuration?: object; message?: string; data?: object };
const order = (what: string, { type = 'web', node = fqdn, ...body }: Ordered = {}) =>
  world.call('POST', `/api/v1/zones/default/services/${type}/${what}`, { node, ...body });
const problemOf = ({ status, body }: { status: number; body: unknown }) => {
  const { type, detail } = body as { type: string; detail: string };
  return [status, type.replace('urn:muster:problem:', ''), detail];
};
const bodyOf = async <S>(noun: string, id: string): Promise<S | undefined> => {
  const row = await world.table.read(keyOf({ noun, id }));
  return row?.gone ? undefined : (row?.body as S);
};
const service = (type = 'web') => bodyOf<Service>('service', `${agent.id}/${type}`);
const stateOf = async (type = 'web') => (await service(type))?.state.is;
const holder = () => bodyOf<NameHolder>('service-name', `${agent.id}/web`);
const published = () =>
  world.bus.published
    .filter(({ type }) => type.startsWith('service.'))
    .map(({ type, data }) => {
      const { instance, reason } = data as { instance: string; reason?: string };
      return [type.slice('service.'.length), Number(instance.split('.')[1]), ...(reason === undefined ? [] : [reason])];
    });
/** Lets what was said be worked on, and the agent do what it is told. */
async function obeys(fails: readonly string[] = []): Promise<void> {
  await world.step(0);
  await serving.obey({ fails });
  await world.step(0);
}

/** Its agent has started again, under that kernel, and is acknowledged. */
async function boots(kernel: number): Promise<void> {
  agent.boot += 1;
  agent.kernel = kernel;
  await agent.up();
  await world.step(10 * secondMs);
  expect((await agent.up()).body).toMatchObject({ acknowledged: true });
  agent.beats();
}

describe('a service that is started', () => {
  it('runs on its node, with its name, and is online once its agent says so', async () => {
    expect(await serving.told()).toBeUndefined();
    const reply = await order('start', { configuration: { port: 80 } });
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({ answer: 'started', service: { type: 'web', state: 'starting' }, configuration: { port: 80 } });
    expect(await serving.told()).toMatchObject([{ service: 'web', name: 'web', goal: 'run', configuration: '{"port":80}', asks: [] }]);
    expect(await holder()).toEqual({ type: 'web' });
    await obeys();
    expect(await service()).toMatchObject({ state: { is: 'online' }, running: { pid: 100 }, start: 1 });
    expect(published()).toEqual([
      ['starting', 1],
      ['online', 1],
    ]);
  });

  it('is started once: a second order is answered with the configuration that it runs with', async () => {
    await order('start', { configuration: { port: 80 } });
    const again = await order('start', { configuration: { port: 81 } });
    expect([again.status, again.body]).toMatchObject([200, { answer: 'attempting', configuration: { port: 80 } }]);
    await obeys();
    const third = await order('start', { configuration: { port: 81 } });
    expect([third.status, third.body]).toMatchObject([200, { answer: 'already running', configuration: { port: 80 } }]);
    expect(published().length).toBe(2);
  });

  it('is refused where another type has its name there, which is named, and the other is not', async () => {
    await order('start', { type: 'proxy', configuration: { port: 80 } });
    expect(problemOf(await order('start', { configuration: { port: 80 } }))).toEqual([
      409,
      'name-taken',
      'salt1.acme.org has a service web already: proxy holds the name',
    ]);
    expect(await service()).toBeUndefined();
    const other = await new Agent(world, 'salt2.acme.org').start();
    expect((await order('start', { node: other.fqdn, configuration: { port: 80 } })).status).toBe(201);
  });

  it('is refused with every fault of its configuration, an unknown type, node, or what Muster starts itself', async () => {
    const faulty = await order('start', { configuration: { port: 'x', more: 1 } });
    expect(problemOf(faulty).slice(0, 2)).toEqual([422, 'configuration-invalid']);
    const { errors } = faulty.body as { errors: { pointer: string }[] };
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual(['/configuration/more', '/configuration/port']);
    expect(problemOf(await order('start', { type: 'nothing' })).slice(0, 2)).toEqual([404, 'unknown-service-type']);
    expect(problemOf(await order('start', { node: 'salt9.acme.org' })).slice(0, 2)).toEqual([404, 'unknown-node']);
    expect(problemOf(await order('start', { type: 'recovery-supervisor' }))).toEqual([
      409,
      'refused',
      'recovery-supervisor is started by Muster itself',
    ]);
  });

  it('is kept while its node is down, and begins when that is back', async () => {
    agent.fallSilent();
    await world.step(2 * minuteMs);
    const reply = await order('start', { configuration: { port: 80 } });
    expect(reply.body).toMatchObject({ answer: 'started', because: expect.stringContaining('its node is down') as string });
    await world.step(10 * minuteMs);
    expect(await stateOf()).toBe('starting');
    serving.boots({ kernel: true });
    await boots(2);
    await obeys();
    expect(await service()).toMatchObject({ state: { is: 'online' }, start: 2 });
  });
});

describe('a service on a host whose folder another machine has, too', () => {
  it('is known by its pid in the end, though reports of the other one are newer by their numbers', async () => {
    await order('start', { configuration: { port: 80 } });
    await obeys();
    await serving.says('service.started', { ...serving.about('web'), pid: 999 }, 9);
    await world.step(0);
    expect((await service())?.running).toEqual({ pid: 999 });
    await world.step(5 * minuteMs);
    expect(await service()).toMatchObject({ state: { is: 'online' }, running: { pid: 100 }, start: 1 });
  });
});

describe('a service that fails', () => {
  it('is started again five times, five seconds apart, then has failed for good; an order starts it anew', async () => {
    await order('start', { configuration: { port: 80 } });
    for (let n = 0; n < 12; n++) {
      await obeys(['web']);
      await world.step(5 * secondMs);
    }
    expect(await service()).toMatchObject({ state: { is: 'failed', reason: 'exited with status 1' }, attempts: 5, start: 6 });
    expect((await service())?.retryAt).toBeUndefined();
    expect(published().filter(([type]) => type === 'failed').length).toBe(6);
    expect(published().at(-1)).toEqual(['failed', 6, 'exited with status 1']);
    expect((await order('start')).body).toMatchObject({ answer: 'started', configuration: { port: 80 } });
    await obeys();
    expect(await service()).toMatchObject({ state: { is: 'online' }, start: 7 });
  });

  it('is not started again where its host refuses it, until its node has started anew', async () => {
    await order('start', { configuration: { port: 80 } });
    const [told] = (await serving.told())!;
    await serving.says('service.failed', { service: 'web', instance: told!.instance, reason: 'this host does not run it', refused: true });
    await world.step(10 * minuteMs);
    expect(await service()).toMatchObject({ state: { is: 'failed', reason: 'this host does not run it' }, start: 1 });
    const failed = world.bus.published.filter(({ type }) => type === 'service.failed');
    expect(failed.map(({ data }) => data)).toMatchObject([{ attempts: 0, retry: false }]);
    serving.boots();
    await boots(1);
    await obeys();
    expect(await service()).toMatchObject({ state: { is: 'online' }, start: 2 });
  });

  it('is not started for ever where it is online for a moment each time', async () => {
    await order('start', { configuration: { port: 80 } });
    for (let n = 0; n < 12; n++) {
      await obeys();
      if (serving.running.has('web')) await serving.ends('web', 1);
      await world.step(6 * secondMs);
    }
    expect(await service()).toMatchObject({ state: { is: 'failed' }, attempts: 5, start: 6 });
  });

  it('has all its attempts again once it has run for as long as a start may take', async () => {
    await order('start', { configuration: { port: 80 } });
    await obeys(['web']);
    await world.step(6 * secondMs);
    await obeys();
    expect((await service())?.attempts).toBe(1);
    await world.step(4 * minuteMs);
    await serving.ends('web', 1);
    await world.step(0);
    expect((await service())?.attempts).toBeUndefined();
  });

  it('whose older instance is said to fail goes on', async () => {
    await order('start', { configuration: { port: 80 } });
    await obeys();
    const before = serving.about('web');
    await serving.says('service.failed', { ...before, reason: 'broken', exit: 1 });
    await world.step(10 * secondMs);
    await obeys();
    const now = await service();
    expect([now?.state.is, now?.start]).toEqual(['online', 2]);
    await serving.says('service.stopped', { ...before, exit: 1 });
    await world.step(0);
    expect(await service()).toEqual(now);
  });
});

describe('a service that is stopped', () => {
  it('is registered no more once it has ended, and not started again; its name is free', async () => {
    await order('start', { configuration: { port: 80 } });
    await obeys();
    const before = instanceOf((await service())!);
    expect((await order('stop')).body).toMatchObject({ done: true, service: { state: 'stopping' } });
    expect((await order('stop')).body).toMatchObject({ done: false });
    expect(await holder()).toBeDefined();
    await obeys();
    expect([await service(), await holder()]).toEqual([undefined, undefined]);
    await world.step(minuteMs);
    expect(await serving.told()).toEqual([]);
    expect(published().at(-1)).toEqual(['stopped', 1]);
    expect((await order('stop')).body).toMatchObject({ done: false, because: expect.stringContaining('nothing to stop') as string });
    expect((await order('start', { configuration: { port: 80 } })).status).toBe(201);
    expect(instanceOf((await service())!)).not.toBe(before);
  });

  it('ends by itself where it announced that and ended well; any other end is a failure', async () => {
    await order('start', { configuration: { port: 80 } });
    await obeys();
    await serving.ends('web');
    await world.step(0);
    expect(await stateOf()).toBe('failed');
    await world.step(10 * secondMs);
    await obeys();
    await serving.says('service.stopping', serving.about('web'));
    await serving.ends('web');
    await world.step(minuteMs);
    expect([await service(), await holder()]).toEqual([undefined, undefined]);
  });
});

describe('a service that is configured anew', () => {
  it('runs as another instance with that; the same configuration changes nothing', async () => {
    expect(problemOf(await order('reconfigure', { configuration: { port: 81 } })).slice(0, 2)).toEqual([409, 'service-not-running']);
    await order('start', { configuration: { port: 80 } });
    await obeys();
    expect((await order('reconfigure', { configuration: { port: 80 } })).body).toMatchObject({ done: false });
    expect(problemOf(await order('reconfigure', { configuration: {} })).slice(0, 2)).toEqual([422, 'configuration-invalid']);
    expect((await order('reconfigure', { configuration: { port: 81 } })).body).toMatchObject({ done: true });
    await obeys();
    expect(await service()).toMatchObject({ state: { is: 'online' }, start: 2, configuration: '{"port":81}' });
  });
});

describe('a service that is asked', () => {
  beforeEach(async () => {
    await order('start', { configuration: { port: 80 } });
    await obeys();
  });

  it('is asked by its agent, once, and its answer stands in its results', async () => {
    const reply = await order('check');
    const { ask } = reply.body as { ask: string };
    expect([reply.status, (await serving.told())?.[0]?.asks]).toEqual([202, [{ id: ask, what: 'check' }]]);
    await serving.says('service.answered', { ...serving.about('web'), ask, what: 'check', exit: 1, says: 'port closed' });
    await world.step(0);
    expect(await service()).toMatchObject({ asks: [], healthy: false, results: [{ ask, what: 'check', exit: 1, says: 'port closed' }] });
    expect((await serving.told())?.[0]?.asks).toEqual([]);
    expect(published().at(-1)?.[0]).toBe('health');
  });

  it('is sent the messages that its type declares, with data as declared, and no others', async () => {
    expect(problemOf(await order('send', { message: 'dance' }))).toEqual([
      422,
      'unknown-message',
      'web has no message dance: it understands ping',
    ]);
    expect(problemOf(await order('send', { message: 'ping', data: { n: 'x' } })).slice(0, 2)).toEqual([422, 'invalid']);
    expect((await order('send', { message: 'ping', data: { n: 1 } })).status).toBe(202);
    expect((await serving.told())?.[0]?.asks).toMatchObject([{ what: 'message', message: 'ping', data: '{"n":1}' }]);
  });

  it('is not asked where it does not run, and not more than it can answer; what is late is asked no more', async () => {
    for (let n = 0; n < 16; n++) await order('status');
    expect(problemOf(await order('status')).slice(0, 2)).toEqual([409, 'not-yet']);
    await world.step(2 * minuteMs);
    expect((await serving.told())?.[0]?.asks).toEqual([]);
    expect((await order('status')).status).toBe(202);
    await order('stop');
    await obeys();
    expect(problemOf(await order('check')).slice(0, 2)).toEqual([409, 'service-not-running']);
  });
});

describe('a service that is checked', () => {
  it('is as the last check found it, also where the word of that one has overtaken another', async () => {
    await order('start', { configuration: { port: 80 } });
    await obeys();
    const found = (exit: number, more: object = {}) =>
      serving.says('service.answered', { ...serving.about('web'), what: 'check', exit, says: '', ...more });
    await found(0);
    await world.step(0);
    const rev = async () => (await world.table.read(keyOf({ noun: 'service', id: `${agent.id}/web` })))!.rev;
    const before = await rev();
    await found(0, { again: true });
    await world.step(0);
    expect(await rev()).toBe(before);
    const overtaken = serving.next();
    await found(0);
    await serving.says('service.answered', { ...serving.about('web'), what: 'check', exit: 1, says: '' }, overtaken);
    await world.step(0);
    expect(await service()).toMatchObject({ healthy: true });
  });
});

describe('a service on a node that never came', () => {
  it('is registered no more once that is given up', async () => {
    const absent = new Agent(world, 'salt9.acme.org');
    await absent.join();
    expect((await order('start', { node: absent.fqdn, configuration: { port: 80 } })).status).toBe(201);
    await world.call('POST', `/api/v1/nodes/${absent.fqdn}/drop`, {});
    await world.step(15 * minuteMs);
    expect(await bodyOf<Service>('service', `${absent.id}/web`)).toBeUndefined();
    expect(await bodyOf<NameHolder>('service-name', `${absent.id}/web`)).toBeUndefined();
    expect(published()).toEqual([
      ['starting', 1],
      ['failed', 1, 'node lost'],
    ]);
  });
});

describe('a service on a node that was given up before it came, and joins again', () => {
  it('is lost with it all the same once that is given up for good', async () => {
    const late = new Agent(world, 'salt9.acme.org');
    await late.join();
    expect((await order('start', { node: late.fqdn, configuration: { port: 80 } })).status).toBe(201);
    await world.call('POST', `/api/v1/nodes/${late.fqdn}/drop`, {});
    await late.start();
    expect(await bodyOf<Node>('node', late.id)).toMatchObject({ status: 'up', services: true });
    late.fallSilent();
    await world.call('POST', `/api/v1/nodes/${late.id}/drop`, {});
    await world.step(minuteMs);
    expect(await bodyOf<Service>('service', `${late.id}/web`)).toBeUndefined();
  });
});

describe('a service on a node that comes for the first time', () => {
  it('goes on when its agent says for the first time what runs, which is not what its node was lost with', async () => {
    const late = new Agent(world, 'salt8.acme.org');
    await late.join();
    await order('start', { node: late.fqdn, configuration: { port: 80 } });
    // An agent that has never been told of services does not speak of them when it comes.
    await late.start();
    const runs = new Serving(late);
    await runs.obey();
    late.processes = runs;
    await runs.tells();
    await world.step(minuteMs);
    const first = await bodyOf<Service>('service', `${late.id}/web`);
    expect(first).toMatchObject({ state: { is: 'online' }, start: 1 });
    // What ends afterwards has failed there, and not gone with its node.
    runs.boots({ kernel: true });
    for (let n = 0; n < 4; n++) await runs.tells();
    await world.step(0);
    expect(published().at(-1)).toEqual(['failed', 1, 'exited']);
  });
});

describe('a service that is asked about much', () => {
  it('keeps every answer for whoever asked', async () => {
    await order('start', { configuration: { port: 80 } });
    await obeys();
    const asks: string[] = [];
    for (let n = 0; n < 16; n++) asks.push(((await order('status')).body as { ask: string }).ask);
    for (const ask of asks) await serving.says('service.answered', { ...serving.about('web'), ask, what: 'status', exit: 0, says: '' });
    await world.step(0);
    expect((await service())?.results.map(({ ask }) => ask).sort()).toEqual(asks.sort());
  });

  it('is asked no more than its row takes, and again once it has answered', async () => {
    await order('start', { configuration: { port: 80 } });
    await obeys();
    const much = { message: 'ping', data: { n: 1, text: 'x'.repeat(40_000) } };
    expect((await order('send', much)).status).toBe(202);
    expect(problemOf(await order('send', much)).slice(0, 2)).toEqual([409, 'not-yet']);
    expect((await order('check')).status).toBe(202);
    const ask = (await serving.told())![0]!.asks[0]!.id;
    await serving.says('service.answered', { ...serving.about('web'), ask, what: 'message', message: 'ping', exit: 0, says: '' });
    await world.step(0);
    expect((await order('send', much)).status).toBe(202);
  });
});

describe('a service whose type is there no more', () => {
  it('is stopped all the same', async () => {
    await order('start', { configuration: { port: 80 } });
    await obeys();
    const { key, rev, body } = (await world.table.read(keyOf({ noun: 'service-types', id: 'default' })))!;
    await world.table.commit([{ put: aRow({ ...key, body: { ...(body as ServiceTypes), types: [] } }), readRev: rev }]);
    expect(problemOf(await order('start')).slice(0, 2)).toEqual([404, 'unknown-service-type']);
    expect((await order('stop')).body).toMatchObject({ done: true });
    // What its agent is told nothing of it stops.
    await serving.ends('web');
    await world.step(0);
    expect(await holder()).toBeUndefined();
    expect(problemOf(await order('stop')).slice(0, 2)).toEqual([404, 'unknown-service-type']);
  });
});

describe('the resources of a service', () => {
  const holders = () => bodyOf<ResourceHolders>('service-resource', 'default/database:main');
  const takes = (serves: Serving, hold: string, type = 'web') =>
    serves.says('service.acquired', { ...serves.about(type), kind: 'database', id: 'main', hold });
  let second: Serving;
  const other = () => bodyOf<Service>('service', `${secondId}/web`);
  let secondId: string;

  beforeEach(async () => {
    const agent2 = await new Agent(world, 'salt2.acme.org').start();
    [second, secondId] = [new Serving(agent2), agent2.id];
    for (const node of [fqdn, agent2.fqdn]) await order('start', { node, configuration: { port: 80 } });
    await obeys();
    await second.obey();
    await world.step(0);
  });

  it('are shared, and let go with it', async () => {
    await takes(serving, 'shared');
    await takes(second, 'shared');
    await world.step(0);
    expect((await holders())?.holders.length).toBe(2);
    await serving.says('service.released', { ...serving.about('web'), kind: 'database', id: 'main' });
    await second.ends('web', 1);
    await world.step(0);
    expect(await holders()).toBeUndefined();
  });

  it('are had alone by one: another that says it has one fails, which names the holder, and is stopped', async () => {
    await takes(serving, 'exclusive');
    await world.step(0);
    await takes(second, 'exclusive');
    await world.step(0);
    expect(await other()).toMatchObject({ state: { is: 'failed', reason: `database main is held alone by web of node ${agent.id}` } });
    expect(await second.told()).toMatchObject([{ goal: 'stop' }]);
    expect((await holders())?.holders).toEqual([{ node: agent.id, type: 'web' }]);
  });

  it('are free for others once the instance that held them has ended, and not when another is to take its place', async () => {
    await takes(serving, 'exclusive');
    await world.step(0);
    await order('reconfigure', { configuration: { port: 81 } });
    await takes(second, 'exclusive');
    await world.step(0);
    expect((await other())?.state).toMatchObject({ is: 'failed', reason: expect.stringContaining('database main is held alone by web') });
    await serving.obey();
    await world.step(0);
    expect(await holders()).toBeUndefined();
    await world.step(6 * secondMs);
    await second.obey();
    await takes(second, 'exclusive');
    await world.step(0);
    expect(await holders()).toMatchObject({ exclusive: true, holders: [{ node: secondId, type: 'web' }] });
    expect((await other())?.state.is).toBe('online');
  });

  it('have names that they can be found by, and others are refused at the door', async () => {
    for (const id of ['', '中', '\ud800', 'x'.repeat(201)])
      await expect(serving.says('service.acquired', { ...serving.about('web'), kind: 'database', id, hold: 'shared' })).rejects.toThrow(
        '422',
      );
    await serving.says('service.acquired', { ...serving.about('web'), kind: 'database', id: '~'.repeat(200), hold: 'shared' });
    await world.step(0);
    expect((await service())?.resources.length).toBe(1);
  });

  it('that its type may not hold are refused, and nothing changes', async () => {
    const before = await service();
    await serving.says('service.acquired', { ...serving.about('web'), kind: 'disk', id: 'a', hold: 'shared' });
    await world.step(0);
    expect(await service()).toEqual(before);
  });
});

describe('what services cost', () => {
  const unitsOf = async (work: () => Promise<unknown>) => {
    const { readUnits, writeUnits } = world.table.meter;
    await work();
    return [world.table.meter.readUnits - readUnits, world.table.meter.writeUnits - writeUnits];
  };

  it('is nothing for a node that has none, and a few units for one that has', async () => {
    const other = await new Agent(world, 'salt2.acme.org').start();
    expect(await unitsOf(() => other.desired())).toEqual([2, 0]);
    await order('start', { configuration: { port: 80 } });
    const [read, written] = await unitsOf(() => agent.desired());
    expect([read! <= 5, written]).toEqual([true, 0]);
    await obeys();
    expect(await unitsOf(() => other.desired())).toEqual([2, 0]);
  });
});

describe('a node with services', () => {
  beforeEach(async () => {
    await order('start', { configuration: { port: 80 } });
    await obeys();
    await world.step(30 * secondMs);
  });

  it('that is back with the same kernel keeps those that ran on', async () => {
    const before = await service();
    agent.fallSilent();
    await world.step(5 * minuteMs);
    serving.boots();
    await boots(1);
    await obeys();
    await world.step(minuteMs);
    expect(await service()).toMatchObject({ state: { is: 'online' }, start: before!.start, running: before!.running });
  });

  it('that is back with another kernel has them started again, with the configuration they had', async () => {
    agent.fallSilent();
    await world.step(5 * minuteMs);
    serving.boots({ kernel: true });
    await boots(2);
    await obeys();
    expect(await service()).toMatchObject({ state: { is: 'online' }, start: 2, configuration: '{"port":80}' });
  });

  it('that is given up has lost them: they are registered no more, and their names and resources are free', async () => {
    agent.fallSilent();
    await world.step(5 * minuteMs);
    await world.call('POST', `/api/v1/nodes/${agent.id}/drop`, {});
    await world.step(minuteMs);
    expect([await service(), await holder()]).toEqual([undefined, undefined]);
    expect(published().at(-1)).toEqual(['failed', 1, 'node lost']);
    expect((await world.table.read(keyOf({ noun: 'node', id: agent.id })))?.wakeAt).toBeUndefined();
  });

  it('is asked for its table when what runs there is not what Muster has, and what is gone has failed', async () => {
    serving.boots({ kernel: true });
    // Its words go on: the agent has lost what it ran, and not itself.
    for (let n = 0; n < 3; n++) await serving.says('service.released', { service: 'web', instance: 'x.1', kind: 'disk', id: 'a' });
    await world.step(minuteMs);
    expect(published().some(([type, , reason]) => type === 'failed' && reason === 'exited')).toBe(true);
  });
});
