import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { Later } from '../../../../lib/core/errors.ts';
import { dayMs, hourMs, minuteMs } from '../../../../lib/core/time.ts';
import type { Objects } from '../../../../lib/ports/objects/objects.ts';
import type { Shell } from '../../../../lib/runtime/shell.ts';
import { fleetOf } from '../../../../lib/search/reads/fleet.ts';
import { storeIndex } from '../../../../lib/search/tick.ts';
import type { TestShell } from '../../../../tools/support/a-shell.ts';
import { fpOf } from '../../../../tools/support/builders.ts';
import { anIndexedFleet, foundBy, type IndexedFleet } from '../../../support/an-indexed-fleet.ts';

let fleet: IndexedFleet;
beforeEach(async () => {
  fleet = await anIndexedFleet();
});

/** So many client systems, published. */
async function systems(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await fleet.put(fpOf(n), { tags: [`t${n % 7}`] });
  await fleet.publish();
}
/** An environment that has searched and stored. */
async function stored(): Promise<Shell> {
  const environment = fleet.environment();
  await fleetOf(environment);
  await storeIndex(environment);
  return environment;
}
/** How an environment that begins now has its index, and that it finds what the rows say. */
async function begun(given?: { readonly objects: Objects | undefined }): Promise<{ readonly from: unknown; readonly because?: unknown }> {
  const { logged } = fleet.shell as TestShell;
  const environment = fleet.environment(given);
  const before = logged.length;
  const found = await foundBy(environment);
  const how = logged.slice(before).filter(({ code }) => code === 'search.indexed');
  expect(found).toEqual(await foundBy(fleet.environment({ objects: undefined })));
  const { from, because } = how.at(-1)?.fields ?? {};
  return { from, ...(because !== undefined && { because }) };
}
const segments = (): string[] => [...fleet.kept.keys()].filter((name) => name !== 'index').sort();

describe('an environment', () => {
  it('begins with the stored index, and reads the rows of what has changed since', async () => {
    await systems(20);
    await stored();
    await fleet.put(fpOf(1), { tags: ['new'] });
    await fleet.put(fpOf(2), { zone: 'west' as never });
    await fleet.remove(fpOf(3));
    await fleet.put(fpOf('another'));
    await fleet.publish();

    const { readMany } = fleet.shell.table;
    let read = 0;
    const environment = fleet.environment();
    environment.table.readMany = async (keys, how) => {
      read += keys.filter(({ sk }) => sk === 'client').length;
      return readMany(keys, how);
    };
    const found = await foundBy(environment);
    fleet.shell.table.readMany = readMany;

    expect(read).toBe(4);
    expect(found).toEqual(await foundBy(fleet.environment({ objects: undefined })));
    expect(await begun()).toEqual({ from: 'stored segments' });
  });

  it('reads every row where nothing is stored, or can be', async () => {
    await systems(3);
    expect(await begun()).toEqual({ from: 'rows', because: 'no index is stored' });
    expect(await begun({ objects: undefined })).toEqual({ from: 'rows', because: 'nothing is stored here' });
  });

  it('reads every row where the store does not answer', async () => {
    await systems(3);
    await stored();
    const objects = { ...fleet.objects, read: () => Promise.reject(new Later('service.busy', 'read an object: SlowDown')) };
    expect(await begun({ objects })).toEqual({ from: 'rows', because: 'read an object: SlowDown' });
  });

  it('reads every row where a segment is lost or damaged, and stores all of them again', async () => {
    await systems(1_100);
    await stored();
    const [name = ''] = segments();
    const whole = fleet.kept.get(name)!;

    fleet.kept.delete(name);
    expect(await begun()).toMatchObject({ from: 'rows', because: expect.stringContaining('no longer stored') });
    const bytes = whole.bytes.slice();
    bytes[bytes.length >> 1]! ^= 1;
    fleet.kept.set(name, { ...whole, bytes });
    expect(await begun()).toMatchObject({ from: 'rows', because: expect.stringContaining('cannot be read') });
    fleet.kept.set(name, { ...whole, bytes: whole.bytes.slice(0, 1_000) });
    expect(await begun()).toMatchObject({ from: 'rows', because: expect.stringContaining('cannot be read') });

    await stored();
    expect(await begun()).toEqual({ from: 'stored segments' });
  });

  it('reads every row where the index is damaged', async () => {
    await systems(3);
    await stored();
    const index = fleet.kept.get('index')!;
    for (let at = 0; at < index.bytes.length; at += 29) {
      const bytes = index.bytes.slice();
      bytes[at]! ^= 0x40;
      fleet.kept.set('index', { ...index, bytes });
      const { from } = await begun();
      // Bytes between segments may be anything.
      if (from === 'stored segments') expect(index.bytes[at]).toBe(0);
    }
  });

  it('reads every row where a journal no longer has what came since', async () => {
    await systems(3);
    await stored();
    await fleet.put(fpOf(1), { tags: ['new'] });
    await fleet.publish();
    fleet.shell.step(2 * dayMs);
    await fleet.shell.table.removeExpired(fleet.shell.now(), 1_000);
    expect(await begun()).toMatchObject({ from: 'rows', because: expect.stringContaining('the journal of east no longer has') });
  });

  it('begins with the stored index after days in which nothing has come', async () => {
    await systems(3);
    await stored();
    fleet.shell.step(9 * dayMs);
    await fleet.shell.table.removeExpired(fleet.shell.now(), 1_000);
    expect(await begun()).toEqual({ from: 'stored segments' });
  });

  it('reads every row where the table was replaced by a backup, or another went on from one', async () => {
    await systems(3);
    const backup = new Map(fleet.shell.table.rows);
    await fleet.put(fpOf(1), { tags: ['lost'] });
    fleet.shell.step(hourMs);
    await fleet.publish();
    await stored();
    fleet = await anIndexedFleet({ rows: backup, kept: fleet.kept });

    expect(await begun()).toMatchObject({ from: 'rows', because: expect.stringContaining('another journal of east') });
    fleet.shell.step(2 * hourMs);
    for (const tags of [['one'], ['two']]) {
      await fleet.put(fpOf(2), { tags });
      await fleet.publish();
      expect(await begun()).toMatchObject({ from: 'rows', because: expect.stringContaining('another journal of east') });
    }
  });

  it('that has an index finds what has changed before its journals were without rows', async () => {
    await systems(3);
    const environment = fleet.environment();
    await fleetOf(environment);
    await fleet.put(fpOf(1), { tags: ['new'] });
    await fleet.publish();
    fleet.shell.step(4 * dayMs);
    await fleet.shell.table.removeExpired(fleet.shell.now(), 1_000);
    expect(await foundBy(environment)).toEqual(await foundBy(fleet.environment({ objects: undefined })));
  });
});

