import { describe, expect, it } from 'vitest';
import type { EpochMs } from '../../../lib/core/time.ts';
import { at } from '../../../tools/support/builders.ts';
import { seeded } from '../../../tools/support/seeded.ts';
import type { Ledger } from './ledger.ts';
import { aZoneOf, bringUp, hear, lose, moved, rest } from './members.ts';

/** So many clients by slot, as fingerprints fall. */
function countsOf(clients: number, slots: number, random: () => number): Uint16Array {
  const counts = new Uint16Array(slots);
  for (let n = 0; n < clients; n++) counts[Math.floor(random() * slots)]!++;
  return counts;
}

/** The clients of the fullest node that is up, over the mean. */
function maxOverMean({ zone, counts }: Ledger): number {
  const clients = new Map<number, number>();
  zone.map.owner.forEach((owner, slot) => {
    clients.set(owner, (clients.get(owner) ?? 0) + counts[slot]!);
  });
  const all = [...clients.values()];
  return Math.max(...all) / (all.reduce((sum, n) => sum + n) / all.length);
}

describe('a million clients on 50 nodes and 16,384 slots', () => {
  it('stay within 0.4 % of even through 60 losses, returns and joins, and no slot moves that need not', () => {
    const random = seeded(50);
    const ledger = aZoneOf(50, { slots: 16_384, counts: countsOf(1_000_000, 16_384, random) });
    rest(ledger, at(0));
    const up = new Set(Array.from({ length: 50 }, (_, i) => i + 1));
    const down: number[] = [];
    let worst = maxOverMean(ledger);
    // An hour between them: every budget is full again.
    const atRound = (round: number): EpochMs => at(3_600 * (round + 24));
    for (let round = 0, next = 51; round < 60; round++) {
      const before = ledger.zone.map;
      const chosen = [...up][Math.floor(random() * up.size)]!;
      const kind = round % 3;
      if (kind === 0) {
        lose(ledger, [chosen], atRound(round));
        rest(ledger, atRound(round));
        up.delete(chosen);
        down.push(chosen);
        expect(moved(before, ledger.zone.map)).toHaveLength(before.owner.filter((owner) => owner === chosen - 1).length);
      } else if (kind === 1) {
        const back = down.shift()!;
        hear(ledger, [back], atRound(round));
        rest(ledger, atRound(round));
        up.add(back);
        expect(moved(before, ledger.zone.map).every(({ to }) => to === back - 1)).toBe(true);
      } else {
        bringUp(ledger, [next], { now: atRound(round) });
        rest(ledger, atRound(round));
        up.add(next);
        expect(moved(before, ledger.zone.map).length).toBeLessThanOrEqual(Math.ceil(16_384 / up.size) + 2);
        next++;
      }
      worst = Math.max(worst, maxOverMean(ledger));
    }
    expect(worst).toBeLessThanOrEqual(1.004);
  });
});
