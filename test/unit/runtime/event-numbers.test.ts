import { describe, expect, it } from 'vitest';
import { dayMs } from '../../../lib/core/time.ts';
import { Daemon } from '../../../tools/support/players.ts';
import { stepped } from '../../../tools/support/stepped.ts';

describe('a key that knocks again after its knock has expired', () => {
  it('is seen anew, under a number that no event before had, and its history holds both', async () => {
    const world = await stepped();
    const web = new Daemon(world, 'web1.acme.org');
    await web.knock();
    await world.step(0);
    world.sleep(31 * dayMs);
    // Long enough for the table to be rid of what it may remove.
    await world.step(60_000);
    expect(await world.call('GET', `/api/v1/systems/${web.fp}`)).toMatchObject({ status: 404 });

    await web.knock();
    await world.step(0);

    const seen = world.bus.published.filter(({ type }) => type === 'client.seen');
    expect(seen.map(({ id }) => id)).toEqual([`client/${web.fp}#1`, `client/${web.fp}#2`]);
    expect(await world.call('GET', `/api/v1/history/system/${web.fp}`)).toMatchObject({ body: { items: [{ seq: 1 }, { seq: 2 }] } });
  });
});

describe('what an event is about', () => {
  it('can be asked for by the very name it has in the event', async () => {
    const world = await stepped();
    await new Daemon(world, 'web1.acme.org').knock();
    await world.step(0);
    const { subject } = world.bus.published[0]!;

    expect(subject).toMatch(/^client\//);
    expect(await world.call('GET', `/api/v1/history/${subject}`)).toMatchObject({
      status: 200,
      body: { items: [{ type: 'client.seen' }] },
    });
    expect(await world.call('GET', `/api/v1/explain/${subject}`)).toMatchObject({ body: { subject: 'client system web1.acme.org' } });
  });
});
