import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { signingHeaders } from '../../../lib/api/signed.ts';
import type { KeyPair } from '../../../lib/identity/key-pair.ts';
import { proofOfRotation } from '../../../lib/identity/rotation-proof.ts';
import { contentDigestOf } from '../../../lib/identity/signature.ts';
import { aNodeUp, someLoad, type TestAgent } from '../../../tools/support/actors.ts';
import { keyPairOf, signedBy } from '../../../tools/support/signing.ts';
import { type Attack, aStronghold, type Stronghold, shapeOf, told, toldSigner } from './stronghold.ts';

let host: Stronghold;
let node: TestAgent;
let neighbour: TestAgent;
const [newHost, newClient, thief] = [keyPairOf('node9.acme.org'), keyPairOf('web9.acme.org'), keyPairOf('a thief')];

beforeAll(async () => {
  host = await aStronghold();
  node = await aNodeUp(host.url, 'node1.acme.org');
  neighbour = await aNodeUp(host.url, 'node2.acme.org');
  host.keepSecret(...[node.keys, neighbour.keys, newHost, newClient].map(({ privateKey }) => privateKey));
  await host.settle();
});
afterAll(() => host.stop());
afterEach(() => host.unharmed());

const beat = (seq = 50): object => ({ id: `beat-${seq}`, incarnation: node.incarnation, seq, load: someLoad });
/**
 * One call of each kind of signer: a client system that nobody knows, a host that joins, a node, and a node's question.
 */
const signedCalls = (): readonly (Attack & { readonly by: KeyPair })[] => [
  {
    method: 'POST',
    path: '/system/knock',
    body: { publicKey: newClient.publicKey, fqdn: 'web9.acme.org', machineId: 'machine-9' },
    by: newClient,
  },
  { method: 'POST', path: '/nodes/join', body: { publicKey: newHost.publicKey, fqdn: 'node9.acme.org', kind: 'salt' }, by: newHost },
  { method: 'POST', path: `/nodes/${node.id}/heartbeat`, body: beat(), by: node.keys },
  { method: 'GET', path: `/nodes/${node.id}/desired`, by: node.keys },
];
/** Each of those calls with its signature changed, as it is refused. */
const each = async (change: (call: Attack & { readonly by: KeyPair }) => Attack) =>
  Promise.all(signedCalls().map(async (call) => toldSigner(await host.attack(change(call)))));
const fourTimes = (...answer: readonly (number | string)[]) => Array(4).fill(answer);
const input =
  (change: (input: string) => string): Attack['tamper'] =>
  (headers) => ({ ...headers, 'signature-input': change(headers['signature-input']!) });

describe('attack 1', () => {
  it('attack 1: a knock, a join and a node’s calls without a signature are refused, and told for whom to sign', async () => {
    expect(await each(({ by: _nobody, ...call }) => call)).toEqual(fourTimes(401, 'signature-missing'));
    const half = input(() => '');
    expect(await each((call) => ({ ...call, tamper: half! }))).toEqual(fourTimes(401, 'signature-missing'));
  });
});

describe('attack 2', () => {
  it('attack 2: a signature by another key under the right keyid says nothing of whose key it is', async () => {
    const forged = ({ by, ...call }: Attack & { readonly by: KeyPair }) => ({ ...call, by: { ...thief, publicKey: by.publicKey } });
    expect(await each(forged)).toEqual(fourTimes(401, 'signature-invalid'));
  });
});

describe('attack 3', () => {
  it('attack 3: a valid signature over another body is refused', async () => {
    for (const call of signedCalls().filter(({ body }) => body !== undefined)) {
      const [path = '', query = ''] = call.path.split('?');
      const was = signedBy(call.by, { method: 'POST', path, query, body: JSON.stringify(call.body) }, now());
      const { by: _signed, ...unsigned } = call;
      const answer = await host.attack({ ...unsigned, body: `${JSON.stringify(call.body)} `, headers: was });
      expect(toldSigner(answer)).toEqual([401, 'digest-mismatch']);
    }
    const question = await host.attack({
      ...signedCalls()[3]!,
      tamper: (headers) => ({ ...headers, 'content-digest': contentDigestOf('{}') }),
    });
    expect(toldSigner(question)).toEqual([401, 'digest-mismatch']);
  });
});

describe('attack 4', () => {
  it('attack 4: a signature that does not cover the digest of the body is refused', async () => {
    expect(await each((call) => ({ ...call, tamper: input((was) => was.replace(' "content-digest"', ''))! }))).toEqual(
      fourTimes(401, 'signature-coverage'),
    );
  });
});

describe('attack 5', () => {
  it.each<[string, NonNullable<Attack['tamper']>]>([
    ['one more component', input((was) => was.replace('"content-digest")', '"content-digest" "date")'))!],
    ['a component twice', input((was) => was.replace('"@path"', '"@path" "@path"'))!],
    ['a second label', input((was) => `${was}, other${was.slice('muster'.length)}`)!],
    ['a second signature', (headers) => ({ ...headers, signature: `${headers['signature']}, other=:AAAA:` })],
  ])('attack 5: %s is another profile than ours', async (_what, tamper) => {
    expect(await each((call) => ({ ...call, tamper }))).toEqual(fourTimes(401, 'signature-profile'));
  });
});

