import { beforeEach, describe, expect, it } from 'vitest';
import { fromBus } from '../../../lib/assembly/reports.ts';
import { Poison } from '../../../lib/core/errors.ts';
import { minuteMs, secondMs } from '../../../lib/core/time.ts';
import type { Message } from '../../../lib/ports/queue/queue.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import type { Shell } from '../../../lib/runtime/shell.ts';
import { differsAt } from '../../../lib/services/differs.ts';
import { type Service, serviceRef } from '../../../lib/services/service.ts';
import type { ServiceView } from '../../../lib/services/view-routes.ts';
import { Agent } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';
import { Serving } from '../../support/serving.ts';

const host = 'salt1.acme.org';
const ordered = { greeting: 'Hello', password: 'sesame' };

let world: World;
let agent: Agent;
let serving: Serving;
let isLate = false;

const order = (what: string, body: object = {}) =>
  world.call('POST', `/api/v1/zones/default/services/greeter/${what}`, { node: host, ...body });
const shown = async () => (await world.call('GET', `/api/v1/zones/default/services/greeter/${host}`)).body as ServiceView;
const explained = async () => (await world.call('GET', `/api/v1/explain/service/greeter@${host}`)).body as { because: string };
const rowOf = () => world.table.read(keyOf(serviceRef({ node: agent.id, type: 'greeter' })));
const published = () =>
  world.bus.published.flatMap(({ type, data }) => {
    const { differs, does } = data as { differs: string[]; does: string };
    return type === 'service.configured' ? [[does, ...differs]] : [];
  });
const put = (onDrift?: string, schema: object = {}) =>
  world.call('PUT', '/api/v1/zones/default/service-types/greeter', {
    start: ['greet'],
    schema: {
      configuration: {
        type: 'object',
        properties: { greeting: { type: 'string' }, password: { type: 'string', 'x-secret': true } },
        additionalProperties: false,
        ...schema,
      },
    },
    ...(onDrift && { onDrift }),
  });
async function obeys(): Promise<void> {
  await world.step(0);
  await serving.obey();
  await world.step(0);
}
async function says(configuration: object, seq?: number): Promise<void> {
  await serving.says('service.configured', { ...serving.about('greeter'), configuration }, seq);
  await world.step(0);
}
async function runs(onDrift?: string): Promise<void> {
  await put(onDrift);
  await order('start', { configuration: ordered });
  await obeys();
}

beforeEach(async () => {
  isLate = false;
  world = await stepped({ beatMinMs: 10_000, sweepPeriodMs: 5_000, isLate: () => isLate });
  agent = await new Agent(world, host).start();
  serving = new Serving(agent);
  agent.processes = serving;
});

