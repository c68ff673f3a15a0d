import { describe, expect, it } from 'vitest';
import { ownedRevisions, ownedSystems, systemsPerNodeMax } from '../../../lib/clients/systems/reads.ts';
import { write } from '../../../lib/core/decision.ts';
import type { Fingerprint } from '../../../lib/core/ids.ts';
import type { Table } from '../../../lib/ports/table/table.ts';
import { contentOf } from '../../../lib/runtime/content.ts';
import { slotOf, slotRange } from '../../../lib/zones/map/rows/slots.ts';
import { loadPins } from '../../../lib/zones/pins/pins.ts';
import { aShell } from '../../../tools/support/a-shell.ts';
import { aClient, aZone, fpOf, noon } from '../../../tools/support/builders.ts';

const fps = Array.from({ length: 2_000 }, (_, n) => fpOf(n)).sort();

/** A shell with these client systems accepted, that counts the questions asked of the index and how many at once. */
async function aListedShell() {
  const shell = aShell();
  for (let at = 0; at < fps.length; at += 100)
    await shell.table.commit(fps.slice(at, at + 100).map((fp) => ({ put: rowOf(fp), readRev: 0 })));
  const asked = { questions: 0, now: 0, atOnce: 0 };
  const queryIndex: Table['queryIndex'] = async (query) => {
    asked.questions += 1;
    asked.now += 1;
    asked.atOnce = Math.max(asked.atOnce, asked.now);
    const page = await shell.table.queryIndex(query);
    asked.now -= 1;
    return page;
  };
  return { shell: { ...shell, table: { ...shell.table, queryIndex } }, asked };
}
const rowOf = (fp: Fingerprint) =>
  contentOf({ noun: 'client', id: fp }, undefined, write(aClient({ fp }), 'accepted'), { by: 'a test', at: noon, exact: true })!;

