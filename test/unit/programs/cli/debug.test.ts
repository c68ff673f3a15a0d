import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { minuteMs } from '../../../../lib/core/time.ts';
import type { Agent } from '../../../../tools/support/players.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';
import { aStorageZone, type StorageZone } from '../../../support/a-storage-zone.ts';
import { served } from '../../../support/served.ts';
import { ran } from './a-terminal.ts';
import { against } from './against.ts';

let world: World;
let lab: StorageZone;
let ssu1: Agent;
let server: Awaited<ReturnType<typeof served>>;
beforeEach(async () => {
  world = await stepped();
  lab = await aStorageZone(world);
  ssu1 = await lab.host('ssu1.acme.org');
  ssu1.beats();
  await world.step(minuteMs);
  server = await served(world);
});
afterEach(() => server.stop());

const cli = (line: string) => ran(line, { env: { MUSTER_ENDPOINT: server.url }, now: () => world.now() });

describe('halon debug', () => {
  it('eq shows the queues, and info is its other name', async () => {
    await world.queue.send('reports', '{}');
    world.sleep(90_000);
    const { out, code } = await cli('halon debug eq');
    expect(out).toMatch(/^reports +1 +- +- +90s$/m);
    expect([out.endsWith('0 dead letters\n'), code]).toEqual([true, 0]);
    expect((await cli('halon info eq')).out).toBe(out);
    expect(JSON.parse((await cli('halon debug eq --json')).out)).toMatchObject({ deadLetters: 0 });
  });

  it('rc shows stations, sweep, jobs and decisions of a zone', async () => {
    await lab.call('PUT', 'stations', { hosts: ['ssu1.acme.org'] });
    await world.step(minuteMs);
    const { out, code } = await cli('halon debug rc');
    expect(code).toBe(0);
    expect(out).toContain('ssu1.acme.org coordinates, epoch 1\n  ssu1.acme.org (RC): heard');
    expect(out).toMatch(/^sweep: every 5s, last .*, in time$/m);
    expect(out).toMatch(/^due: \d+ rows/m);
    expect(out).toMatch(/^jobs: none$/m);
    expect(out).toMatch(/coordinator\.elected: .*ssu1\.acme\.org/);
  });

  it('cep shows the consumers, and why one is not well', async () => {
    expect((await cli('halon debug cep')).out).toMatch(/^rule-sweep +the schedule .*well$/m);
    world.sleep(minuteMs);
    const { out } = await cli('halon debug cep');
    expect(out).toMatch(/^rule-sweep: the last sweep began 60 s ago \(limit 30 s\)$/m);
  });

  it('node shows what one was told and has said', async () => {
    await lab.call('PUT', 'service-types/echo', { start: ['echo'] });
    await lab.call('POST', 'services/echo/start', { node: ssu1.id });
    const { out, code } = await cli('halon debug node ssu1.acme.org');
    expect(code).toBe(0);
    expect(out).toContain(`ssu1.acme.org (${ssu1.id})`);
    expect(out).toMatch(/^ {2}service echo \S+: to run, starting$/m);
    expect(await cli('halon debug node nobody.acme.org')).toMatchObject({ code: 1, out: '' });
  });

  it.each(['halon debug', 'halon debug all', 'halon debug node', 'halon debug node nonsense!', 'halon debug eq more'])(
    'refuses %s',
    async (line) => {
      expect((await cli(line)).code).toBe(2);
    },
  );
});

describe('halon node enable-traces and disable-traces', () => {
  it('switch traces of one part on and off, which halon debug node shows', async () => {
    expect(await cli('halon node enable-traces ssu1.acme.org -s services')).toEqual({
      code: 0,
      err: '',
      out: 'an operator switched traces of services on\n',
    });
    expect((await cli('halon debug node ssu1.acme.org')).out).toMatch(/^ *traces +services$/m);
    expect((await cli('halon node disable-traces ssu1.acme.org --subsystem services')).out).toBe(
      'an operator switched traces of services off\n',
    );
    expect((await cli('halon node disable-traces ssu1.acme.org -s services')).out).toBe('traces of services are off already\n');
  });

  it.each(['', '-s everything', '-s'])('refuse halon node enable-traces ssu1.acme.org %s', async (rest) => {
    expect((await cli(`halon node enable-traces ssu1.acme.org ${rest}`)).code).toBe(2);
  });
});

describe('the consumers of Muster itself as services on the node muster', () => {
  it('are listed and shown', async () => {
    const { out } = await cli('service list -n muster');
    expect(out.split('\n').map((line) => line.split(' ')[0])).toEqual([
      ...['SERVICE', 'rule-heartbeats', 'rule-reports', 'rule-sweep', 'rule-store-index', 'rule-publish', 'rule-webhooks', ''],
    ]);
    expect((await cli('service list -n muster --type rule-sweep')).out.split('\n')).toHaveLength(3);
    expect((await cli('service show rule-sweep muster')).out).toMatch(/^ *check +the last sweep began/m);
    expect(await cli('service show rule-nonsense muster')).toMatchObject({ code: 1, out: '' });
  });

  it('answer a check at once, with an exit code as OCF has it', async () => {
    expect(await cli('halon service rule-sweep check -n muster')).toEqual({
      code: 0,
      err: '',
      out: 'the last sweep began 0 s ago (limit 30 s)\nno dead letters\n',
    });
    world.sleep(minuteMs);
    expect(await cli('halon service rule-sweep check -n muster')).toMatchObject({ code: 1, out: expect.stringContaining('60 s ago') });
    expect(await cli('halon service rule-sweep status -n muster')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^the schedule: delivers time/),
    });
  });

  it('are started and stopped by nobody, and asked by themselves', async () => {
    for (const order of ['start', 'stop', 'send x', 'reconfigure']) {
      const { code, err } = await against({}, `halon service rule-sweep ${order} -n muster`);
      expect([code, err.includes('belongs to Muster')]).toEqual([2, true]);
    }
    expect(await against({}, 'halon service rule-sweep check -n muster -n ssu1.acme.org')).toMatchObject({ code: 2, routes: [] });
  });
});
