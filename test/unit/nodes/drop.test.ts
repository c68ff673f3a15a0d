import { beforeEach, describe, expect, it } from 'vitest';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import type { ZoneHead } from '../../../lib/zones/zone.ts';
import { Agent } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';

let world: World;
let nodes: Agent[];
beforeEach(async () => {
  world = await stepped();
  nodes = [];
  for (const n of [1, 2, 3, 4]) nodes.push(await new Agent(world, `node${n}.acme.org`).start());
});
const drop = ({ id }: Agent, body: object = {}) => world.call('POST', `/api/v1/nodes/${id}/drop`, body);
const statusOf = async ({ id }: Agent): Promise<unknown> =>
  ((await world.call('GET', `/api/v1/nodes/${id}`)).body as { status: string }).status;

/** Three of four nodes fall silent, which is rule 7: nobody is given up. */
async function mostFallSilent(): Promise<void> {
  for (const node of nodes.slice(0, 3)) node.fallSilent();
  await world.step(120_000);
  expect(await statusOf(nodes[0]!)).toBe('suspect');
}

describe('an order to drop a node', () => {
  it('that a guard-rail holds is refused with the rule and its reason, and carried out once it names that rule', async () => {
    await mostFallSilent();

    const refused = await drop(nodes[0]!);
    expect(refused).toMatchObject({ status: 409, body: { type: 'urn:muster:problem:refused' } });
    expect((refused.body as { detail: string }).detail).toMatch(
      /node1\.acme\.org is held: rule 7: 3 of 4 nodes fell silent; .* --overrule 7$/,
    );
    expect(await drop(nodes[0]!, { overrule: [6, 8, 16] })).toMatchObject({ status: 409 });
    expect(await drop(nodes[0]!, { overrule: [7] })).toMatchObject({ status: 202, body: { done: true } });
    // What was ordered by name once need not be named again.
    expect(await drop(nodes[0]!)).toMatchObject({ status: 202 });

    await world.step(5_000);
    expect(await statusOf(nodes[0]!)).toBe('dropped');
    expect(await statusOf(nodes[1]!)).toBe('suspect');
  });

  it('about one that serves is carried out in the same zone without a word', async () => {
    await mostFallSilent();
    expect(await drop(nodes[3]!)).toMatchObject({ status: 202, body: { done: true } });
  });

  it('says that moves are frozen, and what that means for its client systems', async () => {
    await world.call('POST', '/api/v1/zones/default/freeze', { what: 'moves' });
    const { body } = await drop(nodes[0]!);
    expect(body).toMatchObject({
      done: true,
      because: expect.stringContaining('rule 16: an operator has frozen the zone: slots stay where they are'),
    });

    await world.step(5_000);
    const head = (await world.table.read(keyOf({ noun: 'zone', id: 'default' })))?.body as ZoneHead;
    expect([await statusOf(nodes[0]!), head.budgets.atOnce]).toEqual(['dropped', [0]]);
  });
});
