import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../lib/contract.ts';
import type { KeyPair } from '../../../lib/identity/key-pair.ts';
import { mintSecret } from '../../../lib/identity/secret-text.ts';
import { eventually } from '../../../tools/support/host.ts';
import { apiAt } from '../../../tools/support/operator.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import { aStronghold, type Stronghold, shapeOf, told } from './stronghold.ts';

let host: Stronghold;
beforeAll(async () => {
  host = await aStronghold({ admits: 'nobody' });
});
afterAll(() => host.stop());

/** A join token of a kind, for one name unless told otherwise, and its secret text. */
async function aToken(more: { nodes?: string; uses?: number; kind?: 'salt' | 'uyuni'; expiresAt?: string } = {}): Promise<string> {
  const made = await apiAt(host.url)(contract.createNodeToken, { body: { nodes: 'node9.acme.org', kind: 'salt', ...more } });
  if (!made.ok) throw new Error(made.problem.detail);
  host.keepSecret(made.body.secret);
  return made.body.secret;
}
const join = (by: KeyPair, token: string, more: object = {}) =>
  host.attack({
    method: 'POST',
    path: '/nodes/join',
    body: { token, publicKey: by.publicKey, fqdn: 'node9.acme.org', kind: 'salt', ...more },
    by,
  });

/** Another secret under the id of a token, written as we write them. */
const guessed = (token: string): string =>
  mintSecret('mjt', (bytes) => (bytes === 12 ? idBytes(token.split('_')[1]!) : new Uint8Array(bytes).fill(9))).text;
const idBytes = (id: string): Uint8Array => Uint8Array.from(id, (letter) => '0123456789abcdefghjkmnpqrstvwxyz'.indexOf(letter));

describe('attack 17', () => {
  it('attack 17: a wrong, expired, used and foreign token are refused alike, and the audit has the true reasons', async () => {
    const [wanted, thief] = [keyPairOf('node9.acme.org'), keyPairOf('a thief')];
    const [good, used] = [await aToken(), await aToken({ nodes: 'node8.acme.org' })];
    const ended = await aToken({ expiresAt: new Date(Date.now() + 1_000).toISOString() });
    expect((await join(wanted, used, { fqdn: 'node8.acme.org' })).status).toBe(201);
    await sleep(1_100);
    await host.settle();

    const answers = [
      await join(thief, guessed(good)),
      await join(thief, ended),
      await join(thief, used, { fqdn: 'node8.acme.org' }),
      await join(thief, good, { kind: 'uyuni' }),
      await join(thief, good, { fqdn: 'node7.acme.org' }),
      await join(thief, mintSecret('mjt', (bytes) => new Uint8Array(bytes)).text),
      await join(thief, `${good.slice(0, -1)}${good.endsWith('0') ? '1' : '0'}`),
    ];

    expect(answers.map(told)).toEqual(Array(7).fill([401, 'join-denied']));
    expect(new Set(answers.map((answer) => JSON.stringify(shapeOf(answer)))).size).toBe(1);
    await host.unharmed();
    const idOf = (token: string): string => token.split('_')[1]!;
    expect(await reasons(7)).toEqual([
      `join-denied: token ${idOf(good)}: the secret is not that of this token`,
      `join-denied: token ${idOf(ended)}: the token is expired`,
      `join-denied: token ${idOf(used)}: the token is used`,
      `join-denied: token ${idOf(good)}: the token is for hosts of kind salt, not uyuni`,
      `join-denied: token ${idOf(good)}: the token is for node9.acme.org, not node7.acme.org`,
      'join-denied: no token has the id 000000000000',
      'join-denied: the text that was sent is not a join token (mistyped)',
    ]);
  });
});

/** Why joins were refused in truth, as an auditor reads it, in the order in which they were. */
const reasons = (least: number): Promise<string[]> =>
  eventually('the audit has every attempt', async () => {
    const listed = await apiAt(host.url)(contract.listAudit, { query: { limit: 200 } });
    if (!listed.ok) throw new Error(listed.problem.detail);
    const tried = listed.body.items.filter(({ refused }) => refused?.type === 'join-denied').map(({ because }) => because);
    return tried.length >= least && tried;
  });

describe('attack 18', () => {
  it('attack 18: of two hosts that race for one token, one is in and the other is not', async () => {
    for (let round = 0; round < 10; round++) {
      const token = await aToken({ nodes: `race${round}.acme.org` });
      const hosts = [keyPairOf(`one of ${round}`), keyPairOf(`other of ${round}`)];
      const answers = await Promise.all(hosts.map((by) => join(by, token, { fqdn: `race${round}.acme.org` })));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 401]);
      expect(told(answers.find(({ status }) => status === 401)!)).toEqual([401, 'join-denied']);
    }
    expect(await nodesNamed('race')).toHaveLength(10);
    await host.settle();
    await host.unharmed();
  });

  it('attack 18: of a dozen that race for three places, three are in', async () => {
    const token = await aToken({ nodes: 'rack[1-12].acme.org', uses: 3 });
    const racing = Array.from({ length: 12 }, (_, n) => join(keyPairOf(`rack ${n + 1}`), token, { fqdn: `rack${n + 1}.acme.org` }));
    const statuses = (await Promise.all(racing)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, 201, 201, ...Array(9).fill(401)]);
    expect(await nodesNamed('rack')).toHaveLength(3);
    await host.settle();
    await host.unharmed();
  });
});

async function nodesNamed(beginning: string): Promise<string[]> {
  const listed = await apiAt(host.url)(contract.listNodes, { query: { limit: 200 } });
  if (!listed.ok) throw new Error(listed.problem.detail);
  return listed.body.items.map(({ fqdn }) => fqdn).filter((fqdn) => fqdn.startsWith(beginning));
}
