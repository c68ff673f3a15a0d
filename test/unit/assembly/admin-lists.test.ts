import { beforeEach, describe, expect, it } from 'vitest';
import { Agent, factsOf } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';

let world: World;
beforeEach(async () => {
  world = await stepped();
});
const fqdns = Array.from({ length: 150 }, (_, n) => factsOf(`node${n}.acme.org`).fqdn).sort();

describe('a list of nodes', () => {
  it('has pages of more nodes than the table hands out at once', async () => {
    for (const fqdn of fqdns) await new Agent(world, fqdn).join();

    const { status, body } = await world.call('GET', '/api/v1/nodes?limit=200');

    expect(status).toBe(200);
    const { items, next } = body as { items: { fqdn: string }[]; next?: string };
    expect([items.map(({ fqdn }) => fqdn).sort(), next]).toEqual([fqdns, undefined]);
  });
});
