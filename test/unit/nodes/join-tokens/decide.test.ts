import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fingerprint, Fqdn, NodeId, ZoneName } from '../../../../lib/core/ids.ts';
import { hourMs, plusMs } from '../../../../lib/core/time.ts';
import { mintSecret } from '../../../../lib/identity/secret-text.ts';
import type { Presented } from '../../../../lib/nodes/join-tokens/command.ts';
import { decide, faultOf } from '../../../../lib/nodes/join-tokens/decide.ts';
import { JoinToken, listedForMs, statusOf, type TokenId } from '../../../../lib/nodes/join-tokens/join-token.ts';
import { noon } from '../../../../tools/support/a-row.ts';

const minted = mintSecret('mjt', (bytes) => new Uint8Array(bytes).fill(5));
const fpOf = (n: number): Fingerprint => n.toString(16).padStart(64, '0') as Fingerprint;
const token = (more: Partial<JoinToken> = {}): JoinToken => ({
  id: minted.id as TokenId,
  hash: minted.hash,
  nodes: 'node1.acme.org',
  kind: 'salt',
  zone: 'default' as ZoneName,
  uses: 1,
  createdAt: noon,
  expiresAt: plusMs(noon, hourMs),
  admitted: [],
  ...more,
});
const shown = (more: Partial<Presented> = {}): Presented => ({
  secret: minted.secret,
  fp: fpOf(1),
  node: 'n0000000000000001' as NodeId,
  fqdn: 'node1.acme.org' as Fqdn,
  kind: 'salt',
  source: '10.1.2.3',
  ...more,
});
const used = (before: JoinToken, by: Presented, now = noon) => {
  const decision = decide(before, { type: 'use', ...by }, now);
  return decision.does === 'write' ? decision.next : before;
};

describe('a join token', () => {
  it('is used up by one host, and remembers which', () => {
    const after = used(token(), shown());
    expect(after.admitted).toEqual([{ fp: fpOf(1), node: 'n0000000000000001', at: noon }]);
    expect(statusOf(after, noon)).toBe('used');
    expect(faultOf(after, shown({ fp: fpOf(2) }), noon)).toBe('the token is used');
  });

  it('admits the host that it admitted again, without another use', () => {
    const after = used(token(), shown());
    expect(faultOf(after, shown(), noon)).toBeUndefined();
    expect(decide(after, { type: 'use', ...shown() }, noon)).toMatchObject({ does: 'nothing' });
  });

  it.each<[string, Partial<JoinToken>, Partial<Presented>]>([
    ['the secret is not that of this token', {}, { secret: 'A'.repeat(43) }],
    ['the token is revoked', { revokedAt: noon }, {}],
    ['the token is expired', { expiresAt: noon }, {}],
    ['the token is for hosts of kind salt, not uyuni', {}, { kind: 'uyuni' }],
    ['the token is for node1.acme.org, not node2.acme.org', {}, { fqdn: 'node2.acme.org' as Fqdn }],
    ['the token is for 192.0.2.0/24, not 10.1.2.3', { cidr: '192.0.2.0/24' }, {}],
    ['the token was made before an operator removed or rejected this host', {}, { outSince: noon }],
  ])('refuses a host: %s', (because, more, by) => {
    expect(faultOf(token(more), shown(by), noon)).toBe(because);
    expect(decide(token(more), { type: 'use', ...shown(by) }, noon)).toEqual({ does: 'nothing', because });
  });

  it('tells who has not its secret nothing else, whatever is wrong besides', () => {
    const wrong = shown({ secret: 'B'.repeat(43), kind: 'uyuni', fqdn: 'x.y' as Fqdn });
    expect(faultOf(token({ revokedAt: noon }), wrong, noon)).toBe('the secret is not that of this token');
  });

  it('lets in who was sent away before it was made', () => {
    expect(faultOf(token(), shown({ outSince: plusMs(noon, -1) }), noon)).toBeUndefined();
  });

  it('is for a whole set of hosts in one network', () => {
    const set = token({ nodes: 'ssu[1-40].acme.org', uses: 40, cidr: '10.0.0.0/8' });
    expect(faultOf(set, shown({ fqdn: 'ssu40.acme.org' as Fqdn, source: '::ffff:10.9.9.9' }), noon)).toBeUndefined();
    expect(faultOf(set, shown({ fqdn: 'ssu41.acme.org' as Fqdn }), noon)).toMatch('the token is for ssu[1-40]');
  });

  it('is shown for a month after its end, revoked or not', () => {
    const revoked = decide(token(), { type: 'revoke' }, noon);
    expect(revoked).toMatchObject({ does: 'write', next: { revokedAt: noon }, expiresAt: plusMs(noon, hourMs + listedForMs) });
    expect(decide(token({ revokedAt: noon }), { type: 'revoke' }, noon)).toMatchObject({ does: 'nothing' });
    expect(decide(undefined, { type: 'revoke' }, noon)).toMatchObject({ does: 'nothing', because: 'no token has this id' });
  });

  it('never admits more hosts than it has uses, whoever comes in whatever order, and its row stays readable', () => {
    const comers = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 40 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), comers, (uses, fps) => {
        const end = fps.reduce((now, n) => used(now, shown({ fp: fpOf(n) })), token({ uses }));
        expect(JoinToken.parse(end).admitted.map(({ fp }) => fp)).toEqual([...new Set(fps)].slice(0, uses).map(fpOf));
      }),
    );
  });
});
