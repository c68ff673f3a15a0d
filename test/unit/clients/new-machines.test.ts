import { beforeEach, describe, expect, it } from 'vitest';
import { hourMs, minuteMs } from '../../../lib/core/time.ts';
import { Deployment } from '../../../lib/deployment/deployment.ts';
import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { nameOf } from '../../../lib/ports/table/table.ts';
import { Daemon } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';

let world: World;
beforeEach(async () => {
  world = await stepped();
});
const limit = async (newKeysPerSource: number): Promise<void> => {
  await world.call('PATCH', '/api/v1/settings', { newKeysPerSource });
  await world.step(5_001);
};
let made = 0;
const aMachine = (): Daemon => new Daemon(world, `web${++made}.acme.org`);
const knocked = async (count: number): Promise<number[]> => {
  const statuses: number[] = [];
  for (let n = 0; n < count; n++) statuses.push((await aMachine().knock()).status);
  return statuses;
};

describe('machines that nobody knows', () => {
  it('are let in up to so many an hour from one source; the others are told when to come back, and leave nothing behind but that they were refused', async () => {
    await limit(3);
    expect(await knocked(3)).toEqual([200, 200, 200]);
    world.sleep(10 * minuteMs);
    const rows = () => new Map([...world.table.rows].filter(([name]) => !name.startsWith('onboarding-refusals')));
    const before = rows();
    const refused = aMachine();

    const answer = await refused.knock();

    expect(answer).toMatchObject({ status: 429, body: { type: 'urn:muster:problem:onboarding-rate' } });
    const waitS = Number(answer.headers['retry-after']);
    expect([waitS > 50 * 60 - 60, waitS <= 51 * 60]).toEqual([true, true]);
    expect(rows()).toEqual(before);
    world.sleep(waitS * 1_000);
    expect((await refused.knock()).body).toBe('0');
  });

  it('are counted once each, and nobody who is known is counted', async () => {
    await limit(2);
    const [one, other] = [aMachine(), aMachine()];
    for (const daemon of [one, one, other, one, other]) expect((await daemon.knock()).status).toBe(200);
    await world.call('POST', '/api/v1/systems/accept', { systems: [one.fp] });
    expect((await one.knock()).status).toBe(200);
    expect(await knocked(1)).toEqual([429]);
  });

  it('are let in again in the next hour', async () => {
    await limit(1);
    expect(await knocked(2)).toEqual([200, 429]);
    world.sleep(hourMs);
    expect(await knocked(2)).toEqual([200, 429]);
  });

  it('are 1,000 an hour unless somebody says otherwise, and any number where there is no cap', async () => {
    const settings = await world.call('GET', '/api/v1/settings');
    expect(settings).toMatchObject({ body: { newKeysPerSource: 1_000, openCalls: true } });
    await limit(0);
    expect(new Set(await knocked(20))).toEqual(new Set([200]));
    expect(world.table.rows.has(nameOf(keyOf({ noun: 'source', id: '2130706433' })))).toBe(false);
  });

  it('are no more than the cap, whatever flood of new keys comes from one address', async () => {
    await limit(25);
    const flood = Array.from({ length: 100 }, aMachine);
    for (let at = 0; at < flood.length; at += 4)
      await Promise.all(flood.slice(at, at + 4).map(async (daemon) => expect([200, 429, 503]).toContain((await daemon.knock()).status)));
    const pooled = flood.filter(({ publicKey }) => world.table.rows.has(nameOf(keyOf({ noun: 'client', id: fingerprintOf(publicKey) }))));
    expect(pooled.length).toBeLessThanOrEqual(25);
    expect(pooled.length).toBeGreaterThan(20);
  });
});

it('the settings that say so are of the deployment’s row', async () => {
  await limit(7);
  const row = world.table.rows.get(nameOf(keyOf({ noun: 'deployment', id: 'deployment' })))!;
  expect(Deployment.parse(row.body)).toMatchObject({ newKeysPerSource: 7 });
});
