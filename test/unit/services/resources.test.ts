import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ServiceReport } from '../../../events/reported/service.ts';
import { decide } from '../../../lib/services/decide.ts';
import { heardOf, lastReportOf, reportedMax } from '../../../lib/services/heard.ts';
import { orderStart } from '../../../lib/services/orders.ts';
import { type Held, instanceOf, Service } from '../../../lib/services/service.ts';
import { aNode, at } from '../../../tools/support/builders.ts';
import { aType, judged, schemas } from './some.ts';

type Word = {
  readonly seq: number;
  readonly does: 'acquired' | 'released' | 'answered';
  readonly id: string;
  readonly incarnation?: number;
};

const node = aNode({ services: true });

function begun(): Service {
  const asked = { service: undefined, formerly: undefined, type: aType('web'), schema: schemas[0]!, node, holder: undefined };
  const made = judged((verdict) => orderStart({ ...asked, configuration: '{"port":80}', verdict }, at(0)));
  if (made.does !== 'write') throw new Error('the service cannot be started');
  return made.next;
}

/** The service once these words of its agent, or of the bus, were heard in this order. */
const having = (words: readonly Word[], service = begun(), by: 'agent' | 'bus' = 'agent'): Service =>
  words.reduce((before, { seq, does, id, incarnation = 1 }) => {
    const data = does === 'answered' ? { what: 'check', exit: 7, says: '' } : { kind: 'database', id, hold: 'exclusive' };
    const counted = by === 'agent' ? { incarnation, seq } : {};
    const made = decide(
      before,
      {
        id: `r-${seq}`,
        type: `service.${does}`,
        version: 1,
        node: before.node,
        receivedAt: at(seq),
        intervalMs: 10_000,
        ...counted,
        data: { service: before.type, instance: instanceOf(before), pid: 7, ...data },
      } as ServiceReport,
      {},
      at(100),
    );
    if (made.does === 'remove') throw new Error(made.because);
    return made.does === 'write' ? made.next : before;
  }, service);

/**
 * The same of words about the lives of its instance, as an agent says them that has started it again while it was
 * alone.
 */
const living = (words: readonly { does: string; pid: number; seq: number; id?: string }[], service = begun()): Service =>
  words.reduce((before, { seq, does, id, pid }) => {
    const data = id !== undefined ? { kind: 'database', id, hold: 'shared' } : does === 'starting' ? {} : { exit: 1 };
    const made = decide(
      before,
      {
        id: `r-${seq}`,
        type: `service.${does}`,
        version: 1,
        node: before.node,
        receivedAt: at(seq),
        intervalMs: 10_000,
        incarnation: 1,
        seq,
        data: { service: before.type, instance: instanceOf(before), pid, ...data, ...(does === 'failed' && { reason: 'broken' }) },
      } as ServiceReport,
      {},
      at(100),
    );
    if (made.does === 'remove') throw new Error(made.because);
    return made.does === 'write' ? made.next : before;
  }, service);
const heldIn = ({ resources }: Service): string[] => resources.map(({ id }: Held) => id).sort();

describe('what a service holds', () => {
  it('is let go although the word of that comes before the one that it is held', () => {
    const [taken, left] = [
      { seq: 61, does: 'acquired', id: 'main' },
      { seq: 65, does: 'released', id: 'main' },
    ] as const;
    for (const by of ['agent', 'bus'] as const) {
      const after = having([left, taken], undefined, by);
      expect(heldIn(after)).toEqual([]);
      expect(having([taken, left], after, by)).toBe(after);
    }
  });

  it('is held although an answer, or the word of another resource, overtook the one that says so', () => {
    const words: Word[] = [
      { seq: 66, does: 'answered', id: '' },
      { seq: 65, does: 'released', id: 'main' },
      { seq: 62, does: 'acquired', id: 'spare' },
    ];
    expect(heldIn(having(words))).toEqual(['spare']);
  });

  it('is what the last words about each resource say, in whatever order and however often they come', () => {
    const word = fc.record({ does: fc.constantFrom('acquired', 'released', 'answered'), id: fc.constantFrom('a', 'b', 'c') });
    const history = fc.array(word, { maxLength: 12 }).map((all): Word[] => all.map((one, n) => ({ ...one, seq: n + 1 })));
    const orders = history.chain((words) =>
      fc.tuple(fc.constant(words), fc.shuffledSubarray([...words, ...words], { minLength: words.length * 2 })),
    );
    fc.assert(
      fc.property(orders, ([words, coming]) => {
        const after = having(coming);
        expect(heldIn(after)).toEqual(heldIn(having(words)));
        expect(having(words, after)).toBe(after);
        expect(Service.safeParse(after).error).toBeUndefined();
      }),
    );
  });

  it('is what its present life has come to hold, in whatever order the words of that and of earlier ones come', () => {
    const life = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 });
    const lives = fc.array(life, { minLength: 1, maxLength: 3 });
    const orders = lives.chain((all) => {
      const words = all.flatMap((ids, n) => [
        { does: 'starting', pid: n + 7 } as const,
        ...ids.map((id) => ({ does: 'acquired', id, pid: n + 7 }) as const),
        ...(n < all.length - 1 ? [{ does: n % 2 === 0 ? 'stopped' : 'failed', pid: n + 7 } as const] : []),
      ]);
      const numbered = words.map((one, n) => ({ ...one, seq: n + 1 }));
      return fc.tuple(fc.constant(all.at(-1)!), fc.shuffledSubarray([...numbered, ...numbered], { minLength: numbered.length * 2 }));
    });
    fc.assert(
      fc.property(orders, ([last, coming]) => {
        const after = living(coming);
        expect(heldIn(after)).toEqual([...new Set(last)].sort());
        expect(living(coming, after)).toBe(after);
        expect(Service.safeParse(after).error).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it('is not begun anew by the late word of a life that is known to have ended', () => {
    const words = [
      { seq: 2, does: 'stopped', pid: 7 },
      { seq: 7, does: 'failed', pid: 8 },
    ];
    const after = living(words);
    expect(after.state.is).toBe('failed');
    expect(living([{ seq: 3, does: 'starting', pid: 8 }], after)).toBe(after);
    expect(living([{ seq: 8, does: 'starting', pid: 9 }], after)).toMatchObject({ state: { is: 'starting' }, running: { pid: 9 } });
  });

  it('goes by the number of any word in a row of an older version, until another boot is heard', () => {
    const old: Service = { ...begun(), heard: { node: node.id, incarnation: 1, seq: 66 } };
    const late: Word = { seq: 61, does: 'acquired', id: 'main' };
    expect(having([late], old)).toBe(old);
    expect(
      heldIn(
        having(
          [
            { seq: 2, does: 'answered', id: '', incarnation: 2 },
            { ...late, seq: 1, incarnation: 2 },
          ],
          old,
        ),
      ),
    ).toEqual(['main']);
  });

  it('is kept by number for so many resources; what is forgotten counts as heard', () => {
    const word = (seq: number) => ({ node: node.id, incarnation: 1, seq });
    const of = (n: number) => ({ kind: 'database', id: `${n}` }) as Pick<Held, 'kind' | 'id'>;
    const all = Array.from({ length: reportedMax + 2 }, (_, n) => n + 1);
    const heard = all.reduce<Service['heard']>((before, n) => heardOf(before, word(n), of(n)), undefined)!;
    expect(heard.said).toHaveLength(reportedMax);
    expect([1, 2, 3, reportedMax + 2, 999].map((n) => lastReportOf(heard, of(n)))).toEqual([2, 2, 3, reportedMax + 2, 2]);
  });
});
