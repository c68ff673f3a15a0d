import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fingerprint, Fqdn, ZoneName } from '../../../../lib/core/ids.ts';
import { plusMs } from '../../../../lib/core/time.ts';
import type { AskingHost, HostCommand } from '../../../../lib/nodes/admission/command.ts';
import { decideHost, decideRules } from '../../../../lib/nodes/admission/decide.ts';
import { PooledHost, pooledForMs, seenEveryMs } from '../../../../lib/nodes/admission/rows/pooled-host.ts';
import { type AdmissionRule, AdmissionRules, ruleFor, rulesMax } from '../../../../lib/nodes/admission/rows/rules.ts';
import { noon } from '../../../../tools/support/a-row.ts';
import { publicKeyOf } from '../../../../tools/support/players.ts';

const zone = 'default' as ZoneName;
const fqdn = 'node1.acme.org' as Fqdn;
const asking: AskingHost = {
  fp: 'a'.repeat(64) as Fingerprint,
  publicKey: publicKeyOf('node1'),
  fqdn,
  kind: 'salt',
  watch: 'node1.acme.org:4505',
  source: '10.1.2.3',
};
const ask = (more: Partial<AskingHost> = {}): HostCommand => ({ type: 'ask', host: { ...asking, ...more } });
/** The host after some commands, each a minute after the one before. */
const hostAfter = (...commands: HostCommand[]): PooledHost | undefined =>
  commands.reduce<PooledHost | undefined>((host, command, n) => {
    const decision = decideHost(host, command, plusMs(noon, n * 60_000));
    return decision.does === 'write' ? decision.next : decision.does === 'remove' ? undefined : host;
  }, undefined);

describe('a host that asks to be a node', () => {
  it('waits, and is forgotten a month after it was last seen', () => {
    expect(decideHost(undefined, ask(), noon)).toMatchObject({
      does: 'write',
      next: { standing: 'waiting', fqdn, firstSeenAt: noon, seenAt: noon },
      expiresAt: plusMs(noon, pooledForMs),
    });
  });

  it('costs a write an hour while it says the same, and one at once when it says something else', () => {
    const waiting = hostAfter(ask());
    expect(decideHost(waiting, ask(), plusMs(noon, seenEveryMs - 1))).toMatchObject({ does: 'nothing' });
    expect(decideHost(waiting, ask(), plusMs(noon, seenEveryMs))).toMatchObject({ does: 'write', next: { seenAt: noon + seenEveryMs } });
    expect(decideHost(waiting, ask({ source: '10.1.2.4' }), plusMs(noon, 1))).toMatchObject({
      does: 'write',
      next: { source: '10.1.2.4' },
    });
  });

  it('is admitted under the name that was seen: with another one it waits anew', () => {
    const admitted = hostAfter(ask(), { type: 'admit', zone });
    expect(admitted).toMatchObject({ standing: 'admitted', as: { zone, kind: 'salt' } });
    expect(decideHost(admitted, ask(), noon)).toMatchObject({ does: 'nothing' });
    expect(hostAfter(ask(), { type: 'admit', zone }, ask({ fqdn: 'node2.acme.org' as Fqdn }))).toMatchObject({ standing: 'waiting' });
  });

  it('that is watched elsewhere is admitted where the operator says so, at the address that was seen alone', () => {
    const elsewhere = ask({ watch: '10.9.9.9:22' });
    const admit: HostCommand = { type: 'admit', zone };
    expect(decideHost(hostAfter(elsewhere), admit, noon)).toMatchObject({
      does: 'nothing',
      because: expect.stringContaining('--any-watch'),
    });
    const admitted = hostAfter(elsewhere, { ...admit, anyWatch: true });
    expect(admitted).toMatchObject({ standing: 'admitted', watch: '10.9.9.9:22', as: { anyWatch: true } });
    expect(decideHost(admitted, elsewhere, noon)).toMatchObject({ does: 'nothing' });
    expect(decideHost(admitted, { ...admit, kind: 'uyuni' }, noon)).toMatchObject({ does: 'write', next: { as: { anyWatch: true } } });
    for (const watch of ['10.9.9.9:23', '10.9.9.8:22'])
      expect(decideHost(admitted, ask({ watch }), noon)).toMatchObject({ does: 'write', next: { standing: 'waiting', watch } });
    expect(hostAfter(ask(), { ...admit, anyWatch: true }, elsewhere)).toMatchObject({ standing: 'waiting' });
  });

  it('that was rejected stays so, whatever it says, until it is admitted', () => {
    const rejected = hostAfter(ask(), { type: 'reject' });
    expect(rejected).toMatchObject({ standing: 'rejected' });
    expect(hostAfter(ask(), { type: 'reject' }, ask({ fqdn: 'node2.acme.org' as Fqdn }))).toMatchObject({ standing: 'rejected', fqdn });
    expect(hostAfter(ask(), { type: 'reject' }, { type: 'admit', zone, kind: 'uyuni' })).toMatchObject({
      standing: 'admitted',
      as: { kind: 'uyuni' },
    });
  });

  it('leaves the pool once it is a node', () => {
    expect(hostAfter(ask(), { type: 'admit', zone }, { type: 'joined' })).toBeUndefined();
    expect(decideHost(undefined, { type: 'admit', zone }, noon)).toMatchObject({ does: 'nothing', because: 'no such host waits' });
  });

  it('is never admitted but by an operator, and its row stays readable', () => {
    const command = fc.oneof(
      fc.constantFrom<HostCommand>({ type: 'admit', zone }, { type: 'reject' }, { type: 'joined' }),
      fc.record({ fqdn: fc.constantFrom(fqdn, 'node2.acme.org' as Fqdn), capacity: fc.constantFrom(1, 2) }).map((more) => ask(more)),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 12 }), (commands) => {
        const end = hostAfter(...commands);
        if (end) PooledHost.parse(end);
        if (end?.standing === 'admitted')
          expect(commands.findLast(({ type }) => type === 'admit' || type === 'reject')?.type).toBe('admit');
      }),
    );
  });
});

