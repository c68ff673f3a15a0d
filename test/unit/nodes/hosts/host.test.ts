import { describe, expect, it } from 'vitest';
import { decideHost } from '../../../../lib/nodes/hosts/host.ts';
import { at } from '../../../../tools/support/builders.ts';
import { aNodeUp, someFacts } from '../reports.ts';

describe('the facts of a host', () => {
  it('are those of its first node-up', () => {
    expect(decideHost(undefined, aNodeUp())).toEqual({
      does: 'write',
      next: { ...someFacts, at: at(10) },
      events: [],
      because: 'first facts of this host',
    });
  });

  it('are called changed only when they are, in whatever order a table hands them out', () => {
    const { fqdn, ...rest } = someFacts;
    const host = { ...rest, at: at(10), fqdn };

    expect(decideHost(host, aNodeUp({ receivedAt: at(20) }))).toMatchObject({
      does: 'write',
      next: { ...someFacts, at: at(20) },
      because: 'the host is as it was',
    });
    const grown = { ...aNodeUp({ receivedAt: at(20) }), data: { ...aNodeUp().data, facts: { ...someFacts, memoryMib: 8_192 } } };
    expect(decideHost(host, grown)).toMatchObject({
      does: 'write',
      next: { memoryMib: 8_192, at: at(20) },
      because: 'the host has changed',
    });
  });

  it('received before those on record change nothing', () => {
    const host = { ...someFacts, cpus: 64, at: at(10) };

    expect(decideHost(host, aNodeUp({ receivedAt: at(9) })).does).toBe('nothing');
    expect(decideHost(host, aNodeUp({ receivedAt: at(10) })).does).toBe('nothing');
  });

  it('stay when others are folded late, after a node-up that only confirmed them', () => {
    const others = { ...aNodeUp({ receivedAt: at(20) }), data: { ...aNodeUp().data, facts: { ...someFacts, memoryMib: 8_192 } } };
    const confirmed = decideHost({ ...someFacts, at: at(10) }, aNodeUp({ receivedAt: at(30) }));

    expect(confirmed.does === 'write' && decideHost(confirmed.next, others).does).toBe('nothing');
  });
});
