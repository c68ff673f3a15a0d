import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hourMs, minuteMs } from '../../../../lib/core/time.ts';
import { Agent } from '../../../../tools/support/players.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';
import { served } from '../../../support/served.ts';
import { Serving } from '../../../support/serving.ts';
import { ran } from './a-terminal.ts';

let world: World;
let server: Awaited<ReturnType<typeof served>>;
let serving: Serving[];
let files: Record<string, string>;
/** What is answered to whatever is asked: an exit code and words; undefined for nothing. */
let answer: { exit: number; says: string } | undefined;
/** What somebody else does while a command waits. */
let meanwhile: (() => Promise<unknown>) | undefined;
const [one, two] = ['node1.acme.org', 'node2.acme.org'];

beforeEach(async () => {
  world = await stepped({ beatMinMs: 10_000, sweepPeriodMs: 5_000 });
  const agents = await Promise.all([one, two].map((fqdn) => new Agent(world, fqdn).start()));
  serving = agents.map((agent) => new Serving(agent));
  for (const [i, agent] of agents.entries()) agent.processes = serving[i]!;
  server = await served(world);
  answer = { exit: 0, says: 'all is well' };
  meanwhile = undefined;
  files = { 'greeter.json': '{"greeting":"Hi"}', 'wrong.json': '{"greeting":7}' };
  const schema = { configuration: { properties: { greeting: { type: 'string' } } } };
  const put = { start: ['greet'], schema, configuration: { greeting: 'Hello' }, messages: [{ name: 'greet', command: ['greet'] }] };
  await world.call('PUT', '/api/v1/zones/default/service-types/greeter', put);
});
afterEach(() => server.stop());

async function obey(): Promise<void> {
  await world.step(0);
  for (const agent of serving) {
    await agent.obey();
    for (const { service, instance, asks } of (await agent.told()) ?? [])
      for (const { id, what, message } of answer ? asks : [])
        await agent.says('service.answered', { service, instance, ask: id, what, ...(message && { message }), ...answer });
  }
  await world.step(0);
}
const cli = async (line: string, aheadMs = 0) => {
  const done = await ran(line, {
    env: { MUSTER_ENDPOINT: server.url },
    now: () => world.now() + aheadMs,
    read: (file) => files[file],
    sleep: async (ms: number) => {
      await meanwhile?.();
      await obey();
      await world.step(ms);
    },
  });
  await obey();
  return done;
};