describe('admission rules', () => {
  const rule = (more: Partial<AdmissionRule> = {}): AdmissionRule => ({ name: 'racks', nodes: 'ssu[1-40].acme.org', zone, ...more });
  const host = { fqdn: 'ssu7.acme.org' as Fqdn, kind: 'salt', watch: 'ssu7.acme.org:4505', source: '10.1.2.3' } as const;
  const applied = (...commands: Parameters<typeof decideRules>[1][]): AdmissionRules =>
    commands.reduce<AdmissionRules>(
      (rules, command) => {
        const decision = decideRules(rules, command);
        return decision.does === 'write' ? decision.next : rules;
      },
      { rules: [] },
    );

  it.each<[string, Partial<AdmissionRule>, boolean]>([
    ['a name', {}, true],
    ['another name', { nodes: 'node*.acme.org' }, false],
    ['its network', { cidr: '10.0.0.0/8' }, true],
    ['another network', { cidr: '192.0.2.0/24' }, false],
    ['its kind', { kind: 'salt' }, true],
    ['another kind', { kind: 'storage' }, false],
    ['a count', { left: 1 }, true],
    ['a count that is used up', { left: 0 }, false],
    ['its own address, also where any is allowed', { anyWatch: true }, true],
  ])('ask for %s', (_what, more, admits) => {
    expect(ruleFor({ rules: [rule(more)] }, host) !== undefined).toBe(admits);
  });

  it('admit a host that is watched elsewhere only where they say so', () => {
    const elsewhere = { ...host, watch: '10.9.9.9:22' };
    expect(ruleFor({ rules: [rule(), rule({ name: 'two networks', anyWatch: true })] }, elsewhere)?.name).toBe('two networks');
    expect(ruleFor({ rules: [rule()] }, elsewhere)).toBeUndefined();
  });

  it('admit a host into no other zone than it asks for', () => {
    expect(ruleFor({ rules: [rule()] }, { ...host, zone })).toBeDefined();
    expect(ruleFor({ rules: [rule()] }, { ...host, zone: 'emea' as ZoneName })).toBeUndefined();
  });

  it('are asked in the order in which they were added', () => {
    const rules = applied(
      { type: 'add', rule: rule({ left: 0 }) },
      { type: 'add', rule: rule({ name: 'more' }) },
      { type: 'add', rule: rule({ name: 'last' }) },
    );
    expect(ruleFor(rules, host)?.name).toBe('more');
  });

  it('count down to nothing, and no further', () => {
    const use = { type: 'use', name: 'racks', fqdn: host.fqdn } as const;
    expect(applied({ type: 'add', rule: rule({ left: 2 }) }, use, use, use).rules).toEqual([rule({ left: 0 })]);
    expect(decideRules({ rules: [rule()] }, use)).toMatchObject({ does: 'nothing' });
  });

  it('are replaced and deleted by their name, and are a hundred at the most', () => {
    expect(applied({ type: 'add', rule: rule() }, { type: 'add', rule: rule({ left: 3 }) }).rules).toEqual([rule({ left: 3 })]);
    expect(applied({ type: 'add', rule: rule() }, { type: 'delete', name: 'racks' }).rules).toEqual([]);
    expect(decideRules(undefined, { type: 'delete', name: 'racks' })).toMatchObject({ does: 'nothing' });
    const many = Array.from({ length: rulesMax }, (_, n) => ({ type: 'add', rule: rule({ name: `r${n}` }) }) as const);
    expect(decideRules(AdmissionRules.parse(applied(...many)), { type: 'add', rule: rule() })).toMatchObject({ does: 'nothing' });
  });
});
