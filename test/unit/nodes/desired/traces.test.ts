import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Desired, TraceSubsystem } from '../../../../lib/nodes/desired/desired.ts';
import { decideTraces } from '../../../../lib/nodes/desired/traces.ts';
import { Agent } from '../../../../tools/support/players.ts';
import { stepped } from '../../../../tools/support/stepped.ts';

describe('traces of a node', () => {
  it('are part of what its agent is told, and move its revision only when they change', async () => {
    const world = await stepped();
    const node = await new Agent(world, 'node1.acme.org').start();
    const told = async () => {
      const { body, headers } = await node.call('GET', `/nodes/${node.id}/desired`);
      return { traces: (body as { traces?: string[] }).traces, etag: headers['etag'] };
    };
    const set = async (subsystem: string, on: boolean) =>
      (await world.call('PUT', '/api/v1/nodes/node1.acme.org/traces', { subsystem, on })).body as { done: boolean; traces: string[] };
    const before = await told();
    expect(await set('http', false)).toMatchObject({ done: false, traces: [] });
    expect(await told()).toEqual(before);
    expect(await set('http', true)).toMatchObject({ done: true, because: 'an operator switched traces of http on', traces: ['http'] });
    expect(await set('services', true)).toMatchObject({ traces: ['services', 'http'] });
    const on = await told();
    expect(on).toEqual({ traces: ['services', 'http'], etag: expect.not.stringMatching(before.etag!) });
    expect(await set('http', true)).toMatchObject({ done: false });
    expect(await told()).toEqual(on);
    await set('http', false);
    await set('services', false);
    expect((await told()).traces).toBeUndefined();
    expect((await world.call('PUT', '/api/v1/nodes/node1.acme.org/traces', { subsystem: 'all', on: true })).status).toBe(422);
    expect((await world.call('PUT', '/api/v1/nodes/nobody.acme.org/traces', { subsystem: 'http', on: true })).status).toBe(404);
  });

  it('are those that were switched on last, whatever the order', () => {
    const order = fc.record({ id: fc.constant('o'), subsystem: fc.constantFrom(...TraceSubsystem.options), on: fc.boolean() });
    fc.assert(
      fc.property(fc.array(order), (orders) => {
        const kept: Desired = { release: [], orders: 3 };
        let desired = kept;
        for (const one of orders) {
          const decision = decideTraces(desired, one);
          if (decision.does === 'write') desired = decision.next;
        }
        const wanted = TraceSubsystem.options.filter((part) => orders.findLast(({ subsystem }) => subsystem === part)?.on);
        expect(desired).toEqual({ ...kept, ...(wanted.length > 0 && { traces: wanted }) });
      }),
    );
  });
});
