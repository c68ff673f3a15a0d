import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../lib/contract.ts';
import { Fingerprint } from '../../../lib/core/ids.ts';
import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import type { KeyPair } from '../../../lib/identity/key-pair.ts';
import { eventually } from '../../../tools/support/host.ts';
import { apiAt } from '../../../tools/support/operator.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import { aStronghold, type Stronghold, told } from './stronghold.ts';

let host: Stronghold;
beforeAll(async () => {
  host = await aStronghold({ admits: 'nobody' });
});
afterAll(() => host.stop());

const fqdn = 'node9.acme.org';
const join = (by: KeyPair, watch: string, more: object = {}) =>
  host.attack({ method: 'POST', path: '/nodes/join', body: { publicKey: by.publicKey, fqdn, kind: 'salt', watch, ...more }, by });
const fpOf = ({ publicKey }: KeyPair) => Fingerprint.parse(fingerprintOf(publicKey));
/** A join token for the one name, and its secret text. */
async function aToken(): Promise<string> {
  const made = await apiAt(host.url)(contract.createNodeToken, { body: { nodes: fqdn, kind: 'salt' } });
  if (!made.ok) throw new Error(made.problem.detail);
  host.keepSecret(made.body.secret);
  return made.body.secret;
}
/** Addresses that are not those of a host that calls from this machine. */
const elsewhere = ['node1.acme.org:4505', '10.0.0.5:22', '169.254.169.254:80', '0x0a000005:22', 'inside.node9.acme.org:80'];

describe('attack 48', () => {
  it('attack 48: a host with a good token that would have others connect elsewhere is refused, and its token is not used', async () => {
    const [liar, token] = [keyPairOf('a liar'), await aToken()];
    await host.settle();

    for (const watch of elsewhere) expect(told(await join(liar, watch, { token }))).toEqual([403, 'watch-not-own', '/watch']);
    expect(told(await join(liar, `${fqdn}:0`, { token }))).toEqual([422, 'invalid', '/watch']);

    const changed = await host.changes();
    expect(
      changed.filter((key) => !key.startsWith('pooled-host#') && !key.startsWith('pool-source#') && !key.startsWith('source#')),
    ).toEqual([]);
    await eventually('all of it is in the audit', async () => {
      const listed = await apiAt(host.url)(contract.listAudit, { query: {} });
      const tried = listed.ok ? listed.body.items.filter(({ refused }) => refused?.type === 'watch-not-own') : [];
      return tried.length === elsewhere.length;
    });
    expect((await join(liar, `${fqdn.toUpperCase()}.:4505`, { token })).status).toBe(201);
  });

  it('attack 48: a host that is called as an address would be written is not watched there', async () => {
    const liar = keyPairOf('an address');
    expect((await join(liar, '10.0.0.0x5:22', { fqdn: '10.0.0.0x5' })).status).toBe(202);
    const refused = await apiAt(host.url)(contract.admitHosts, { body: { hosts: [fpOf(liar)] } });
    expect(refused).toMatchObject({ ok: true, body: { results: [{ done: false, needs: 'anyWatch' }] } });
  });

  it('attack 48: a host that was admitted, and is to be watched elsewhere by the time it joins, waits again', async () => {
    const liar = keyPairOf('another liar');
    const name = 'node8.acme.org';
    expect((await join(liar, `${name}:4505`, { fqdn: name })).status).toBe(202);
    await apiAt(host.url)(contract.admitHosts, { body: { hosts: [fpOf(liar)], anyWatch: true } });
    expect((await join(liar, '169.254.169.254:80', { fqdn: name })).status).toBe(202);
    const listed = await apiAt(host.url)(contract.listNodePool, { query: {} });
    expect(listed.ok && listed.body.items.find(({ fqdn: one }) => one === name)).toMatchObject({ standing: 'waiting', foreignWatch: true });
  });
});
