import { describe, expect, it } from 'vitest';
import type { NodeId } from '../../../../lib/core/ids.ts';
import { dropAfterMs } from '../../../../lib/nodes/node.ts';
import { type Calling, call } from '../../../../programs/agent/calls.ts';
import { aloneMaxMs, Contact } from '../../../../programs/agent/contact.ts';

/** An agent with two clocks, one of which somebody sets. */
function aContact() {
  let [up, day] = [0, 1_000_000];
  const contact = new Contact(() => [up, day]);
  const pass = (ms: number, setMs = 0): boolean => {
    up += ms;
    day += ms + setMs;
    return contact.isRecent();
  };
  return { contact, pass };
}

describe('contact with Muster', () => {
  it('is there from the first heartbeat that is answered, counted from when that was sent', () => {
    const { contact, pass } = aContact();
    expect(contact.isRecent()).toBe(false);
    expect(contact.answeredAgoMs()).toBeUndefined();
    const sentAt = contact.sentAt();
    pass(10_000);
    contact.answered(sentAt);
    expect(contact.answeredAgoMs()).toBe(10_000);
    expect(pass(aloneMaxMs - 10_001)).toBe(true);
    expect(pass(1)).toBe(false);
  });

  it('ends by whichever clock says more, and at once when Muster refuses the node', () => {
    const set = aContact();
    set.contact.answered(set.contact.sentAt());
    expect(set.pass(1_000, aloneMaxMs)).toBe(false);
    const back = aContact();
    back.contact.answered(back.contact.sentAt());
    expect(back.pass(aloneMaxMs, -aloneMaxMs)).toBe(false);
    const refused = aContact();
    refused.contact.answered(refused.contact.sentAt());
    refused.contact.refused();
    expect(refused.contact.isRecent()).toBe(false);
  });

  it('ends before a node is dropped for its silence, also where clocks drift apart by a tenth', () => {
    expect(aloneMaxMs * 1.1).toBeLessThan(dropAfterMs);
  });

  it.each([
    [200, '', true],
    [409, 'must-rejoin', false],
    [410, 'removed', false],
    [429, 'onboarding-rate', true],
    [503, 'unavailable', true],
  ])('after a heartbeat that is answered %i %s', async (status, problem, isRecent) => {
    const { contact } = aContact();
    contact.answered(contact.sentAt());
    const body = { nextMs: 10_000, desired: 0, resync: false, listStale: false, mapVersion: 1 };
    const refusal = { problem: { type: `urn:muster:problem:${problem}`, title: problem, status, detail: problem, instance: 'x' } };
    const calling = {
      api: async () => ({ ok: status === 200, status, headers: new Headers(), body, ...refusal }),
      contact,
      load: () => ({}),
      newId: () => 'id',
      random: () => 0.5,
      workloads: { hash: () => undefined, heard: () => undefined },
    } as unknown as Calling;
    await call({ do: 'heartbeat', incarnation: 1, seq: 1, digest: false }, 'n0123456789abcdef' as NodeId, calling);
    expect(contact.isRecent()).toBe(isRecent);
  });
});
