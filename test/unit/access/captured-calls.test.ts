import { beforeEach, describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import { proofOfRotation } from '../../../lib/identity/rotation-proof.ts';
import type { DigestRow } from '../../../lib/nodes/digests/digest.ts';
import { rotate } from '../../../lib/nodes/handlers/rotate.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { aRequest } from '../../../tools/support/a-request.ts';
import { Agent, factsOf, signedIn } from '../../../tools/support/players.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import { stepped, type World, type WorldReply } from '../../../tools/support/stepped.ts';

let world: World;
let node: Agent;
beforeEach(async () => {
  world = await stepped();
  node = await new Agent(world, 'node1.acme.org').start();
});

const bodyOf = async <T>(noun: string): Promise<T> => (await world.table.read(keyOf({ noun, id: node.id })))!.body as T;
const told = ({ status, body }: WorldReply): readonly unknown[] => [
  status,
  String((body as { type?: string }).type).replace('urn:muster:problem:', ''),
];

/** A call of the node's as somebody on its way could keep it, to be made as often as he likes. */
function captured(what: string, body: object): () => Promise<WorldReply> {
  const target = `/nodes/${node.id}/${what}`;
  const headers = signedIn(world, { method: 'POST', target, body }, node.keys);
  return () => world.call('POST', target, body, headers);
}

const upOf = (boot: string) => captured('up', { id: `up-of-${boot}`, boot: { id: boot, kernel: 'kernel-1' }, facts: factsOf(node.fqdn) });

describe('a call that somebody captured and makes again', () => {
  it('from before a restart is no other machine with the same key', async () => {
    const earlier = upOf('node1-boot-2');
    expect((await earlier()).status).toBe(202);
    await world.step(1_000);
    expect((await upOf('node1-boot-3')()).status).toBe(202);
    await world.step(1_000);
    expect(told(await earlier())).toEqual([409, 'nonce-reused']);
    await world.step(1_000);
    expect(await bodyOf<Node>('node')).toMatchObject({ status: 'up', boot: { id: 'node1-boot-3' } });
  });

  it('does not bring an older digest back', async () => {
    const load = { load1: 0, load5: 0, load15: 0, memoryUsedMib: 1, memoryMib: 2, systems: 0 };
    const { incarnation } = await bodyOf<Node>('node');
    const beat = (seq: number, bits: string) =>
      captured('heartbeat', { id: `beat-${seq}`, incarnation, seq, load, digest: { listVersion: 0, bits } });
    const older = beat(100, 'AQ==');
    await older();
    await world.step(100);
    await beat(101, 'AA==')();
    await world.step(100);
    const now = await bodyOf<DigestRow>('digest');
    expect(now.bits).toEqual(new Uint8Array([0]));
    expect((await older()).status).toBe(200);
    await world.step(100);
    expect(await bodyOf<DigestRow>('digest')).toEqual(now);
  });
});

describe('a key that was given up', () => {
  const [next, thief] = [keyPairOf('the next key'), keyPairOf('a thief')];
  const naming = (from: string, to = next) => {
    const proof = proofOfRotation({ deployment: 'test', node: node.id, from, to: to.publicKey }, to);
    return { publicKey: to.publicKey, proof };
  };

  it('while its call was under way names no key after it', async () => {
    const before = await bodyOf<Node>('node');
    await node.call('POST', `/nodes/${node.id}/rotate`, naming(node.publicKey));
    expect((await node.call('GET', `/nodes/${node.id}/desired`, undefined, {}, next)).status).toBe(200);
    const who = `node:${node.id}`;
    const actor = { who, source: '192.0.2.1', request: 'r' };
    const caller = { who, source: actor.source, actor, keyId: fingerprintOf(node.publicKey), signedBy: world.now() };
    const late = rotate(
      {
        params: { id: node.id },
        query: {},
        request: aRequest({}),
        caller: { ...caller, node: before },
        body: naming(node.publicKey, thief) as never,
      },
      world.environment('node-door'),
    );
    await expect(late).rejects.toMatchObject({ type: 'signature-invalid' });
    expect(await bodyOf<Node>('node')).not.toHaveProperty('nextKey');
  });

  it('is not given up by either of two machines that have it, before an operator has looked', async () => {
    for (const boot of ['node1-boot-2', 'node1-boot-3', 'node1-boot-2', 'node1-boot-3']) {
      await upOf(boot)();
      await world.step(6_000);
    }
    expect(await bodyOf<Node>('node')).toMatchObject({ status: 'quarantined', reason: 'clone' });
    const rotating = () => node.call('POST', `/nodes/${node.id}/rotate`, naming(node.publicKey, thief));
    expect(told(await rotating())).toEqual([409, 'quarantined']);
    expect(await bodyOf<Node>('node')).not.toHaveProperty('nextKey');
    await world.call('POST', `/api/v1/nodes/${node.id}/leave`, { mode: 'stay' });
    expect((await rotating()).status).toBe(202);
  });

  it('with its node takes the key that it had named with it', async () => {
    await node.call('POST', `/nodes/${node.id}/rotate`, naming(node.publicKey, thief));
    node.fallSilent();
    expect((await world.call('POST', `/api/v1/nodes/${node.id}/remove`, {})).status).toBe(202);
    await world.step(60_000);
    await world.call('POST', '/api/v1/node-pool/admit', { hosts: [fingerprintOf(node.publicKey)] });
    expect(told(await node.call('GET', `/nodes/${node.id}/desired`, undefined, {}, thief))).toEqual([401, 'signature-invalid']);
    expect((await node.call('GET', `/nodes/${node.id}/desired`)).status).toBe(200);
  });
});
