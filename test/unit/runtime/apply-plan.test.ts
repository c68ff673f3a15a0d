import { beforeEach, describe, expect, it } from 'vitest';
import { nothing, type Plan, type PlannedChange, type RowRef, type Tick, write } from '../../../lib/core/decision.ts';
import { Conflict, Later } from '../../../lib/core/errors.ts';
import { plusMs } from '../../../lib/core/time.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { nameOf, type Row } from '../../../lib/ports/table/table.ts';
import { apply, attemptsMax } from '../../../lib/runtime/apply.ts';
import { applyPlan, type Reading } from '../../../lib/runtime/apply-plan.ts';
import type { Shell } from '../../../lib/runtime/shell.ts';
import { aRow, noon, put } from '../../../tools/support/a-row.ts';
import { aShell, committing, losingAnswers, outrun, type TestShell } from '../../../tools/support/a-shell.ts';

type Count = { readonly n: number };
const node = (id: string): RowRef => ({ noun: 'node', id });
const [a, b, fence] = [node('a'), node('b'), { noun: 'zone', id: 'default' }];
const event = { type: 'node.joined', version: 1, data: {} };

let shell: TestShell;
beforeEach(() => {
  shell = aShell();
});
const stored = (ref: RowRef): Row | undefined => shell.table.rows.get(nameOf(keyOf(ref)));
/** Somebody else writes a row. */
const touch = (ref: RowRef) => shell.table.commit([put(aRow({ ...keyOf(ref), by: 'somebody', body: { n: 100 } }), stored(ref)?.rev ?? 0)]);

const oneMore = async (reading: Reading, ref: RowRef): Promise<PlannedChange> => {
  const row = await reading.row(ref);
  const n = ((row?.body as Count | undefined)?.n ?? 0) + 1;
  return { ref, readRev: row?.rev ?? 0, decision: write({ n }, `counted to ${n}`, { events: [event] }) };
};
const untouched = async (reading: Reading, ref: RowRef): Promise<PlannedChange> => ({
  ref,
  readRev: (await reading.row(ref))?.rev ?? 0,
  decision: nothing('only looked at'),
});
/** Counts a and b, resting on the fence. */
const counting = async (reading: Reading): Promise<Plan> => ({
  changes: [await untouched(reading, fence), await oneMore(reading, a), await oneMore(reading, b)],
  because: ['one more of both'],
});
const count = (by: Shell) => applyPlan(by, { id: 'ours' }, counting);

describe('a plan', () => {
  it('is committed whole, every row with its cause, reason and numbered events', async () => {
    await count(shell);
    const plan = await count(shell);

    expect(plan.because).toEqual(['one more of both']);
    for (const ref of [a, b])
      expect(stored(ref)).toMatchObject({
        rev: 2,
        body: { n: 2 },
        by: 'ours',
        because: 'counted to 2',
        events: [{ ...event, seq: 2 }],
        eventSeq: 2,
      });
    expect(stored(fence)).toBeUndefined();
  });

  it('that writes nothing commits nothing', async () => {
    const before = shell.table.meter.rowsWritten;
    const looking = async (reading: Reading): Promise<Plan> => ({ changes: [await untouched(reading, fence)], because: ['nothing to do'] });
    expect((await applyPlan(shell, { id: 'ours' }, looking)).because).toEqual(['nothing to do']);
    expect(shell.table.meter.rowsWritten).toBe(before);
  });

  it('sets wakeAt exactly, as a tick does', async () => {
    const at =
      (wakeAt: typeof noon | undefined) =>
      async (reading: Reading): Promise<Plan> => ({
        changes: [{ ref: a, readRev: (await reading.row(a))?.rev ?? 0, decision: write({ n: 1 }, 'planned', { wakeAt }) }],
        because: [],
      });
    await applyPlan(shell, { id: 'one' }, at(plusMs(noon, 10)));
    await applyPlan(shell, { id: 'two' }, at(plusMs(noon, 99)));
    expect(stored(a)?.wakeAt).toBe(plusMs(noon, 99));
    await applyPlan(shell, { id: 'three' }, at(undefined));
    expect(stored(a)?.wakeAt).toBeUndefined();
  });

  it('reads each row once, and all it needs in one call', async () => {
    await count(shell);
    const asked: number[] = [];
    const counted: Shell = {
      ...shell,
      table: {
        ...shell.table,
        readMany: (keys) => {
          asked.push(keys.length);
          return shell.table.readMany(keys);
        },
      },
    };
    await applyPlan(counted, { id: 'ours' }, async (reading) => {
      await reading.rows([a, b, a]);
      return counting(reading);
    });
    expect(asked).toEqual([2, 1]);
  });
});