describe('a service that changes its configuration itself', () => {
  it('is shown with what it runs with and where that is not as ordered, until it is ordered anew', async () => {
    await runs();
    await says({ greeting: 'Hi', password: '********' });
    expect(await shown()).toMatchObject({
      configuration: { greeting: 'Hello', password: '********' },
      drift: { configuration: { greeting: 'Hi', password: '********' }, differs: ['/greeting'] },
      instance: expect.stringMatching(/\.1$/),
    });
    await says({ greeting: 'Hi', password: 'open' });
    expect((await shown()).drift).toMatchObject({ configuration: { password: '********' }, differs: ['/greeting', '/password'] });
    const { body } = await world.call('GET', `/api/v1/explain/service/greeter@${host}`);
    expect(JSON.stringify(body)).toContain('it reports another one, at /greeting, /password');
    expect((await order('start')).body).toMatchObject({ answer: 'already running', configuration: { greeting: 'Hi' } });
    expect((await order('reconfigure', { configuration: ordered })).body).toMatchObject({ done: true, service: { state: 'starting' } });
    expect(await shown()).toMatchObject({ configuration: { greeting: 'Hello' }, instance: expect.stringMatching(/\.2$/) });
    expect((await shown()).drift).toBeUndefined();
    expect(published()).toEqual([
      ['nothing', '/greeting'],
      ['nothing', '/greeting', '/password'],
    ]);
  });

  it('is as ordered again once it says so; words that come late, twice or of an earlier life change nothing', async () => {
    await runs();
    const first = serving.next();
    await says({ ...ordered, greeting: 'Hi' });
    await says(ordered);
    await says({ ...ordered, greeting: 'Late' }, first);
    expect((await shown()).drift).toBeUndefined();
    expect(published()).toEqual([['nothing', '/greeting'], ['nothing']]);
    const overtaken = serving.next();
    await serving.says('service.answered', { ...serving.about('greeter'), what: 'check', exit: 0, says: '' });
    await says({ ...ordered, greeting: 'Overtaken' }, overtaken);
    expect((await shown()).drift).toMatchObject({ differs: ['/greeting'] });
    await serving.ends('greeter', 1);
    await world.step(0);
    expect((await shown()).drift).toBeUndefined();
    await world.step(10 * secondMs);
    await obeys();
    expect((await shown()).drift).toBeUndefined();
  });

  it('has that as what is ordered where its type accepts it, by its schema, and runs on', async () => {
    await runs('accept');
    await says({ greeting: 'Hi', password: '********' });
    expect(await shown()).toMatchObject({ configuration: { greeting: 'Hi' }, state: 'online', instance: expect.stringMatching(/\.1$/) });
    expect(await serving.told()).toMatchObject([{ configuration: '{"greeting":"Hi","password":"sesame"}' }]);
    await says({ greeting: 7 });
    expect(await shown()).toMatchObject({ configuration: { greeting: 'Hi' }, drift: { configuration: { greeting: 7 } } });
    expect(published()).toEqual([
      ['accept', '/greeting'],
      ['nothing', '/greeting', '/password'],
    ]);
  });

  it('is started again as it was ordered where its type restores that, five times until an order, and is shown then', async () => {
    await runs('restore');
    for (let n = 0; n < 6; n++) {
      // However long it has been well in between.
      await world.step(minuteMs);
      await says({ greeting: 'Hi', password: '********' });
      await obeys();
    }
    expect(await shown()).toMatchObject({ drift: { differs: ['/greeting'] }, instance: expect.stringMatching(/\.6$/) });
    expect(published().map(([does]) => does)).toEqual([...Array.from({ length: 5 }, () => 'restore'), 'nothing']);
    await order('reconfigure', { configuration: ordered });
    await obeys();
    await says({ greeting: 'Hi', password: '********' });
    expect(await shown()).toMatchObject({ state: 'starting', instance: expect.stringMatching(/\.8$/) });
  });

  it('says so to its own agent: nobody else may report it, because it may become what is ordered', async () => {
    await runs('accept');
    const { instance } = serving.about('greeter');
    const data = { service: 'greeter', instance, configuration: { ...ordered, greeting: 'Mine' } };
    const report = { type: 'service.configured', version: 1, id: 'r-1', node: agent.id, data };
    expect((await world.call('POST', '/api/v1/reports', [report])).status).toBe(422);
    expect(() => fromBus(report, { sentAt: world.now() } as Message, {} as Shell)).toThrow(Poison);
    expect(await shown()).toMatchObject({ configuration: { greeting: 'Hello' } });
  });

  it('fails by the word of somebody else, which is put down to them; a number that they make up counts for nothing', async () => {
    await runs();
    const { instance } = serving.about('greeter');
    const data = { service: 'greeter', instance, reason: 'it smells of smoke' };
    const report = { type: 'service.failed', version: 1, id: 'r-2', node: agent.id, incarnation: 1, seq: 1_000_000, data };
    expect((await world.call('POST', '/api/v1/reports', [report])).status).toBe(202);
    await world.step(0);
    expect(await shown()).toMatchObject({ state: 'failed', reason: 'it smells of smoke' });
    expect((await rowOf())!.actor).toMatchObject({ who: 'operator', source: 'ingest' });
    await serving.ends('greeter', 1);
    await world.step(10 * secondMs);
    await obeys();
    expect(await shown()).toMatchObject({ state: 'online', instance: expect.stringMatching(/\.2$/) });
  });

  it('is shown where its type is shut out, or does not fit, and nothing of a secret is said of that', async () => {
    await put('accept', {
      properties: { pin: { type: 'integer', maximum: 9, 'x-secret': true }, auth: { type: 'object', 'x-secret': true } },
    });
    await order('start', { configuration: { auth: { alice: 1 } } });
    await obeys();
    await says({ pin: 73_519, auth: { 'token-8f3a': 1 } });
    expect((await shown()).drift).toMatchObject({ differs: ['/auth', '/pin'] });
    expect(JSON.stringify([await shown(), await explained(), world.bus.published])).not.toMatch(/73519|token-8f3a|alice/);
    isLate = true;
    expect((await order('reconfigure', { configuration: { pin: 1 } })).status).toBe(409);
    isLate = false;
    await says({ pin: 7 });
    expect(await shown()).toMatchObject({ configuration: { auth: '********' }, drift: { configuration: { pin: '********' } } });
    expect((await explained()).because).toContain('its type is shut out');
  });

  it('is accepted by a later word, where the check of the first was late', async () => {
    await runs('accept');
    isLate = true;
    await says({ ...ordered, greeting: 'Hi' });
    expect((await explained()).because).toContain('cannot be accepted');
    isLate = false;
    await world.step(5 * minuteMs);
    await says({ ...ordered, greeting: 'Hi' });
    expect(await shown()).toMatchObject({ configuration: { greeting: 'Hi' } });
    expect((await shown()).drift).toBeUndefined();
  });

  it('cannot make its row grow by secrets that are stored', async () => {
    await put(undefined, { properties: {}, additionalProperties: { 'x-secret': true } });
    await order('start', { configuration: {} });
    await obeys();
    const said: Record<string, string> = {};
    for (let n = 0; n < 40; n++) {
      await says({ ...said, [`k${n}`]: 'x'.repeat(2_000) });
      said[`k${n}`] = '********';
    }
    expect(((await rowOf())!.body as Service).drift!.configuration.length).toBeLessThan(65_537);
  });

  it('keeps a secret that was ordered by its mask; which of two is meant nobody guesses', async () => {
    await runs();
    await says({ greeting: 'Hi' });
    await says({ greeting: 'Hello', password: '********' });
    expect((await shown()).drift).toBeUndefined();
    await says({ greeting: 'Hi', password: 'open' });
    const { status, body } = await order('reconfigure', { configuration: { greeting: 'Hi', password: '********' } });
    expect([status, body]).toMatchObject([422, { errors: [{ pointer: '/configuration/password' }] }]);
    expect((await order('reconfigure', { configuration: { greeting: 'Hi', password: 'open' } })).status).toBe(202);
  });
});

