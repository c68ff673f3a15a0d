import { beforeEach, describe, expect, it } from 'vitest';
import { type Decision, nothing, type Tick, write } from '../../../lib/core/decision.ts';
import { Later, Poison } from '../../../lib/core/errors.ts';
import { type EpochMs, plusMs } from '../../../lib/core/time.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { apply, attemptsMax } from '../../../lib/runtime/apply.ts';
import type { Shell } from '../../../lib/runtime/shell.ts';
import { noon } from '../../../tools/support/a-row.ts';
import { aShell, committing, losingAnswers, outrun, type TestShell } from '../../../tools/support/a-shell.ts';

type Count = { readonly n: number };
const ref = { noun: 'node', id: 'n1' };
const counted = (n: number) => ({ type: 'node.joined', version: 1, data: { n } });
/** One more than before, and an event that says so. */
const more = (state: Count | undefined): Decision<Count> => {
  const n = (state?.n ?? 0) + 1;
  return write({ n }, `counted to ${n}`, { events: [counted(n)] });
};
const count = (shell: Shell, id: string) => apply<Count, { id: string }>(shell, ref, { id }, more);

let shell: TestShell;
beforeEach(() => {
  shell = aShell();
});
const stored = () => shell.table.read(keyOf(ref));

describe('an input', () => {
  it('writes what was decided, with its cause, its reason and its numbered events', async () => {
    await count(shell, 'one');
    const applied = await count(shell, 'two');

    expect(applied).toEqual({ decision: more({ n: 1 }), before: { n: 1 }, state: { n: 2 }, rev: 2 });
    expect(await stored()).toMatchObject({
      rev: 2,
      body: { n: 2 },
      by: 'two',
      because: 'counted to 2',
      at: noon,
      events: [{ ...counted(2), seq: 2 }],
      eventSeq: 2,
    });
  });

  it('that changes nothing writes nothing', async () => {
    await count(shell, 'one');
    const before = shell.table.meter.rowsWritten;

    const applied = await apply<Count, { id: string }>(shell, ref, { id: 'two' }, () => nothing('as it was', plusMs(noon, 1)));

    expect(applied).toEqual({ decision: nothing('as it was', plusMs(noon, 1)), before: { n: 1 }, state: { n: 1 }, rev: 1 });
    expect(shell.table.meter.rowsWritten).toBe(before);
  });

  it('may end the row, whose numbers go on when it comes back', async () => {
    await count(shell, 'one');
    const ended = await apply<Count, { id: string }>(shell, ref, { id: 'end' }, (state) => ({
      does: 'remove',
      last: state!,
      events: [counted(0)],
      because: 'ended',
    }));
    expect(ended).toMatchObject({ state: undefined, rev: 2 });
    expect(await stored()).toMatchObject({ rev: 2, gone: true, eventSeq: 2 });

    expect(await count(shell, 'again')).toMatchObject({ before: undefined, state: { n: 1 }, rev: 3 });
    expect((await stored())?.events).toEqual([{ ...counted(1), seq: 3 }]);
    expect((await stored())?.gone).toBeUndefined();
  });

  it('finds nothing in a row that has expired, and goes on over it', async () => {
    await apply<Count, { id: string }>(shell, ref, { id: 'one' }, () =>
      write({ n: 9 }, 'for a second', { expiresAt: plusMs(noon, 1_000) }),
    );
    shell.step(1_000);
    expect(await count(shell, 'two')).toMatchObject({ before: undefined, state: { n: 1 }, rev: 2 });
  });
});

describe('a row that moves meanwhile', () => {
  it('is read and decided upon again', async () => {
    const applied = await count(
      outrun(shell, () => count(shell, 'somebody')),
      'ours',
    );

    expect(applied).toMatchObject({ before: { n: 1 }, state: { n: 2 }, rev: 2 });
    expect(await stored()).toMatchObject({ by: 'ours', body: { n: 2 }, eventSeq: 2 });
  });

  it('may leave nothing to do', async () => {
    const once = (state: Count | undefined) => (state ? nothing('counted already') : more(state));
    const busy = outrun(shell, () => count(shell, 'somebody'));
    const applied = await apply<Count, { id: string }>(busy, ref, { id: 'ours' }, once);
    expect(applied).toMatchObject({ decision: nothing('counted already'), state: { n: 1 }, rev: 1 });
  });

  it('is handed back when it keeps moving, with a pause before each attempt that grows and is drawn by chance', async () => {
    const busy = outrun(shell, () => count(shell, 'somebody'), attemptsMax);

    await expect(count(busy, 'ours')).rejects.toThrow(new Later('row.busy', `node n1 kept moving through ${attemptsMax} attempts`));

    expect(shell.slept).toEqual([20, 40, 80, 160, 320]);
    expect(await stored()).toMatchObject({ by: 'somebody', body: { n: attemptsMax } });
  });

  it('is still taken at the last attempt', async () => {
    const busy = outrun(shell, () => count(shell, 'somebody'), attemptsMax - 1);
    expect(await count(busy, 'ours')).toMatchObject({ state: { n: attemptsMax } });
  });
});