describe('attack 6', () => {
  it.each([
    ['alg="hmac-sha256"', ';alg="hmac-sha256"'],
    ['no alg', ''],
  ])('attack 6: %s is another profile than ours', async (_what, alg) => {
    const tamper = input((was) => was.replace(';alg="ed25519"', alg))!;
    expect(await each((call) => ({ ...call, tamper }))).toEqual(fourTimes(401, 'signature-profile'));
  });
});

describe('attack 7', () => {
  it.each([-600_000, 600_000])('attack 7: a clock that is off by %i ms is told ours', async (offMs) => {
    for (const call of signedCalls()) {
      const answer = await host.attack({ ...call, at: { nowMs: Date.now() + offMs } });
      expect(toldSigner(answer)).toEqual([401, 'clock-skew']);
      expect(Math.abs(Number(answer.headers[signingHeaders.time]) - Date.now())).toBeLessThan(60_000);
      expect(Date.parse(String(answer.headers['date']))).not.toBeNaN();
    }
  });
});

describe('attack 8', () => {
  it('attack 8: a signature that is to hold longer than 60 s, or ends before it begins, is another profile than ours', async () => {
    const expiring = (afterS: number) =>
      input((was) =>
        was.replace(/created=(\d+);expires=\d+/, (_, created: string) => `created=${created};expires=${Number(created) + afterS}`),
      )!;
    for (const afterS of [61, 300, 86_400, 0, -1])
      expect(await each((call) => ({ ...call, tamper: expiring(afterS) })), `${afterS} s`).toEqual(fourTimes(401, 'signature-profile'));
  });
});

describe('attack 9', () => {
  it('attack 9: an exact replay of a heartbeat is answered like the first and changes nothing', async () => {
    const call = {
      method: 'POST',
      path: `/nodes/${node.id}/heartbeat`,
      body: beat(60),
      by: node.keys,
      at: { ...now(), nonce: 'n'.repeat(20) },
    };
    const first = await host.attack(call);
    await host.settle();

    const again = await host.attack(call);

    expect([first.status, again.status]).toEqual([200, 200]);
    const { nextMs: _jitter, ...shown } = JSON.parse(first.text) as Record<string, unknown>;
    expect(JSON.parse(again.text)).toMatchObject(shown);
  });
});

describe('attack 10', () => {
  it('attack 10: a join, rotation or knock that is sent again, to the byte, is refused', async () => {
    const next = keyPairOf('the next key');
    const rotation = { deployment: 'local', node: neighbour.id, from: neighbour.keys.publicKey, to: next.publicKey };
    const rotate = { publicKey: next.publicKey, proof: proofOfRotation(rotation, next) };
    const [knock, join] = signedCalls();
    for (const [n, call] of [
      knock!,
      join!,
      { method: 'POST', path: `/nodes/${neighbour.id}/rotate`, body: rotate, by: neighbour.keys },
    ].entries()) {
      const signed = { ...call, at: { ...now(), nonce: `once-and-no-more-${n}` } };
      expect((await host.attack(signed)).status).toBeLessThan(300);
      await host.settle();
      expect(told(await host.attack(signed)), call.path).toEqual([409, 'nonce-reused']);
      expect(await host.changes()).toEqual([]);
    }
  });
});

describe('attack 11', () => {
  const moved = (to: Partial<Attack>, at: Attack['at'] = {}): Promise<readonly (number | string)[]> => {
    const was = { method: 'POST', path: `/nodes/${node.id}/heartbeat`, query: '', body: JSON.stringify(beat()) };
    const headers = signedBy(node.keys, was, { ...now(), ...at });
    return host.attack({ ...was, headers, ...to }).then(toldSigner);
  };

  it('attack 11: a signature for one node, path, query or deployment is of no other, however the path is spelt', async () => {
    expect(await moved({ path: `/nodes/${neighbour.id}/heartbeat` })).toEqual([401, 'signature-invalid']);
    expect(await moved({ path: `/nodes/${node.id}/leaving` })).toEqual([401, 'signature-invalid']);
    expect(await moved({ path: `/nodes/${node.id}/heartbeat?color=red` })).toEqual([401, 'signature-invalid']);
    expect(await moved({ path: `/nodes/%6e${node.id.slice(1)}/heartbeat` })).toEqual([401, 'signature-invalid']);
    expect(await moved({}, { deployment: 'production' })).toEqual([401, 'signature-invalid']);
  });
  it('attack 11: who is refused so cannot tell one reason from another', async () => {
    const call = { method: 'GET', path: `/nodes/${node.id}/desired` };
    const answers = [
      await host.attack({ ...call, by: thief }),
      await host.attack({ ...call, by: neighbour.keys }),
      await host.attack({ ...call, by: { ...thief, publicKey: node.keys.publicKey } }),
      await host.attack({ ...call, by: node.keys, at: { deployment: 'production' } }),
    ];
    expect(new Set(answers.map((answer) => JSON.stringify(shapeOf(answer)))).size).toBe(1);
  });
});

const now = () => ({ deployment: 'local', nowMs: Date.now() });