describe('a service whose agent has started it again while it was alone', () => {
  const again = async (): Promise<void> => {
    const { instance, pid } = serving.about('greeter');
    await serving.says('service.stopped', { service: 'greeter', instance, pid, exit: 1 });
    await serving.says('service.starting', { service: 'greeter', instance, pid: pid + 50 });
    await world.step(0);
  };

  it('is started anew where what it said is accepted: its agent may not have known that', async () => {
    await runs('accept');
    await says({ ...ordered, greeting: 'Hi' });
    await again();
    expect(await shown()).toMatchObject({ configuration: { greeting: 'Hi' }, instance: expect.stringMatching(/\.2$/), state: 'starting' });
  });

  it('keeps its order where what the life before had said comes only after a table that lists the next', async () => {
    await runs('accept');
    const before = serving.about('greeter');
    const late = serving.next();
    const services = [{ ...before, pid: before.pid + 50, state: 'online' }];
    await serving.says('node.table', { hash: 'again', processes: [], services });
    await world.step(0);
    await serving.says('service.configured', { ...before, configuration: { ...ordered, greeting: 'Hi' } }, late);
    await world.step(0);
    expect(await shown()).toMatchObject({ configuration: { greeting: 'Hello' }, instance: expect.stringMatching(/\.1$/), state: 'online' });
    const [said] = world.logged.flatMap(({ fields }) => (fields['type'] === 'service.configured' ? [fields['because']] : [])).slice(-1);
    expect(said).toBe(`the report is of pid ${before.pid}; on record is ${before.pid + 50}`);
  });

  it('has drifted by what the new life says, also where that comes before its beginning and the end of the old one', async () => {
    await runs();
    const { instance, pid } = serving.about('greeter');
    const [end, start] = [serving.next(), serving.next()];
    const configured = { service: 'greeter', instance, pid: pid + 50, configuration: { ...ordered, greeting: 'Hi' } };
    await serving.says('service.configured', configured);
    await serving.says('service.stopped', { service: 'greeter', instance, pid, exit: 1 }, end);
    await serving.says('service.starting', { service: 'greeter', instance, pid: pid + 50 }, start);
    await world.step(0);
    expect(await shown()).toMatchObject({ drift: { differs: ['/greeting'] }, instance: expect.stringMatching(/\.1$/) });
  });
});