describe('a plan that met a newer row', () => {
  it('changes nothing at all, and is made again', async () => {
    const seen: unknown[] = [];
    const watching = committing(shell, async (commit, changes) => {
      try {
        await commit(changes);
      } catch (error) {
        seen.push([stored(a)?.body, stored(b)?.body]);
        throw error;
      }
    });
    await count(outrun(watching, () => touch(b)));

    expect(seen).toEqual([[undefined, { n: 100 }]]);
    expect([stored(a)?.body, stored(b)?.body]).toEqual([{ n: 1 }, { n: 101 }]);
  });

  it('is made again also when only a row has moved that it rests on', async () => {
    let made = 0;
    await applyPlan(
      outrun(shell, () => touch(fence)),
      { id: 'ours' },
      (reading) => {
        made += 1;
        return counting(reading);
      },
    );
    expect(made).toBe(2);
    expect(stored(a)).toMatchObject({ rev: 1 });
  });

  it('is made again when a row moves between two of its own reads', async () => {
    let raced = false;
    const plan = await applyPlan(shell, { id: 'ours' }, async (reading) => {
      const first = await oneMore(reading, a);
      if (!raced) await touch(b);
      // Computed from an older state of b than the commit will find, as from a query that ran before.
      const second: PlannedChange = raced ? await oneMore(reading, b) : { ref: b, readRev: 0, decision: write({ n: 1 }, 'counted to 1') };
      raced = true;
      return { changes: [first, second], because: ['both'] };
    });
    expect(plan.because).toEqual(['both']);
    expect([stored(a)?.body, stored(b)?.body]).toEqual([{ n: 1 }, { n: 101 }]);
  });

  it('is made again when it says itself that rows moved while it read them', async () => {
    let torn = 2;
    const reads = async (reading: Reading): Promise<Plan> => {
      if (torn-- > 0) throw new Conflict('zone default', 'zone default changed while it was read');
      return counting(reading);
    };
    await applyPlan(shell, { id: 'ours' }, reads);
    expect(stored(a)?.body).toEqual({ n: 1 });
    expect(shell.slept).toEqual([20, 40]);
  });

  it('is handed back when the rows stay busy', async () => {
    const busy = outrun(shell, () => touch(b), attemptsMax);
    await expect(count(busy)).rejects.toThrow(new Later('plan.busy', `the rows of a plan changed during each of ${attemptsMax} attempts`));
    expect(stored(a)).toBeUndefined();
    expect(shell.slept).toEqual([20, 40, 80, 160, 320]);
    expect(shell.logged.filter(({ code }) => code === 'plan.conflict')).toHaveLength(attemptsMax);
  });
});

describe('a plan whose answer was lost', () => {
  it('is recognised as ours and not carried out twice', async () => {
    const plan = await count(losingAnswers(shell));
    expect(plan.because).toEqual(['one more of both']);
    for (const ref of [a, b]) expect(stored(ref)).toMatchObject({ rev: 1, body: { n: 1 }, eventSeq: 1 });
  });

  it('is recognised also where a transient failure took the answer, and thrown for a transient failure that let nothing through', async () => {
    const noAnswer = new Later('service.busy', 'commit: no answer');
    expect((await count(losingAnswers(shell, 1, noAnswer))).because).toEqual(['one more of both']);
    for (const ref of [a, b]) expect(stored(ref)).toMatchObject({ rev: 1, body: { n: 1 }, eventSeq: 1 });

    const throttled = committing(shell, async () => {
      throw new Later('service.busy', 'commit: throttled');
    });
    await expect(count(throttled)).rejects.toThrow(new Later('service.busy', 'commit: throttled'));
    expect(stored(a)).toMatchObject({ rev: 1 });
  });

  it('is recognised although somebody else has written one of its rows since', async () => {
    const overtaken = committing(losingAnswers(shell), async (commit, changes) => {
      try {
        await commit(changes);
      } catch (error) {
        await touch(a);
        throw error;
      }
    });
    await count(overtaken);
    expect(stored(a)).toMatchObject({ rev: 2, by: 'somebody' });
    expect(stored(b)).toMatchObject({ rev: 1, body: { n: 1 } });
  });

  it('is not recognised in an earlier commit of the same input that a tick has re-armed since', async () => {
    await count(shell);
    const look = () => nothing('its lease holds', plusMs(noon, 10));
    const rearm = () => apply<Count, Tick & { id: string }>(shell, a, { id: 'tick', type: 'tick' }, look);
    await count(outrun(shell, rearm));
    expect(stored(a)).toMatchObject({ rev: 3, body: { n: 2 } });
    expect(stored(b)).toMatchObject({ rev: 2, body: { n: 2 } });
  });

  it('is recognised also at the last attempt', async () => {
    let commits = 0;
    const busy = committing(shell, async (commit, changes) => {
      commits += 1;
      if (commits < attemptsMax) await touch(b);
      await commit(changes);
    });
    await count(losingAnswers(busy, attemptsMax));
    expect(stored(a)).toMatchObject({ rev: 1, by: 'ours' });
    expect(stored(b)).toMatchObject({ rev: attemptsMax, by: 'ours' });
  });
});

describe('a plan that throws', () => {
  it('commits nothing and is not made again', async () => {
    let made = 0;
    const failing = applyPlan(shell, { id: 'ours' }, async () => {
      made += 1;
      throw new Error('the map is unreadable');
    });
    await expect(failing).rejects.toThrow('the map is unreadable');
    expect(made).toBe(1);
  });
});