describe("a node's client systems", () => {
  it.each([
    ['every slot', () => 0, 64],
    ['every other slot', (slot: number) => slot % 2, 64],
    ['one slot in five', (slot: number) => (slot % 5 === 0 ? 0 : 1), 256],
    ['the first hundred slots', (slot: number) => (slot < 100 ? 0 : 1), 7],
    ['no slot', () => 1, 0],
  ])('are those of its slots in order, found with few questions: %s', async (_what, owner, questionsMax) => {
    const { shell, asked } = await aListedShell();
    const zone = aZone({ nodes: [{}, {}], owner });

    const found = await ownedSystems(shell, zone, 0);

    expect(found).toEqual(fps.filter((fp) => owner(slotOf(fp, zone.head.slots)) === 0));
    expect(asked.questions).toBeLessThanOrEqual(questionsMax);
    expect(asked.atOnce).toBeLessThanOrEqual(8);
    if (questionsMax >= 64) expect(asked.atOnce).toBe(8);
  });

  it.each([
    ['a few of very many slots', 4_096, (slot: number) => (slot % 12 === 0 ? 0 : 1), 64 * 6],
    ['scattered over very many slots, where a partition is one page', 16_384, (slot: number) => (slot % 5 === 0 ? 0 : 1), 65],
  ])('are found with at most eight questions for each page of a partition: %s', async (_what, slots, owner, questionsMax) => {
    const { shell, asked } = await aListedShell();
    const zone = aZone({ nodes: [{}, {}], slots, owner });

    expect(await ownedSystems(shell, zone, 0)).toEqual(fps.filter((fp) => owner(slotOf(fp, slots)) === 0));

    expect(asked.questions).toBeLessThanOrEqual(questionsMax);
  });

  it('are asked for by ranges, however scattered, where a partition has many pages', async () => {
    const owner = (slot: number) => (slot % 16 === 0 ? 0 : 1);
    const zone = aZone({ nodes: [{}, {}], slots: 16_384, owner });
    const [shell, asked] = [aShell(), { ranges: 0, whole: 0 }];
    // A hundred entries a slot, a thousand a page: 256 slots are 26 pages.
    const queryIndex: Table['queryIndex'] = async ({ from, limit }) => {
      asked[from === undefined ? 'whole' : 'ranges'] += 1;
      const sk = slotRange(limit / 100 - 1, 16_384).from.padEnd(64, '0');
      return from === undefined ? { items: [{ key: { pk: 'c', sk: 'client' }, sk }], next: 'more' } : { items: [] };
    };

    expect(await ownedSystems({ ...shell, table: { ...shell.table, queryIndex } }, zone, 0)).toEqual([]);

    expect(asked).toEqual({ whole: 1, ranges: 1_024 });
  });

  it('are also those of nodes that are away who are pinned softly, of whom several nodes are asked about at once', async () => {
    const { shell, asked } = await aListedShell();
    const away = Array.from({ length: 20 }, (_, n) => ({ index: n + 1, hard: 0, soft: 1, awayAt: noon }));
    const pinned = Array.from({ length: 20 }, (_, n) => ({ fp: fpOf(`pinned ${n}`), pin: { index: n + 1, hard: false } }));
    const rows = pinned.map((one) =>
      contentOf({ noun: 'client', id: one.fp }, undefined, write(aClient(one), 'pinned'), { by: 'a test', at: noon, exact: true }),
    );
    await shell.table.commit(rows.map((put) => ({ put: put!, readRev: 0 })));
    const zone = aZone({
      nodes: Array.from({ length: 21 }, () => ({})),
      owner: (slot) => slot % 2,
      pins: loadPins({ version: 1, nodes: away }),
    });
    // No slot: what is asked is asked about pins.
    asked.questions = 0;
    const few = { ...zone, map: { ...zone.map, owner: zone.map.owner.map((owner) => owner + 5) } };
    expect(await ownedRevisions(shell, few, 0)).toEqual(new Map());
    expect(asked).toMatchObject({ questions: 20, atOnce: 8 });

    const found = await ownedSystems(shell, zone, 0);

    const isOf = (fp: Fingerprint): boolean => slotOf(fp, zone.head.slots) % 2 === 0;
    expect(found).toEqual([...fps, ...pinned.map(({ fp }) => fp)].filter(isOf).toSorted());
  });

  it('are named by their fingerprints alone: who was pinned since the zone was read is asked about when its key waits', async () => {
    const { shell } = await aListedShell();
    const pinned = contentOf(
      { noun: 'client', id: fpOf('pinned') },
      undefined,
      write(aClient({ fp: fpOf('pinned'), pin: { index: 1, hard: false } }), 'pinned'),
      { by: 'a test', at: noon, exact: true },
    );
    await shell.table.commit([{ put: pinned!, readRev: 0 }]);

    expect(await ownedSystems(shell, aZone({ nodes: [{}, {}], owner: () => 0 }), 0)).toEqual(fps);
  });

  it('have their metadata revisions in an index of their own, read without the row of any', async () => {
    const shell = aShell();
    const revisionOf = (fp: string): number => (Number.parseInt(fp[0]!, 16) % 4) * 100;
    for (let at = 0; at < fps.length; at += 100) {
      const rows = fps.slice(at, at + 100).map((fp) => {
        const metadata = { revision: revisionOf(fp), kinds: {} };
        const client = aClient({ fp, ...(metadata.revision > 0 && { metadata }) });
        return contentOf({ noun: 'client', id: fp }, undefined, write(client, 'accepted'), { by: 'a test', at: noon, exact: true })!;
      });
      await shell.table.commit(rows.map((put) => ({ put, readRev: 0 })));
    }
    const zone = aZone({ nodes: [{}, {}], owner: (slot: number) => slot % 2 });
    const readUnits = shell.table.meter.readUnits;

    const found = await ownedRevisions(shell, zone, 0);

    const own = fps.filter((fp) => slotOf(fp, zone.head.slots) % 2 === 0 && revisionOf(fp) > 0);
    expect([...found]).toEqual(own.map((fp) => [fp, revisionOf(fp)]));
    // Entries of 300 B, 4 KB for half a unit; the slots of others between its own are read along, and every partition
    // ends with a part of one.
    expect(shell.table.meter.readUnits - readUnits).toBeLessThanOrEqual((fps.length * 300) / 8_192 + 64 * 0.5);
  });

  it('are refused, with what to do, when they are more than a list holds', async () => {
    const shell = aShell();
    const part = Array.from({ length: systemsPerNodeMax / 60 }, (_, n) => ({ key: { pk: 'c', sk: 'client' }, sk: fpOf(n) }));
    const crowded = { ...shell, table: { ...shell.table, queryIndex: async () => ({ items: part }) } };

    await expect(ownedSystems(crowded, aZone(), 0)).rejects.toMatchObject({
      type: 'refused',
      message: expect.stringContaining('add nodes'),
    });
  });
});