describe('a service on two machines with one key and one boot', () => {
  /** What the second machine reports of its process, by numbers that count on from those of the first. */
  const secondSays = async (configuration: object): Promise<void> => {
    const { instance, pid } = serving.about('greeter');
    await serving.says('service.configured', { service: 'greeter', instance, pid: pid + 50, configuration });
    await world.step(0);
  };

  it('is started anew with what the second reported and its type accepts, once its node lists another process', async () => {
    await runs('accept');
    await agent.beat();
    await world.step(20 * secondMs);
    await secondSays({ ...ordered, greeting: 'Hi' });
    expect(await shown()).toMatchObject({ configuration: { greeting: 'Hi' }, instance: expect.stringMatching(/\.1$/), state: 'online' });
    // Its table is as it was: nothing but the contradiction has Muster ask for it.
    await world.step(minuteMs);
    expect(await shown()).toMatchObject({ configuration: { greeting: 'Hi' }, instance: expect.stringMatching(/\.2$/), state: 'starting' });
  });

  it('is asked for again where the second counts ahead, until a table is as new', async () => {
    await runs('accept');
    const { instance, pid } = serving.about('greeter');
    const data = { service: 'greeter', instance, pid: pid + 50, configuration: { ...ordered, greeting: 'Hi' } };
    await serving.says('service.configured', data, serving.next() + 3);
    await world.step(10 * minuteMs);
    expect(await shown()).toMatchObject({ configuration: { greeting: 'Hi' }, instance: expect.stringMatching(/\.2$/) });
  });

  it('does not run with what only the second has drifted to', async () => {
    await runs();
    await secondSays({ ...ordered, greeting: 'Hi' });
    expect((await shown()).drift).toMatchObject({ differs: ['/greeting'] });
    await world.step(minuteMs);
    expect((await shown()).drift).toBeUndefined();
    expect((await rowOf())!.body).not.toHaveProperty('configuredBy');
  });

  it('keeps what the next process of the first reports before its beginning', async () => {
    await runs('accept');
    const { instance, pid } = serving.about('greeter');
    await secondSays({ ...ordered, greeting: 'Hi' });
    const services = [{ service: 'greeter', instance, pid: pid + 50, state: 'online' }];
    await serving.says('node.table', { hash: 'next', processes: [], services });
    await world.step(0);
    expect(await shown()).toMatchObject({ configuration: { greeting: 'Hi' }, instance: expect.stringMatching(/\.1$/), state: 'online' });
    expect((await rowOf())!.body).toMatchObject({ running: { pid: pid + 50 } });
  });
});

describe('where two documents differ', () => {
  it('is said by pointers to what is not the same, without values', () => {
    expect(differsAt({ a: 1, b: { 'c/d': [1, 2] }, e: 'x' }, { a: 1, b: { 'c/d': [2, 1] }, f: 'x' })).toEqual(['/b/c~1d', '/e', '/f']);
    expect(differsAt({ a: 1 }, { a: 1 })).toEqual([]);
    expect(differsAt([1], { a: 1 })).toEqual(['']);
    expect(differsAt({ a: { ['k'.repeat(300)]: 1 } }, { a: {} })).toEqual(['/a']);
  });
});