describe('halon service', () => {
  it('starts once, on each node that is named, and says so as the original does', async () => {
    const { code, out } = await cli(`halon service greeter start -n ${one} -n ${two}`);
    expect(code).toBe(0);
    expect(out.split('\n').map((line) => line.split(',')[0])).toEqual([
      `${one}: Trying to start greeter: an operator ordered greeter to run on ${one}`,
      `${two}: Trying to start greeter: an operator ordered greeter to run on ${two}`,
      '',
    ]);
    const again = await cli(`halon service greeter start -n ${one} -c greeter.json`);
    expect(again).toMatchObject({ code: 0, out: expect.stringContaining('Service already running.\nRunning with config:\n') });
    expect(again.out).toContain('"greeting": "Hello"');
  });

  it('cannot start on a node that nobody knows, nor with a configuration that does not fit', async () => {
    expect(await cli('halon service greeter start -n node9.acme.org')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Cannot start service on unknown node'),
    });
    const wrong = await cli(`halon service greeter start -n ${one} -c wrong.json`);
    expect([wrong.code, wrong.out]).toEqual([2, '']);
    expect(wrong.err).toContain('/configuration/greeting: Instance type "number" is invalid. Expected "string".');
    expect((await cli(`halon service greeter start -n ${one} -c nowhere.json`)).code).toBe(2);
  });

  it('stops m0d, and says that this stops no Mero process, and what does', async () => {
    const goOn = `The Mero processes of ${one} continue: muster mero node stop ${one} stops them.\n`;
    expect(await cli(`halon service m0d stop -n ${one}`)).toMatchObject({ code: 0, out: `Service not running.\n${goOn}` });
    await cli(`halon service m0d start -n ${one}`);
    const { code, out } = await cli(`halon service m0d stop -n ${one}`);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^an operator ordered m0d to stop .*\n${goOn.replaceAll('.', '\\.')}$`)),
    ]);
  });

  it('reconfigures, to the same without effect, and stops, also twice', async () => {
    await cli(`halon service greeter start -n ${one}`);
    const changed = await cli(`halon service greeter reconfigure -n ${one} -c greeter.json`);
    expect(changed).toMatchObject({ code: 0, out: expect.stringContaining('ordered another configuration') });
    expect((await cli(`halon service greeter reconfigure -n ${one} -c greeter.json`)).out).toBe('greeter has this configuration already\n');
    expect((await cli(`halon service greeter status -n ${one}`)).out).toContain('"greeting": "Hi"');
    expect((await cli(`halon service greeter stop -n ${one}`)).code).toBe(0);
    expect(await cli(`halon service greeter stop -n ${one}`)).toMatchObject({ code: 0, out: 'Service not running.\n' });
    expect(await cli(`halon service greeter status -n ${one}`)).toMatchObject({ code: 7, out: 'Service not running.\n' });
  });

  it('asks, waits for the answer, and ends as the service does', async () => {
    await cli(`halon service greeter start -n ${one}`);
    expect(await cli(`halon service greeter check -n ${one}`)).toEqual({ code: 0, out: 'all is well\n', err: '' });
    expect((await cli(`halon service greeter status -n ${one}`)).out).toMatch(
      /^Running on PID 100 with config:\n\{[^}]*\}\nall is well\n$/,
    );
    answer = { exit: 3, says: 'loud' };
    expect(await cli(`halon service greeter send greet -n ${one} -d {"n":1}`)).toMatchObject({ code: 3, out: 'loud\n' });
    answer = undefined;
    expect(await cli(`halon service greeter check -n ${one}`)).toMatchObject({ code: 75, out: 'No reply.\n' });
    expect((await cli(`halon service greeter send bark -n ${one}`)).err).toContain('no message bark: it understands greet');
    expect((await cli(`halon service greeter send -n ${one}`)).code).toBe(2);
  });

  it('is waited for by a clock of its own, which may be another than that of Muster', async () => {
    await cli(`halon service greeter start -n ${one}`);
    for (const aheadMs of [-hourMs, hourMs])
      expect(await cli(`halon service greeter check -n ${one}`, aheadMs)).toEqual({ code: 0, out: 'all is well\n', err: '' });
    answer = undefined;
    const before = world.now();
    expect((await cli(`halon service greeter check -n ${one}`, -hourMs)).code).toBe(75);
    expect(world.now() - before).toBeLessThan(2 * minuteMs);
  });

  it('is asked no more once another instance is in its place, and nobody waits for that', async () => {
    await cli(`halon service greeter start -n ${one}`);
    answer = undefined;
    const before = world.now();
    meanwhile = () =>
      world.call('POST', '/api/v1/zones/default/services/greeter/reconfigure', { node: one, configuration: { greeting: 'Ho' } });
    expect(await cli(`halon service greeter check -n ${one}`)).toMatchObject({ code: 75, out: 'No reply.\n' });
    expect(world.now() - before).toBeLessThan(5_000);
  });

  it('is not ordered at all with what the order has no use for', async () => {
    for (const [order, err] of [
      ['stop -c greeter.json', 'stop takes no configuration'],
      ['check greet', 'check takes no message'],
      ['status -d {}', 'status takes no message'],
    ])
      expect(await cli(`halon service greeter ${order} -n ${one}`)).toMatchObject({ code: 2, err: expect.stringContaining(err!) });
  });

  it('that does not run is asked in vain, which ends as OCF has that', async () => {
    for (const order of ['check', 'send greet'])
      expect(await cli(`halon service greeter ${order} -n ${one}`)).toMatchObject({
        code: 7,
        err: expect.stringContaining(`greeter is not registered on ${one}`),
      });
  });

  it('of several nodes ends with the highest code, having asked all', async () => {
    await cli(`halon service greeter start -n ${one}`);
    const { code, out } = await cli(`halon service greeter status -n ${two} -n ${one}`);
    expect(code).toBe(7);
    expect(out).toContain(`${two}: Service not running.\n${one}: Running on PID 100`);
  });
});

describe('service', () => {
  it('list, show and find say what runs where', async () => {
    expect(await cli('service list')).toMatchObject({ code: 0, err: 'no services\n' });
    expect(await cli('service find greeter')).toMatchObject({ code: 1, out: '' });
    await cli(`halon service greeter start -n ${two}`);
    await cli(`halon service greeter check -n ${two}`);
    const { out } = await cli('service list --name greeter');
    expect(out.split('\n')[1]).toMatch(/^greeter +greeter +node2\.acme\.org +online +well +\w+\.1 /);
    expect((await cli(`service list --node ${one}`)).err).toBe('no services\n');
    expect((await cli('service find greeter')).out).toBe(`${two} greeter\n`);
    const shown = (await cli(`service show greeter ${two}`)).out;
    expect(shown).toContain('{"greeting":"Hello"}');
    expect(shown).toContain('check: exit 0 all is well');
    expect((await cli(`service show greeter ${one}`)).code).toBe(1);
  });

  it('is explained, and its history told, also when it is registered no more', async () => {
    await cli(`halon service greeter start -n ${two}`);
    expect((await cli(`explain service greeter ${two}`)).out).toMatch(
      /^service greeter on node2.acme.org: online\n[\s\S]*instance: \w+\.1, started/,
    );
    await cli(`halon service greeter stop -n ${two}`);
    expect((await cli(`explain service greeter ${two}`)).out).toContain('service greeter on node2.acme.org: not registered\n');
    const events = (await cli(`history service greeter ${two}`)).out.match(/service\.\w+/g);
    expect(events).toEqual(['service.starting', 'service.online', 'service.stopping', 'service.stopped']);
    expect((await cli(`explain service greeter ${one}`)).err).toContain('no service greeter was ever registered on node1.acme.org');
    expect((await cli('explain service greeter')).code).toBe(2);
    expect((await cli(`explain zone default ${one}`)).code).toBe(2);
  });
});