describe('a commit whose answer was lost', () => {
  it('is recognised as our own by its cause and revision', async () => {
    const applied = await count(losingAnswers(shell), 'ours');

    expect(applied).toEqual({ decision: more(undefined), before: undefined, state: { n: 1 }, rev: 1 });
    expect(await stored()).toMatchObject({ rev: 1, eventSeq: 1 });
  });

  it('is recognised also where a transient failure took the answer', async () => {
    const applied = await count(losingAnswers(shell, 1, new Later('service.busy', 'commit: no answer')), 'ours');

    expect(applied).toMatchObject({ state: { n: 1 }, rev: 1 });
    expect(await stored()).toMatchObject({ rev: 1, eventSeq: 1 });
  });

  it('is thrown for a transient failure that let nothing through, and not tried again', async () => {
    let commits = 0;
    const throttled = committing(shell, async () => {
      commits += 1;
      throw new Later('service.busy', 'commit: throttled');
    });

    await expect(count(throttled, 'ours')).rejects.toThrow(new Later('service.busy', 'commit: throttled'));
    expect(commits).toBe(1);
  });

  it('is recognised also when it was the last attempt', async () => {
    let commits = 0;
    const busy = committing(shell, async (commit, changes) => {
      commits += 1;
      if (commits < attemptsMax) await count(shell, 'somebody');
      await commit(changes);
    });
    const applied = await count(losingAnswers(busy, attemptsMax), 'ours');
    expect(applied).toMatchObject({ state: { n: attemptsMax }, rev: attemptsMax });
    expect(await stored()).toMatchObject({ by: 'ours', rev: attemptsMax });
  });

  it('is not recognised in what somebody else has written at that revision', async () => {
    const applied = await count(
      committing(shell, async (commit, changes) => {
        if ((await stored()) === undefined) await count(shell, 'somebody');
        await commit(changes);
      }),
      'ours',
    );
    expect(applied).toMatchObject({ rev: 2, state: { n: 2 } });
  });

  it('is not recognised in an older commit of the same input', async () => {
    await count(shell, 'ours');
    const applied = await count(
      outrun(shell, () => count(shell, 'somebody')),
      'ours',
    );
    expect(applied).toMatchObject({ rev: 3, state: { n: 3 } });
  });

  it('is not recognised in an older commit of the same input that a tick has re-armed since', async () => {
    await count(shell, 'ours');
    const rearm = () => nothing('its lease holds', plusMs(noon, 10));
    const applied = await count(
      outrun(shell, () => apply<Count, Tick & { id: string }>(shell, ref, { id: 'tick', type: 'tick' }, rearm)),
      'ours',
    );
    expect(applied).toMatchObject({ rev: 3, state: { n: 2 } });
  });
});

describe('what is no conflict', () => {
  it('is thrown as it is, at once', async () => {
    const poison = new Poison('table.too-large', 'a row is too large');
    const refusing = committing(shell, async () => {
      throw poison;
    });
    await expect(count(refusing, 'ours')).rejects.toBe(poison);
    expect(shell.slept).toEqual([]);
  });
});

describe('wakeAt', () => {
  const [soon, later] = [plusMs(noon, 10), plusMs(noon, 20)];
  const decided = (wakeAt: EpochMs | undefined) => (): Decision<Count> => write({ n: 1 }, 'decided', { wakeAt });
  const afterReport = async (wakeAt: EpochMs | undefined) => {
    await apply<Count, { id: string }>(shell, ref, { id: 'report' }, decided(wakeAt));
    return (await stored())?.wakeAt;
  };
  const afterTick = async (decide: () => Decision<Count>) => {
    await apply<Count, { id: string; type: 'tick' }>(shell, ref, { id: 'tick', type: 'tick' }, decide);
    return (await stored())?.wakeAt;
  };

  it('is a lower bound outside a tick: the earlier of stored and decided stays', async () => {
    expect(await afterReport(later)).toBe(later);
    expect(await afterReport(soon)).toBe(soon);
    expect(await afterReport(later)).toBe(soon);
    expect(await afterReport(undefined)).toBe(soon);
  });

  it('is exactly what was decided after a tick', async () => {
    await afterReport(soon);
    expect(await afterTick(decided(later))).toBe(later);
    expect(await afterTick(decided(undefined))).toBeUndefined();
  });

  it('is re-armed by a tick that changes nothing else, and nothing but it', async () => {
    await afterReport(soon);
    shell.step(10);
    expect(await afterTick(() => nothing('the lease holds', later))).toBe(later);
    expect(await stored()).toMatchObject({ rev: 2, body: { n: 1 }, because: 'decided', by: 'report', at: noon });
    expect(await afterTick(() => nothing('nothing waits'))).toBeUndefined();
  });

  it('costs no write when a tick finds it as it should be, or due either way', async () => {
    await afterReport(soon);
    shell.step(100);
    await afterTick(() => nothing('as it was', soon));
    await afterTick(() => nothing('due now', shell.now()));
    expect((await stored())?.rev).toBe(1);
  });

  it('of a row that has ended is not taken over by the one that comes back', async () => {
    await afterReport(soon);
    await apply<Count, { id: string }>(shell, ref, { id: 'end' }, (state) => ({
      does: 'remove',
      last: state!,
      events: [],
      because: 'ended',
    }));
    expect((await stored())?.wakeAt).toBeUndefined();
    expect(await afterReport(later)).toBe(later);
  });
});
