import fc from 'fast-check';
import { describe, it } from 'vitest';
import { write } from '../../lib/core/decision.ts';
import type { Fingerprint } from '../../lib/core/ids.ts';
import { countStep as productStep } from '../../lib/zones/tick/count.ts';
import { Counts, countAt } from '../../lib/zones/zone.ts';
import { fpOf } from '../../tools/support/builders.ts';
import { always, command, findsFault, type Model, same } from './model.ts';
import { KeptRow } from './row.ts';

const slots = 1_024;
const partitions = 64;
const everyMs = 10_000;

/**
 * All accepted client systems, those that the running count has seen, how far it has come, and what the last whole
 * count found.
 */
type Remembered = { clients: Fingerprint[]; seen: Fingerprint[]; next: number; counted: Fingerprint[] };

/** The first 6 and the first 10 bits of a fingerprint. */
const partitionOf = (fp: string): number => Number.parseInt(fp.slice(0, 2), 16) >> 2;
const slotOf = (fp: string): number => Number.parseInt(fp.slice(0, 3), 16) >> 2;
const tally = (fps: readonly string[]): number[] =>
  Array.from({ length: slots }, (_, slot) => fps.filter((fp) => slotOf(fp) === slot).length);

function holds({ counted, next }: Remembered, row: KeptRow<Counts>, isStep: boolean): void {
  const { perSlot, running } = row.state!;
  same(
    Array.from({ length: slots }, (_, slot) => countAt(perSlot, slot)),
    tally(counted),
    'the last whole count stands until the next is whole',
  );
  same(running?.partition ?? 0, next, 'a count goes on where it was');
  const now = row.shell.now();
  if (isStep) same(row.row?.wakeAt, next > 0 ? now : now + Math.max(everyMs, counted.length), 'a count that is not whole goes on at once');
}

const aModelOf = (step: typeof productStep): Model<Remembered, KeptRow<Counts>> => ({
  begin: async () => {
    const row = new KeptRow<Counts>({ noun: 'counts', id: 'default' }, Counts);
    await row.take({ id: row.newId() }, (_none, _input, now) =>
      write<Counts, never>({ at: now, perSlot: new Uint8Array(slots * 2) }, 'new', { wakeAt: now }),
    );
    return { model: { clients: [], seen: [], next: 0, counted: [] }, real: row };
  },
  commands: [
    fc
      .tuple(fc.nat(999), fc.constantFrom(1, 40))
      .map(([name, count]) =>
        command(
          `${count} accepted`,
          async (model) => void model.clients.push(...Array.from({ length: count }, (_, n) => fpOf(`${name}-${n}`))),
        ),
      ),
    fc.nat(5).map((n) =>
      command(`every fifth from ${n} banned`, async (model) => {
        model.clients = model.clients.filter((_, i) => i % 5 !== n);
      }),
    ),
    fc.constantFrom(1_000, 20_000).map((ms) => command(`wait ${ms}`, async (_model, row) => row.shell.step(ms))),
    fc.tuple(fc.constantFrom(8, 20, 64), fc.constantFrom(0, 0, 0, 8)).map(([size, off]) =>
      command(`count ${size} partitions${off > 0 ? ', as somebody did already' : ''}`, async (model, row) => {
        const first = model.next + off;
        const some = Array.from({ length: Math.min(size, Math.max(1, partitions - first)) }, (_, n) => first + n);
        const seen = new Map(some.map((one) => [one, model.clients.filter((fp) => partitionOf(fp) === one)]));
        if (off === 0) {
          model.seen.push(...[...seen.values()].flat());
          model.next = (first + some.length) % partitions;
          if (model.next === 0) [model.counted, model.seen] = [model.seen, []];
        }
        await row.take({ type: 'tick', id: row.newId() }, (counts, _tick, now) => step(counts, first, seen, { now, everyMs }));
        holds(model, row, off === 0);
      }),
    ),
  ],
});

describe("a zone's counts", () => {
  it('keep their laws while clients come and go', () => always(aModelOf(productStep), { numRuns: 60 }));

  it('are found out when two sweeps count the same partitions', () =>
    findsFault(
      aModelOf((counts, _first, ...rest) => productStep(counts, counts?.running?.partition ?? 0, ...rest)),
      'a count goes on where it was',
    ));
});
