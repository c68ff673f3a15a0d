import { describe, expect, it } from 'vitest';
import { minuteMs, secondMs } from '../../../lib/core/time.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import { stepped } from '../../../tools/support/stepped.ts';

const everyMs = 15 * secondMs;

describe('a client whose node is down and that is kept for it', () => {
  const down = async (settings: object = {}) => {
    const world = await stepped({ admitEveryMs: everyMs, countEveryMs: 10_000, zoneMaxAgeMs: 0 });
    const node = await new Agent(world, 'node1.acme.org').start();
    const web = await new Daemon(world, 'web1.acme.org').onboarded();
    await new Agent(world, 'node2.acme.org').start();
    await world.step(10 * minuteMs);
    const mine = (await world.call('GET', `/api/v1/systems/${web.fp}`)).body as { node: { fqdn: string } };
    if (Object.keys(settings).length > 0) await world.call('PATCH', '/api/v1/zones/default', settings);
    return { world, node, web, mine: mine.node.fqdn };
  };

  it('stays onboarded, calls every minute, and is shown held with the reason', async () => {
    const { world, node, web, mine } = await down();
    if (mine !== node.fqdn) await web.orphan();
    node.fallSilent();
    await world.step(minuteMs);

    const status = await web.status();
    expect(status.body).toBe('1');
    expect(Math.abs(Number(status.headers['muster-next']) - 60)).toBeLessThanOrEqual(6);
    expect((await world.call('GET', `/api/v1/systems/${web.fp}`)).body).toMatchObject({
      status: 'onboarded',
      held: expect.stringMatching(/^node1\.acme\.org has been down since .*; its client systems are retained for it until 2/),
    });
    expect((await world.call('GET', `/api/v1/explain/system/${web.fp}`)).body).toMatchObject({
      also: expect.arrayContaining([{ subject: 'held', because: expect.stringContaining('node1.acme.org has been down') }]),
    });
    expect((await world.call('GET', '/api/v1/zones/default')).body).toMatchObject({
      kept: [{ fqdn: 'node1.acme.org' }],
      remapAfterMs: 600_000,
    });
    expect((await world.call('GET', '/api/v1/systems?held=yes')).body).toMatchObject({ items: [{ fp: web.fp }] });
  });

  it('is an orphan at once when it says that it is lost, and when that time is over', async () => {
    const { world, node, web } = await down({ remapAfterMs: 5 * minuteMs });
    node.fallSilent();
    await world.step(minuteMs);

    expect((await web.status()).body).toBe('1');
    expect((await web.status({ lost: true })).body).toBe('2');
    expect((await web.knock({ lost: true })).body).toBe('2');
    await world.step(5 * minuteMs);
    expect((await web.status()).body).toBe('2');
  });

  it('is not kept where an operator has said so', async () => {
    const { world, node, web } = await down({ remapAfterMs: 0 });
    node.fallSilent();
    await world.step(minuteMs);

    expect((await web.status()).body).toBe('2');
  });
});

describe('the settings of a zone', () => {
  it('are set one by one, null as usual, and shown', async () => {
    const world = await stepped();
    const set = async (body: object) => (await world.call('PATCH', '/api/v1/zones/default', body)).body;

    expect(await set({ remapAfterMs: 60_000 })).toMatchObject({
      remapAfterMs: 60_000,
      mode: 'production',
      because: expect.stringContaining('60 s'),
    });
    expect(await set({ mode: 'recovery', meanwhile: 'hold' })).toMatchObject({ mode: 'recovery', meanwhile: 'hold' });
    expect(await set({ meanwhile: 'elsewhere' })).toMatchObject({ remapAfterMs: 60_000 });
    expect(await set({ mode: 'production', remapAfterMs: null })).toMatchObject({ remapAfterMs: 0, mode: 'production' });
  });
});