describe('the index', () => {
  it('is stored where somebody has searched, or where the host wants it before anybody does', async () => {
    await systems(3);
    const environment = fleet.environment();
    await storeIndex(environment);
    expect(fleet.kept.size).toBe(0);
    await storeIndex({ ...environment, settings: { ...environment.settings, indexesUnasked: true } });
    expect([...fleet.kept.keys()]).toEqual(['index']);
  });

  it('is not stored again until something changes', async () => {
    await systems(3);
    const environment = await stored();
    const { tag } = fleet.kept.get('index')!;
    fleet.shell.step(minuteMs);
    await storeIndex(environment);
    expect(fleet.kept.get('index')!.tag).toBe(tag);
    // Nor by an environment that has begun with it.
    const another = fleet.environment();
    await fleetOf(another);
    await storeIndex(another);
    expect(fleet.kept.get('index')!.tag).toBe(tag);
    await fleet.put(fpOf(1), { tags: ['new'] });
    await fleet.publish();
    await storeIndex(another);
    expect(fleet.kept.get('index')!.tag).not.toBe(tag);
  });

  it('names large segments, which are written once, and are removed when they have been unnamed for a while', async () => {
    await systems(1_100);
    const environment = await stored();
    const [first = ''] = segments();
    const { tag } = fleet.kept.get(first)!;
    await fleet.put(fpOf('one more'));
    await fleet.publish();
    fleet.shell.step(minuteMs);
    await storeIndex(environment);
    expect(segments()).toEqual([first]);
    expect(fleet.kept.get(first)!.tag).toBe(tag);

    // So many others that all become one segment.
    for (let n = 2_000; n < 3_600; n++) await fleet.put(fpOf(n));
    await fleet.publish();
    fleet.shell.step(minuteMs);
    await storeIndex(environment);
    expect(segments().length).toBeGreaterThan(1);
    fleet.shell.step(11 * minuteMs);
    await fleet.put(fpOf('another'));
    await fleet.publish();
    await storeIndex(environment);
    expect(segments()).not.toContain(first);
    expect(await begun()).toEqual({ from: 'stored segments' });
  });

  it('is stored less often the larger it is: 100 KB a second at the most', async () => {
    await systems(1_100);
    const environment = await stored();
    const bytes = [...fleet.kept.values()].reduce((sum, one) => sum + one.bytes.length, 0);
    const store = async (): Promise<string> => {
      await fleet.put(fpOf(1), { tags: [`at ${fleet.shell.now()}`] });
      await fleet.publish();
      await storeIndex(environment);
      return fleet.kept.get('index')!.tag;
    };
    const { tag } = fleet.kept.get('index')!;
    fleet.shell.step(Math.floor(bytes / 100) - 1);
    expect(await store()).toBe(tag);
    fleet.shell.step(2);
    expect(await store()).not.toBe(tag);
  });

  it('of another environment stays, and its own is stored the next time', async () => {
    await systems(3);
    const [one, other] = [await stored(), fleet.environment()];
    await fleetOf(other);
    await fleet.put(fpOf(1), { tags: ['new'] });
    await fleet.publish();
    await storeIndex(other);
    const { tag } = fleet.kept.get('index')!;
    await fleet.put(fpOf(2), { tags: ['newer'] });
    await fleet.publish();

    fleet.shell.step(minuteMs);
    await storeIndex(one);
    expect(fleet.kept.get('index')!.tag).toBe(tag);
    await storeIndex(one);
    expect(fleet.kept.get('index')!.tag).not.toBe(tag);
    expect(await begun()).toEqual({ from: 'stored segments' });
  });

  it('counts as it was when the next one is not written to its end', async () => {
    await systems(1_100);
    const environment = await stored();
    for (let n = 2_000; n < 3_600; n++) await fleet.put(fpOf(n));
    await fleet.publish();
    fleet.shell.step(minuteMs);
    const refused = (): Promise<never> => Promise.reject(new Later('objects.failed', 'write: the disk is full'));
    for (const objects of [
      { ...fleet.objects, write: refused },
      { ...fleet.objects, replace: refused },
    ]) {
      await expect(storeIndex({ ...environment, objects })).rejects.toThrow('the disk is full');
      expect(await begun()).toEqual({ from: 'stored segments' });
    }
    await storeIndex(environment);
    expect(await begun()).toEqual({ from: 'stored segments' });
  });

  it('is read anew from rows once it remembers more of what is gone than of what is there', async () => {
    await systems(40);
    const environment = fleet.environment();
    const { parts } = await fleetOf(environment);
    for (let n = 0; n < 10_100; n++) parts.get('east')!.remove(fpOf(`gone ${n}`), 1);
    await storeIndex(environment);
    const { parts: anew } = await fleetOf(environment);
    expect(
      anew
        .get('east')!
        .whole()
        .flatMap(({ removals }) => [...removals.versions]),
    ).toEqual([]);
    expect(anew.get('east')!.size).toBe(40);
    expect(await begun()).toEqual({ from: 'stored segments' });
  });
});

