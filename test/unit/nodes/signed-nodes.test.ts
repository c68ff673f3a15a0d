import { beforeEach, describe, expect, it } from 'vitest';
import { keyRef, type MachineKey } from '../../../lib/access/machine-keys.ts';
import { showFingerprint } from '../../../lib/core/ids.ts';
import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import { proofOfRotation } from '../../../lib/identity/rotation-proof.ts';
import type { NodeView } from '../../../lib/nodes/admin-routes.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { Agent, signedIn } from '../../../tools/support/players.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import { stepped, type World, type WorldReply } from '../../../tools/support/stepped.ts';

let world: World;
let node: Agent;
let other: Agent;
beforeEach(async () => {
  world = await stepped();
  node = await new Agent(world, 'node1.acme.org').start();
  other = await new Agent(world, 'node2.acme.org').start();
});

const told = ({ status, body }: WorldReply): readonly unknown[] => [
  status,
  String((body as { type?: string }).type).replace('urn:muster:problem:', ''),
];
const load = { load1: 0, load5: 0, load15: 0, memoryUsedMib: 1, memoryMib: 2, systems: 0 };
const beat = (seq: number) => ({ id: `beat-${seq}`, incarnation: node.incarnation, seq, load });
const rowOf = async (id: string): Promise<Node> => (await world.table.read(keyOf({ noun: 'node', id })))!.body as Node;
const keyState = async (publicKey: string): Promise<MachineKey | undefined> =>
  (await world.table.read(keyOf(keyRef(fingerprintOf(publicKey)))))?.body as MachineKey | undefined;

describe('a call of the agent protocol', () => {
  const path = () => `/nodes/${node.id}/heartbeat`;

  it('without a signature is refused, and told for whom to sign', async () => {
    const reply = await world.call('POST', path(), beat(100));
    expect(told(reply)).toEqual([401, 'signature-missing']);
    expect(reply.headers['muster-deployment']).toBe('test');
    expect(told(await world.call('GET', `/nodes/${node.id}/desired`))).toEqual([401, 'signature-missing']);
  });
  it('by another key, by the key of another node, or for another path says nothing of whose key it is', async () => {
    const stranger = await node.call('POST', path(), beat(100), {}, keyPairOf('a stranger'));
    const neighbour = await node.call('POST', path(), beat(100), {}, other.keys);
    const elsewhere = signedIn(world, { method: 'POST', target: `/nodes/${other.id}/heartbeat`, body: beat(100) }, node.keys);
    const moved = await world.call('POST', path(), beat(100), elsewhere);
    for (const reply of [stranger, neighbour, moved]) expect(told(reply)).toEqual([401, 'signature-invalid']);
    const said = [stranger, neighbour, moved].map(({ body }) => ({ ...(body as object), instance: '' }));
    expect(new Set(said.map((one) => JSON.stringify(one))).size).toBe(1);
    expect((await rowOf(node.id)).seq).not.toBe(100);
  });
  it('whose body was changed on the way is refused', async () => {
    const headers = signedIn(world, { method: 'POST', target: path(), body: beat(100) }, node.keys);
    expect(told(await world.call('POST', path(), beat(101), headers))).toEqual([401, 'digest-mismatch']);
  });
  it('from ten minutes ago is refused, and told our time', async () => {
    const headers = signedIn(world, { method: 'POST', target: path(), body: beat(100) }, node.keys);
    world.sleep(600_000);
    const reply = await world.call('POST', path(), beat(100), headers);
    expect(told(reply)).toEqual([401, 'clock-skew']);
    expect(reply.headers['muster-time']).toBe(String(world.now()));
  });
  it('of a node that there is not is told so, when it is signed', async () => {
    const gone = '/nodes/n0000000000000000/desired';
    expect(told(await node.call('GET', gone))).toEqual([404, 'unknown-node']);
    expect(told(await world.call('GET', gone))).toEqual([401, 'signature-missing']);
    expect(told(await node.call('GET', '/nodes/nobody/desired'))).toEqual([422, 'invalid']);
  });
  it('about another node is refused', async () => {
    const about = (id: string) => [{ id: 'e', type: 'node.ready', version: 1, incarnation: node.incarnation, node: id, data: {} }];
    expect(told(await node.call('POST', `/nodes/${node.id}/events`, about(other.id)))).toEqual([403, 'not-owner']);
    expect((await node.call('POST', `/nodes/${node.id}/events`, about(node.id))).status).toBe(202);
  });
  it('that leaves is taken once; a heartbeat that comes again is the same heartbeat', async () => {
    const leave = { id: 'l', incarnation: node.incarnation, mode: 'drain' };
    const target = `/nodes/${node.id}/leaving`;
    const headers = signedIn(world, { method: 'POST', target, body: leave }, node.keys);
    expect((await world.call('POST', target, leave, headers)).status).toBe(202);
    expect(told(await world.call('POST', target, leave, headers))).toEqual([409, 'nonce-reused']);
    const beats = signedIn(world, { method: 'POST', target: path(), body: beat(50) }, node.keys);
    for (const _time of [1, 2]) expect((await world.call('POST', path(), beat(50), beats)).status).toBe(200);
  });
  it('reads as much as it did before calls were signed', async () => {
    const used = async (call: () => Promise<WorldReply>): Promise<number> => {
      const before = world.table.meter.readUnits;
      expect((await call()).status).toBeLessThan(300);
      return world.table.meter.readUnits - before;
    };
    await node.beat();
    expect(await used(() => node.beat())).toBe(2);
    expect(await used(() => node.desired())).toBe(2);
  });
});

