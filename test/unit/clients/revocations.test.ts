import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planRevocations, revocationsMax, withRevocations } from '../../../lib/clients/plan.ts';
import type { ClientCommand } from '../../../lib/clients/rows/command.ts';
import { tokenHolds } from '../../../lib/clients/rows/status.ts';
import { tokenLifeS } from '../../../lib/identity/token.ts';
import { loadRevoked } from '../../../lib/zones/rows/loaded.ts';
import type { Revoked } from '../../../lib/zones/zone.ts';
import { aClient, assigned, aToken, at, aZone, fpOf, noon } from '../../../tools/support/builders.ts';

const nowS = noon / 1_000;
const ban = { type: 'ban', id: 'b' } as const satisfies ClientCommand;
const unregister = { type: 'unregister', id: 'u' } as const satisfies ClientCommand;
const none: Revoked = { version: 4, entries: new Uint8Array(0), tokensBefore: 0 };
const many = (count: number, from = 0): string[] => Array.from({ length: count }, (_, n) => fpOf(from + n));
const sizeOf = ({ entries }: Revoked): number => entries.length / 8;
/** Whether a token of this fingerprint, issued then, is believed under these revocations. */
const believed = (revoked: Revoked, fp: string, issuedAtS: number, atS: number): boolean =>
  tokenHolds(aZone(loadRevoked(revoked)), aToken({ fp: fp.slice(0, 32), issuedAtS }), atS, tokenLifeS);

describe('a ban or an unregistering', () => {
  it('is one commit: the rows, and the revocation of their tokens, each at the revision it was read at', () => {
    const clients = [
      { body: aClient({ fp: fpOf('a'), told: assigned(0) }), rev: 3 },
      { body: aClient({ fp: fpOf('b') }), rev: 5 },
    ];

    const { changes, because } = planRevocations({ clients, zone: { name: 'default', revoked: none, rev: 9 } }, unregister, at(0));

    expect(changes.map(({ ref, readRev, decision }) => [ref.noun, ref.id, readRev, decision.does])).toEqual([
      ['revoked', 'default', 9, 'write'],
      ['client', fpOf('a'), 3, 'write'],
    ]);
    expect(because).toEqual(['unregistered: it is an orphan, and its key stays accepted', 'it is on no node']);
  });

  it('of nobody who changes writes nothing, and of one who was never accepted revokes nothing', () => {
    const banned = [{ body: aClient({ standing: 'banned' }), rev: 3 }];
    const pooled = [{ body: aClient({ standing: 'pooled' }), rev: 3 }];

    expect(planRevocations({ clients: banned, zone: { name: 'default', revoked: none, rev: 9 } }, ban, at(0)).changes).toEqual([]);
    expect(planRevocations({ clients: pooled }, ban, at(0)).changes.map(({ ref }) => ref.noun)).toEqual(['client']);
  });

  it('makes every token as none that was issued until then, and no token after, nor anybody else’s', () => {
    const revoked = withRevocations(none, [fpOf('a')], nowS);

    expect(revoked.version).toBe(5);
    expect([-60, 0, 1].map((seconds) => believed(revoked, fpOf('a'), nowS + seconds, nowS + 60))).toEqual([false, false, true]);
    expect(believed(revoked, fpOf('b'), nowS - 60, nowS + 60)).toBe(true);
  });
});

describe('revocations', () => {
  it('are kept for as long as any token they are about can live, to the second', () => {
    const revoked = withRevocations(undefined, [fpOf('a')], nowS);
    for (const seconds of [1, tokenLifeS - 1, tokenLifeS]) {
      const later = withRevocations(revoked, [fpOf('b')], nowS + seconds);
      expect(believed(later, fpOf('a'), nowS, nowS + seconds), `${seconds} s later`).toBe(false);
    }
    expect(sizeOf(withRevocations(revoked, [fpOf('b')], nowS + tokenLifeS + 1))).toBe(1);
  });

  it('within one second each make the tokens as none that were minted since the one before', () => {
    const minted = nowS + 1;
    const twice = withRevocations(withRevocations(none, [fpOf('a')], nowS), [fpOf('a')], nowS);
    const afterFold = withRevocations({ ...none, tokensBefore: minted }, [fpOf('a')], nowS);

    expect([twice, afterFold].map((revoked) => believed(revoked, fpOf('a'), minted, nowS + 60))).toEqual([false, false]);
    expect([twice, afterFold].map((revoked) => believed(revoked, fpOf('a'), minted + 1, nowS + 60))).toEqual([true, true]);
  });

  it(`above ${revocationsMax} fold: every token of the zone issued until then is as none, and the list begins anew`, () => {
    const full = withRevocations(none, many(revocationsMax), nowS);
    expect([sizeOf(full), full.tokensBefore]).toEqual([revocationsMax, 0]);

    const folded = withRevocations(full, [fpOf('one more')], nowS + 10);

    expect(folded).toEqual({ version: 6, entries: new Uint8Array(0), tokensBefore: nowS + 11 });
    expect(believed(folded, fpOf('anybody'), nowS + 10, nowS + 60)).toBe(false);
    expect(believed(folded, fpOf('anybody'), nowS + 11, nowS + 60)).toBe(true);
    expect(withRevocations(folded, [fpOf('next')], nowS + 20).tokensBefore).toBe(nowS + 11);
  });

  it('in whatever order never let a revoked token pass', () => {
    const step = fc.record({ who: fc.nat(40), afterS: fc.integer({ min: 0, max: 200_000 }), howMany: fc.constantFrom(1, 1, 1, 700) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 15 }), (steps) => {
        let revoked: Revoked | undefined;
        let atS = nowS;
        const revokedAt = new Map<string, number>();
        for (const [n, { who, afterS, howMany }] of steps.entries()) {
          atS += afterS;
          revoked = withRevocations(revoked, [fpOf(who), ...many(howMany - 1, 1_000 * (n + 1))], atS);
          revokedAt.set(fpOf(who), atS);
          for (const [fp, when] of revokedAt) expect(believed(revoked, fp, when, atS)).toBe(false);
        }
      }),
      { seed: 13, numRuns: 60 },
    );
  });
});
