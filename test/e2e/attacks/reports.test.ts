import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../lib/contract.ts';
import { aNodeUp, someFacts, someLoad, type TestAgent } from '../../../tools/support/actors.ts';
import { eventually } from '../../../tools/support/host.ts';
import { apiAt } from '../../../tools/support/operator.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import { aStronghold, type Stronghold, told } from './stronghold.ts';

let host: Stronghold;
let node: TestAgent;
let neighbour: TestAgent;
beforeAll(async () => {
  host = await aStronghold();
  node = await aNodeUp(host.url, 'node1.acme.org');
  neighbour = await aNodeUp(host.url, 'node2.acme.org');
  host.keepSecret(node.keys.privateKey, neighbour.keys.privateKey);
  await host.settle();
});
afterAll(() => host.stop());
afterEach(() => host.unharmed());

const says = (what: string, body: unknown, id: string = node.id) =>
  host.attack({ method: 'POST', path: `/nodes/${id}/${what}`, body, by: node.keys });
const beat = (more: object = {}) => ({ id: 'a-beat', incarnation: node.incarnation, seq: 9, load: someLoad, ...more });
const event = (more: object = {}) => ({
  id: 'an-event',
  type: 'node.ready',
  version: 1,
  incarnation: node.incarnation,
  data: {},
  ...more,
});

describe('attack 19', () => {
  it('attack 19: a report of an incarnation that is not the acknowledged one is answered: send node-up', async () => {
    const old = node.incarnation;
    await node.up();
    await host.settle();
    for (const incarnation of [old, node.incarnation + 1]) {
      expect(told(await says('heartbeat', beat({ incarnation })))).toEqual([409, 'send-node-up']);
      expect(told(await says('events', [event({ incarnation })]))).toEqual([409, 'send-node-up']);
      expect(told(await says('leaving', { id: 'leave', incarnation, mode: 'drain' }))).toEqual([409, 'send-node-up']);
    }
  });
  it('attack 19: a heartbeat of a node that never joined is told so', async () => {
    const call = { method: 'POST', path: '/nodes/n0000000000000000/heartbeat', body: beat(), by: keyPairOf('a stranger') };
    expect(told(await host.attack(call))).toEqual([404, 'unknown-node']);
  });
});

describe('attack 20', () => {
  it('attack 20: a number that goes back is answered, and changes nothing', async () => {
    expect((await says('heartbeat', beat({ seq: 500 }))).status).toBe(200);
    await host.settle();
    for (const seq of [500, 499, 1, 0]) expect((await says('heartbeat', beat({ seq }))).status, String(seq)).toBe(200);
  });
  it.each([2 ** 53, -1, 1.5, '501', null, [501]])('attack 20: %j is no number of a report', async (seq) => {
    expect(told(await says('heartbeat', beat({ seq })))).toEqual([422, 'invalid', '/seq']);
  });
});

describe('attack 21', () => {
  it('attack 21: two boots that take turns under one key are told so, and the node is quarantined', async () => {
    const twin = await aNodeUp(host.url, 'twin.acme.org');
    await twin.up(undefined, 'boot-of-the-one');
    await twin.up(undefined, 'boot-of-the-other');
    await host.settled();

    const own = { id: 'of-the-other', incarnation: twin.incarnation, seq: 1, load: someLoad };
    expect((await host.attack({ method: 'POST', path: `/nodes/${twin.id}/heartbeat`, body: own, by: twin.keys })).status).toBe(200);

    const boot = { id: 'boot-of-the-one', kernel: 'kernel-1' };
    const up = { id: 'up-again', boot, facts: someFacts('twin.acme.org') };
    const again = () => host.attack({ method: 'POST', path: `/nodes/${twin.id}/up`, body: up, by: twin.keys });

    // For five seconds it may have been on its way; a machine that is there asks again.
    await eventually('it is told so', async () => {
      const answer = await again();
      return answer.status === 409 && told(answer)[1] === 'key-cloned';
    });
    await eventually('the node is quarantined', async () => {
      const seen = await apiAt(host.url)(contract.getNode, { params: { id: twin.id } });
      return seen.ok && seen.body.status === 'quarantined';
    });
    const happened = await apiAt(host.url)(contract.history, { params: { kind: 'node', id: twin.id } });
    expect(happened.ok && happened.body.items).toContainEqual(
      expect.objectContaining({ type: 'node.quarantined', data: expect.objectContaining({ reason: 'clone' }) }),
    );
    const beats = { id: 'b', incarnation: twin.incarnation, seq: 9, load: someLoad };
    const refused = await host.attack({ method: 'POST', path: `/nodes/${twin.id}/heartbeat`, body: beats, by: twin.keys });
    expect(told(refused)).toEqual([409, 'quarantined']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await host.settle();
  });
});

describe('attack 22', () => {
  it('attack 22: a node speaks for no other, in its events or at its door', async () => {
    expect(told(await says('events', [event({ node: neighbour.id })]))).toEqual([403, 'not-owner', '/0/node']);
    expect(told(await says('events', [event(), event({ id: 'two', node: neighbour.id })]))).toEqual([403, 'not-owner', '/1/node']);
    expect(told(await says('events', [event()], neighbour.id))).toEqual([401, 'signature-invalid']);
    expect(told(await says('leaving', { id: 'l', incarnation: 1, mode: 'drain' }, neighbour.id))).toEqual([401, 'signature-invalid']);
  });
});

describe('attack 23', () => {
  it('attack 23: a report of a type or version that nobody knows is refused at the door', async () => {
    expect(told(await says('events', [event({ type: 'node.sideways' })]))).toEqual([422, 'unknown-type', '/0/type']);
    expect(told(await says('events', [event(), event({ version: 2 })]))).toEqual([422, 'unknown-type', '/1/version']);
    expect(told(await says('events', [event({ type: '__proto__' })]))).toEqual([422, 'unknown-type', '/0/type']);
  });
  it.each([
    [{ type: 'node.sideways', version: 1 }, 'unknown-type'],
    [{ type: 'node.ready', version: 2 }, 'wrong-shape'],
  ])('attack 23: one that is in the queue all the same is put aside: %j', async (report, code) => {
    const stamped = { ...event(report), node: node.id, receivedAt: host.shell.now(), intervalMs: 60_000 };
    await host.queue.send('reports', JSON.stringify(stamped));
    const letter = await eventually('it is a dead letter', async () => {
      const listed = await apiAt(host.url)(contract.listDeadLetters, { query: { limit: 50 } });
      return listed.ok && listed.body.items.find(({ first }) => first.code === code);
    });
    expect(letter).toMatchObject({ first: { code }, queue: 'reports', status: 'dead' });
    expect((await host.changes()).filter((key) => !key.startsWith('dead#'))).toEqual([]);
    await host.settle();
  });
});