describe('a join', () => {
  const body = { publicKey: keyPairOf('node9').publicKey, fqdn: 'node9.acme.org', kind: 'salt' };
  const join = (sent: unknown, by = keyPairOf('node9')) => node.call('POST', '/nodes/join', sent, {}, by);

  it('is signed by the key that it brings', async () => {
    expect(told(await world.call('POST', '/nodes/join', body))).toEqual([401, 'signature-missing']);
    expect(told(await join(body, node.keys))).toEqual([422, 'fingerprint-mismatch']);
    expect((await join(body)).status).toBe(201);
  });
  it('is taken once', async () => {
    const headers = signedIn(world, { method: 'POST', target: '/nodes/join', body }, keyPairOf('node9'));
    expect((await world.call('POST', '/nodes/join', body, headers)).status).toBe(201);
    expect(told(await world.call('POST', '/nodes/join', body, headers))).toEqual([409, 'nonce-reused']);
  });
  it.each([
    ['weak-key', 'A'.repeat(43)],
    ['weak-key', Buffer.from(`01${'00'.repeat(31)}`, 'hex').toString('base64url')],
    ['unsupported-key', 'short'],
    ['unsupported-key', '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQ\n-----END PUBLIC KEY-----\n'],
    ['unsupported-key', '{"kty":"RSA","e":"AQAB","n":"sXch"}'],
  ])('by a key that is none is refused as %s', async (slug, publicKey) => {
    expect(told(await join({ ...body, publicKey }))).toEqual([422, slug]);
  });
  it('that is none is refused as such, whoever signed it', async () => {
    expect(told(await join({ ...body, publicKey: undefined }))).toEqual([422, 'invalid']);
    expect(told(await world.call('POST', '/nodes/join', { nonsense: true }))).toEqual([422, 'invalid']);
  });
});

