import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fingerprint } from '../../../../../lib/core/ids.ts';
import type { EpochMs } from '../../../../../lib/core/time.ts';
import type { KeyStates, MinionKey } from '../../../../../programs/agent/salt/keys.ts';
import type { Memory, Verdict } from '../../../../../programs/agent/salt/memory.ts';
import {
  actionsDue,
  freshMs,
  goneMs,
  isOpen,
  type KeyAction,
  questionsDue,
  questionsMax,
} from '../../../../../programs/agent/salt/plan.ts';

const now = 1_800_000_000_000 as EpochMs;
const fpOf = (n: number): Fingerprint => n.toString(16).padStart(64, '0') as Fingerprint;
const states = ['accepted', 'pending', 'rejected', 'denied'] as const;

/** Keys in any folders, and what was ever said of them. */
const one = fc.record({
  state: fc.constantFrom(...states),
  verdict: fc.option(fc.constantFrom('accept', 'not-yours', 'unknown', 'banned'), { nil: undefined }),
  askedAgo: fc.integer({ min: 0, max: 3 * freshMs }),
  goneAgo: fc.option(fc.integer({ min: 0, max: 2 * goneMs }), { nil: undefined }),
});
type One = typeof one extends fc.Arbitrary<infer T> ? T : never;

function worldOf(ones: readonly One[]): { keys: KeyStates; memory: Memory; of: (key: MinionKey) => One } {
  const keys = { accepted: [], pending: [], rejected: [], denied: [] } as Record<(typeof states)[number], MinionKey[]>;
  const verdicts: Record<Fingerprint, Verdict> = {};
  ones.forEach(({ state, verdict, askedAgo, goneAgo }, n) => {
    keys[state].push({ id: `m${n}`, fp: fpOf(n), since: now });
    const goneAt = goneAgo === undefined ? {} : { goneAt: (now - goneAgo) as EpochMs };
    if (verdict) verdicts[fpOf(n)] = { verdict, fp: fpOf(n), askedAt: (now - askedAgo) as EpochMs, ...goneAt };
  });
  return { keys, memory: { version: 1, verdicts, applied: [] }, of: ({ id }) => ones[Number(id.slice(1))]! };
}

/** What must be true of whatever is done with keys. */
function judge(action: KeyAction, of: (key: MinionKey) => One, { isOpen, batch }: { isOpen: boolean; batch: number }): void {
  const touched = action.keys;
  expect(touched.length).toBeGreaterThan(0);
  for (const key of touched) expect(of(key).askedAgo).toBeLessThan(freshMs);
  switch (action.do) {
    case 'accept':
      for (const key of touched) expect(of(key)).toMatchObject({ verdict: 'accept', state: expect.stringMatching(/pending|rejected/) });
      return;
    case 'reject':
      // Only a ban takes a key back that was accepted.
      for (const key of touched) {
        const { state, verdict } = of(key);
        expect(state === 'accepted' ? ['banned'] : ['banned', 'not-yours']).toContain(verdict);
        expect(action.why === 'it is banned').toBe(verdict === 'banned');
      }
      return;
    case 'remove':
      expect([isOpen, touched.length <= batch]).toEqual([true, true]);
      for (const key of touched) expect(of(key)).toMatchObject({ verdict: 'not-yours', state: 'accepted' });
      for (const key of touched) expect(of(key).goneAgo).toBeGreaterThanOrEqual(goneMs);
  }
}

describe('whatever keys there are and whatever Muster has said', () => {
  it('no key is accepted, rejected or removed but by a fresh word of Muster’s, and none is touched that Muster does not know', () => {
    fc.assert(
      fc.property(fc.array(one, { maxLength: 30 }), fc.nat({ max: 1439 }), fc.integer({ min: 1, max: 5 }), (ones, minute, batch) => {
        const { keys, memory, of } = worldOf(ones);
        const window = { from: 60, to: 300 };
        for (const action of actionsDue(keys, memory, now, minute, { window, batch }))
          judge(action, of, { isOpen: isOpen(window, minute), batch });
      }),
    );
  });

  it('so many are asked about at once, those that wait before all others', () => {
    fc.assert(
      fc.property(fc.array(one, { maxLength: 60 }), (ones) => {
        const { keys, memory, of } = worldOf(ones);
        const asks = questionsDue(keys, memory, now);
        expect(asks.length).toBeLessThanOrEqual(questionsMax);
        expect(new Set(asks).size).toBe(asks.length);
        const waiting = asks.map((key) => of(key).state === 'pending');
        expect(waiting).toEqual([...waiting].sort((a, b) => Number(b) - Number(a)));
        for (const key of keys.pending) if (of(key).verdict === undefined && asks.length < questionsMax) expect(asks).toContain(key);
      }),
    );
  });
});

describe('a window', () => {
  it.each([
    [60, 300, 59, false],
    [60, 300, 60, true],
    [60, 300, 300, false],
    [1320, 300, 1400, true],
    [1320, 300, 299, true],
    [1320, 300, 700, false],
  ])('from %i to %i holds minute %i: %s', (from, to, minute, open) => {
    expect(isOpen({ from, to }, minute)).toBe(open);
  });
});