/** What happens to a fleet: rows, publishing, searches, stores, environments that end. */
type Step =
  | { readonly is: 'put'; readonly n: number; readonly zone: 'east' | 'west'; readonly tag: string }
  | { readonly is: 'remove'; readonly n: number }
  | { readonly is: 'publish' | 'search' | 'store' | 'break off' | 'end' };

const aStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ is: fc.constant('put'), n: fc.nat(11), zone: fc.constantFrom('east', 'west'), tag: fc.constantFrom('a', 'b') }),
  },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('remove'), n: fc.nat(11) }) },
  { weight: 6, arbitrary: fc.record({ is: fc.constantFrom('publish', 'search', 'store', 'break off', 'end') }) },
) as fc.Arbitrary<Step>;

describe('whatever happens', () => {
  it('an environment that begins with the stored index finds what one finds that reads every row', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { maxLength: 40 }), async (steps) => {
        fleet = await anIndexedFleet();
        let environment = fleet.environment();
        for (const step of steps) environment = await done(step, environment);
        await fleet.publish();
        const expected = await foundBy(fleet.environment({ objects: undefined }));
        expect(await foundBy(environment)).toEqual(expected);
        expect(await foundBy(fleet.environment())).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });
});

async function done(step: Step, environment: Shell): Promise<Shell> {
  switch (step.is) {
    case 'put':
      await fleet.put(fpOf(step.n), { zone: step.zone as never, tags: [step.tag] });
      return environment;
    case 'remove':
      await fleet.remove(fpOf(step.n));
      return environment;
    case 'publish':
      await fleet.publish();
      return environment;
    case 'search':
      await fleetOf(environment);
      return environment;
    case 'store':
      await storeIndex(environment);
      return environment;
    case 'break off': {
      const replace = (): Promise<never> => Promise.reject(new Later('objects.failed', 'broken off'));
      await storeIndex({ ...environment, objects: { ...fleet.objects, replace } }).catch(() => undefined);
      return fleet.environment();
    }
    case 'end':
      return fleet.environment();
  }
}