describe('another key for a node', () => {
  const next = keyPairOf('the next key');
  const rotate = async (to = next, { by = node.keys, signer = to, deployment = 'test', id = node.id } = {}) => {
    const rotation = { deployment, node: id, from: (await rowOf(node.id)).publicKey, to: to.publicKey };
    return node.call('POST', `/nodes/${node.id}/rotate`, { publicKey: to.publicKey, proof: proofOfRotation(rotation, signer) }, {}, by);
  };
  const beatBy = (keys: Agent['keys']) => node.call('GET', `/nodes/${node.id}/desired`, undefined, {}, keys);

  it('is good as soon as it is named, and the one before until the new one has signed', async () => {
    expect(await rotate()).toMatchObject({ status: 202, body: { fingerprint: fingerprintOf(next.publicKey) } });
    expect((await beatBy(node.keys)).status).toBe(200);
    // The answer was lost, and the agent asks again.
    expect((await rotate()).status).toBe(202);

    expect((await beatBy(next)).status).toBe(200);

    expect(told(await beatBy(node.keys))).toEqual([401, 'signature-invalid']);
    expect((await beatBy(next)).status).toBe(200);
    expect(await rowOf(node.id)).toMatchObject({ id: node.id, publicKey: next.publicKey });
    expect(await rowOf(node.id)).not.toHaveProperty('nextKey');
    expect(await keyState(next.publicKey)).toMatchObject({ owner: { noun: 'node', id: node.id }, state: 'bound' });
    expect(await keyState(node.publicKey)).toMatchObject({ owner: { noun: 'node', id: node.id }, state: 'revoked' });
  });
  it('is shown before it is taken and after, and its taking is told once', async () => {
    const shownKey = async () => ((await world.call('GET', `/api/v1/nodes/${node.id}`)).body as NodeView).key;
    const [first, second] = [node.publicKey, next.publicKey].map((key) => showFingerprint(fingerprintOf(key)));
    const since = new Date((await keyState(node.publicKey))!.at).toISOString();
    expect(await shownKey()).toEqual({ fingerprint: first, since });
    await rotate();
    expect(await shownKey()).toEqual({ fingerprint: first, since, next: second });
    world.sleep(1_000);
    const taken = new Date(world.now()).toISOString();
    for (const _time of [1, 2]) await beatBy(next);
    await world.step(0);
    expect(await shownKey()).toEqual({ fingerprint: second, since: taken });
    const events = world.bus.published.filter(({ type }) => type === 'node.rekeyed');
    expect(events.map(({ time, data }) => ({ time, data }))).toMatchObject([
      { time: taken, data: { node: node.id, fingerprint: fingerprintOf(next.publicKey), before: fingerprintOf(node.publicKey) } },
    ]);
  });
  it('keeps the node what it is, also when it joins again', async () => {
    await rotate();
    await beatBy(next);
    const body = { publicKey: next.publicKey, fqdn: node.fqdn, kind: 'salt' };
    expect(await node.call('POST', '/nodes/join', body, {}, next)).toMatchObject({ status: 201, body: { node: node.id } });
  });
  it('does not go back to one that was given up, and takes none of another', async () => {
    await rotate();
    await beatBy(next);
    expect(told(await rotate(node.keys, { by: next }))).toEqual([409, 'key-in-use']);
    expect(told(await rotate(other.keys, { by: next }))).toEqual([409, 'key-in-use']);
  });
  it('must prove itself, for this node, this key and this deployment', async () => {
    expect(told(await rotate(next, { signer: { ...keyPairOf('a thief') } }))).toEqual([422, 'proof-invalid']);
    expect(told(await rotate(next, { deployment: 'another' }))).toEqual([422, 'proof-invalid']);
    expect(told(await rotate(next, { id: other.id }))).toEqual([422, 'proof-invalid']);
  });
  it('is named by the node alone', async () => {
    expect(told(await rotate(next, { by: next }))).toEqual([401, 'signature-invalid']);
    expect(told(await rotate(next, { by: other.keys }))).toEqual([401, 'signature-invalid']);
  });
  it('is the last one that was named', async () => {
    const last = keyPairOf('the last key');
    await rotate();
    await rotate(last);
    expect(told(await beatBy(next))).toEqual([401, 'signature-invalid']);
    expect((await beatBy(last)).status).toBe(200);
  });
  it('is taken by two calls at once as by one', async () => {
    await rotate();
    expect(
      (await Promise.all([beatBy(next), beatBy(next), node.call('GET', `/nodes/${node.id}/systems`, undefined, {}, next)])).map(
        ({ status }) => status,
      ),
    ).toEqual([200, 200, 200]);
    expect(told(await beatBy(node.keys))).toEqual([401, 'signature-invalid']);
  });
});
