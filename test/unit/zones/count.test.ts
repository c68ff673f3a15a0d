import { describe, expect, it } from 'vitest';
import { minuteMs, plusMs } from '../../../lib/core/time.ts';
import { clientPartitions, keyOf } from '../../../lib/ports/table/keys.ts';
import { contentOf } from '../../../lib/runtime/content.ts';
import type { Shell } from '../../../lib/runtime/shell.ts';
import { slotOf } from '../../../lib/zones/map/rows/slots.ts';
import { countStep, countZone } from '../../../lib/zones/tick/count.ts';
import type { Counts } from '../../../lib/zones/zone.ts';
import { aShell, type TestShell } from '../../../tools/support/a-shell.ts';
import { aClient, at, fpOf, noon } from '../../../tools/support/builders.ts';

const slots = 1_024;

async function store({ table }: Shell, noun: string, id: string, next: object): Promise<void> {
  const ref = { noun, id };
  const row = await table.read(keyOf(ref));
  const put = contentOf(ref, row, { does: 'write', next, events: [], because: 'a test says so' }, { by: 'test', at: noon, exact: true })!;
  await table.commit([{ put, readRev: row?.rev ?? 0 }]);
}

/** A shell whose zone has so many clients, and of these every fifth in the pool, banned, or in another zone. */
async function aShellWith(clients: number, lastCount: number): Promise<{ shell: TestShell; direct: Uint8Array }> {
  const shell = aShell();
  const direct = new Uint8Array(slots * 2);
  const others = [aClient({ standing: 'pooled' }), aClient({ standing: 'banned' }), aClient({ zone: 'other' as never })];
  for (let n = 0; n < clients; n++) {
    const fp = fpOf(n);
    const counted = n % 5 !== 0;
    await store(shell, 'client', fp, { ...(counted ? aClient() : others[n % 3]!), fp });
    if (counted) direct[slotOf(fp, slots) * 2 + 1]! += 1;
  }
  const perSlot = new Uint8Array(slots * 2);
  new DataView(perSlot.buffer).setUint16(0, lastCount);
  await store(shell, 'counts', 'default', { at: noon, perSlot });
  return { shell, direct };
}

const countsOf = async ({ table }: Shell): Promise<Counts> => (await table.read(keyOf({ noun: 'counts', id: 'default' })))!.body as Counts;

describe('counting the clients of a zone', () => {
  it('is a direct count of its accepted clients by slot', async () => {
    const { shell, direct } = await aShellWith(3_000, 0);
    shell.step(1_000);

    await countZone(shell, 'default');

    expect(await countsOf(shell)).toEqual({ at: at(1), perSlot: direct });
  });

  it('goes on where another environment stopped, a few partitions a step when there are many, and is due until it is whole', async () => {
    const { shell, direct } = await aShellWith(1_500, 50_000);
    const before = (await countsOf(shell)).perSlot;
    for (let step = 1; step < clientPartitions / 8; step++) {
      await countZone({ ...shell, caches: new Map() }, 'default');
      const { perSlot, running } = await countsOf(shell);
      expect(perSlot).toEqual(before);
      expect(running?.partition).toBe(step * 8);
      expect((await shell.table.read(keyOf({ noun: 'counts', id: 'default' })))!.wakeAt).toBe(noon);
    }

    await countZone(shell, 'default');

    expect(await countsOf(shell)).toEqual({ at: noon, perSlot: direct });
  });

  it('is due again after the time its host can afford, later when nobody came or went, and a zone of a million and more within 20 min', () => {
    const counts = { at: noon, perSlot: new Uint8Array(slots * 2) };
    const all = new Map(Array.from({ length: clientPartitions }, (_, partition) => [partition, [] as string[]]));
    const big = { ...counts, running: { partition: 0, perSlot: new Uint8Array(slots * 2).fill(5) } };

    expect(countStep(counts, 0, all, { now: at(0), everyMs: 10_000 })).toMatchObject({ wakeAt: at(10) });
    expect(countStep(counts, 0, all, { now: at(0), everyMs: 10_000, restsMs: 60_000 })).toMatchObject({ wakeAt: at(60) });
    const one = new Map([...all, [0, [fpOf(1)]]]);
    expect(countStep(counts, 0, one, { now: at(0), everyMs: 10_000, restsMs: 60_000 })).toMatchObject({ wakeAt: at(10) });
    expect(countStep(big, 0, all, { now: at(0), everyMs: 10_000 })).toMatchObject({ wakeAt: plusMs(noon, 20 * minuteMs) });
  });

  it('counts a partition once when two sweeps count at a time, and stays due for the one that goes on', () => {
    const counts: Counts = { at: noon, perSlot: new Uint8Array(slots * 2), running: { partition: 8, perSlot: new Uint8Array(slots * 2) } };

    expect(countStep(counts, 0, new Map([[0, [fpOf(1)]]]), { now: at(0), everyMs: 10_000 })).toMatchObject({
      does: 'nothing',
      wakeAt: at(0),
    });
  });

  it('is due no more once its zone was deleted, also when a sweep had begun to count it', async () => {
    const ref = { noun: 'counts', id: 'default' };
    const { shell } = await aShellWith(10, 0);
    const row = (await shell.table.read(keyOf(ref)))!;
    const ended = { does: 'remove', last: row.body, events: [], because: 'zone default deleted' } as const;
    const put = contentOf(ref, row, ended, { by: 'test', at: noon, exact: true })!;
    await shell.table.commit([{ put: { ...put, wakeAt: noon }, readRev: row.rev }]);

    expect(await countZone(shell, 'default')).toBe(false);

    expect((await shell.table.read(keyOf(ref)))!.wakeAt).toBeUndefined();
    expect(countStep(undefined, 0, new Map(), { now: at(0), everyMs: 10_000 })).toEqual({
      does: 'nothing',
      because: 'the zone is deleted',
    });
  });

  it('of a slot stops at what its two bytes can say', () => {
    const perSlot = new Uint8Array(slots * 2).fill(0xff);
    const counts: Counts = { at: noon, perSlot, running: { partition: 63, perSlot } };

    const decision = countStep(counts, 63, new Map([[63, [fpOf(1), fpOf(2)]]]), { now: at(0), everyMs: 10_000 });

    expect(decision.does === 'write' && decision.next.perSlot).toEqual(perSlot);
  });
});
