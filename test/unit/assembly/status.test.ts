import { beforeEach, describe, expect, it } from 'vitest';
import { deadCountedMax } from '../../../lib/assembly/status-routes.ts';
import { putAside } from '../../../lib/runtime/dead.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';

let world: World;
beforeEach(async () => {
  world = await stepped();
});
const setAside = async (count: number, body = '{}'): Promise<void> => {
  for (let n = 0; n < count; n++) {
    const message = { id: `message-${n}`, queue: 'reports', via: 'bus', body, sentAt: world.now(), receives: 1 } as const;
    await putAside(world.environment('reports'), message, 'wrong-shape', 'no report');
  }
};
const status = async () => (await world.call('GET', '/api/v1/status')).body as { deadLetters: number };

describe('the count of dead letters', () => {
  it('is whole however large they are, and reads none of them', async () => {
    await setAside(40, 'x'.repeat(64 * 1024));
    const before = world.table.meter.readUnits;

    expect((await status()).deadLetters).toBe(40);
    expect(world.table.meter.readUnits - before).toBeLessThan(40);
  });

  it('ends where it says so', async () => {
    await setAside(deadCountedMax + 1);
    expect((await status()).deadLetters).toBe(deadCountedMax);
  });

  it('spreads over partitions, so that a flood of them is not one hot key', async () => {
    await setAside(200);
    const partitions = [...world.table.rows.values()].flatMap(({ key }) => (key.pk.startsWith('dead#') ? [key.pk] : []));
    expect(new Set(partitions).size).toBe(16);
  });
});
