import { describe, expect, it } from 'vitest';
import { type AuditHead, type AuditLink, AuditMark, extended, newHead } from '../../../lib/audit/chain.ts';
import { write } from '../../../lib/core/decision.ts';
import { dayMs, type EpochMs, hourMs } from '../../../lib/core/time.ts';
import { fixedSealKeys } from '../../../lib/ports/keys/fixed.ts';
import { keyOf, markId, marksOf, nouns, subjectKey, subjectOf } from '../../../lib/ports/table/keys.ts';
import { nameOf, type Row } from '../../../lib/ports/table/table.ts';
import { apply } from '../../../lib/runtime/apply.ts';
import { slotsMin } from '../../../lib/zones/map/rows/slots.ts';
import { defaultZone, defaultZoneNumber, newZone, type ZoneHead } from '../../../lib/zones/zone.ts';
import { aShell, type TestShell } from '../../../tools/support/a-shell.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';
import { type Deed, does, over, publishes, storedIn, verified } from '../../support/audited.ts';

const deed: Deed = { who: 'admin:anna', node: 'n1', zone: 'default', weight: 1, tells: true };
const seals = new Uint8Array(32).fill(9);
const whatOf = async (shell: TestShell) => (await verified(shell)).faults.map(({ n, what }) => `${n} ${what}`);
/** The same rows, of which those with this sort key are otherwise. */
const written = (shell: TestShell, sk: string, other: (row: Row) => Partial<Row>): TestShell =>
  over(
    storedIn(shell).map((row) => (row.key.sk === sk ? { ...row, ...other(row) } : row)),
    shell,
  );

/** A world in which somebody has made an API key that may only read. */
async function withKey(): Promise<{ world: World; id: string; secret: string; shell: () => TestShell }> {
  const world = await stepped();
  const { body } = await world.call('POST', '/api/v1/keys', { name: 'a program', scopes: ['read'] });
  const { key, secret } = body as { key: { id: string }; secret: string };
  await world.step(hourMs);
  const shell = (): TestShell => ({ ...world.environment('admin'), table: world.table }) as TestShell;
  return { world, id: key.id, secret, shell };
}

describe('a row that was written past Muster', () => {
  it('is found as long as nothing was written since', async () => {
    const shell = aShell();
    await does(shell, deed);
    await does(shell, { ...deed, weight: 2 });
    await publishes(shell);
    expect(await whatOf(shell)).toEqual([]);
    const fault = ['2 the row of node n1 is not as this entry left it'];
    expect(await whatOf(written(shell, 'node', () => ({ body: { zone: 'default', weight: 9 } })))).toEqual(fault);
    expect(await whatOf(written(shell, 'node', () => ({ gone: true })))).toEqual(fault);
  });

  it('is found when it is an older one that was put back', async () => {
    const shell = aShell();
    await does(shell, deed);
    const before = storedIn(shell).find(({ key }) => key.sk === 'node')!;
    shell.step(1_000);
    await does(shell, { ...deed, weight: 2 });
    await publishes(shell);
    expect(await whatOf(written(shell, 'node', () => before))).toEqual(['2 the row of node n1 is not as this entry left it']);
  });

  it('is no fault when Muster itself wrote it since', async () => {
    const shell = aShell();
    await does(shell, deed);
    await publishes(shell);
    expect(await whatOf(written(shell, 'node', ({ rev }) => ({ rev: rev + 1, body: { zone: 'default', beats: 7 } })))).toEqual([]);
  });
});

describe('the head of a zone', () => {
  const epochs = (by: number) => (row: Row) => {
    const body = row.body as ZoneHead;
    return { body: { ...body, epoch: body.epoch + by } };
  };
  const edited = async (): Promise<TestShell> => {
    const shell = aShell();
    const actor = { who: 'admin:anna', source: '192.0.2.7', request: 'r1' };
    const head: ZoneHead = { ...newZone(defaultZone, defaultZoneNumber, slotsMin), epoch: 3 };
    await apply({ ...shell, actor }, { noun: 'zone', id: defaultZone }, { id: 'r1' }, () => write<ZoneHead, never>(head, 'edited'));
    await publishes(shell);
    return shell;
  };

  it('is as it was left when it comes back from an export, an epoch on each time', async () => {
    const shell = await edited();
    expect(await whatOf(shell)).toEqual([]);
    expect(await whatOf(written(shell, 'head', epochs(1)))).toEqual([]);
    expect(await whatOf(written(shell, 'head', epochs(4)))).toEqual([]);
  });

  it('is not when its epoch has gone back, or anything else is otherwise', async () => {
    const shell = await edited();
    const fault = ['1 the row of zone default is not as this entry left it'];
    for (const by of [-1, 5_000_000_000, 1e300]) expect(await whatOf(written(shell, 'head', epochs(by)))).toEqual(fault);
    const moved = (row: Row) => ({ body: { ...(epochs(1)(row).body as object), version: 9 } });
    expect(await whatOf(written(shell, 'head', moved))).toEqual(fault);
  });
});

describe('an API key', () => {
  const raised = (row: Row): Partial<Row> => ({ body: { ...(row.body as object), rights: { security: 'all' } } });

  it('whose rights somebody raised in the table is found, also when that looks like a use of it', async () => {
    const { id, shell } = await withKey();
    expect(await whatOf(shell())).toEqual([]);
    const fault = [expect.stringMatching(new RegExp(`^\\d+ the row of api-key ${id} is not as this entry left it$`))];
    expect(await whatOf(written(shell(), 'api-key', raised))).toEqual(fault);
    const used = (row: Row): Partial<Row> => ({ ...raised(row), rev: row.rev + 1 });
    expect(await whatOf(written(shell(), 'api-key', used))).toEqual(fault);
  });

  it.each([
    ['a moment ago', 0, 'a field of api-key % was changed that no call changes'],
    ['in a day', dayMs, 'the row of api-key % is not as this entry left it'],
  ])('whose rights somebody raised is found where the row says that it was written %s', async (_when, inMs, fault) => {
    const { id, shell } = await withKey();
    const at = (shell().now() + inMs) as EpochMs;
    const found = await whatOf(written(shell(), 'api-key', (row) => ({ ...raised(row), rev: row.rev + 1, at })));
    expect(found).toEqual([expect.stringMatching(new RegExp(`^\\d+ ${fault.replace('%', id)}$`))]);
  });

  it('that was revoked and taken back in the table is found, also where a mark stands there that nobody made', async () => {
    const { world, id, shell } = await withKey();
    const before = storedIn(shell()).find(({ key }) => key.sk === 'api-key')!;
    await world.call('POST', `/api/v1/keys/${id}/revoke`, {});
    await world.step(hourMs);
    const back = written(shell(), 'api-key', ({ rev }) => ({ body: before.body, rev: rev + 1 }));
    const { list: _ofDay, ...mark } = storedIn(shell()).find(({ key }) => key.pk === marksOf(subjectOf(before.key)))!;
    const later = { ...mark, key: keyOf({ noun: 'audited', id: markId({ noun: 'api-key', id, row: 'api-key', rev: 99 }, mark.at) }) };
    const fault = [expect.stringMatching(new RegExp(`^\\d+ the row of api-key ${id} is not as this entry left it$`))];
    expect(await whatOf(over([...storedIn(back), later], back))).toEqual(fault);
  });

  it.each([{}, { withMade: true }])('that was used, or revoked since by %o, is as the audit has it', async (how) => {
    const { world, id, secret, shell } = await withKey();
    await world.call('GET', '/api/v1/whoami', undefined, { authorization: `Bearer ${secret}` });
    await world.step(hourMs);
    expect(await whatOf(shell())).toEqual([]);
    await world.call('POST', `/api/v1/keys/${id}/revoke`, how);
    await world.step(hourMs);
    expect(await whatOf(shell())).toEqual([]);
  });

  it('that nobody made is found where it is listed, and is not taken where it is not', async () => {
    const { world, id, secret, shell } = await withKey();
    const row = world.table.rows.get(nameOf(keyOf({ noun: 'api-key', id })))!;
    const forged = { ...row, key: keyOf({ noun: 'api-key', id: '000000000000' }), body: { ...(row.body as object), id: '000000000000' } };
    const listed = { ...forged, list: { pk: 'api-keys', sk: '000000000000' } };
    const fault = ['0 api-key 000000000000 was not created by Muster: the audit has no entry about it'];
    expect(await whatOf(over([...storedIn(shell()), listed], shell()))).toEqual(fault);
    const late = { ...listed, at: 9e15 as EpochMs };
    expect(await whatOf(over([...storedIn(shell()), late], shell()))).toEqual(fault);
    // The mark of another key, and one that is made up, speak for nobody.
    const { list: _ofDay, ...mark } = storedIn(shell()).find(({ key }) => key.pk === marksOf(subjectOf(row.key)))!;
    for (const body of [mark.body, {}]) {
      const beside = { ...mark, key: { ...mark.key, pk: marksOf(subjectOf(forged.key)) }, body };
      expect(await whatOf(over([...storedIn(shell()), listed, beside], shell()))).toEqual(fault);
    }
    const { list: _listed, rev, ...unlisted } = row;
    await world.table.commit([{ put: unlisted, readRev: rev }]);
    await world.step(hourMs);
    expect(await world.call('GET', '/api/v1/whoami', undefined, { authorization: `Bearer ${secret}` })).toMatchObject({ status: 401 });
  });
});

describe('a chain of before there was a key', () => {
  /** A past of two days, the first of which was chained by the version before. */
  async function aPast(since: EpochMs): Promise<TestShell> {
    const shell = aShell();
    for (const weight of [1, 2]) await does(shell, { ...deed, weight });
    await publishes(shell);
    const begun = over(unsealed(storedIn(shell)), shell);
    const later = { ...begun, auditKeys: fixedSealKeys(seals, since), now: () => (shell.now() + dayMs) as EpochMs };
    await does(later, { ...deed, weight: 3 });
    await publishes(later);
    return later;
  }

  it('goes on verifying, and the next one is sealed', async () => {
    const shell = aShell();
    const past = await aPast(shell.now());
    expect(await verified(past)).toMatchObject({ entries: 3, days: 2, faults: [] });
    const keys = storedIn(past).flatMap(({ key, body }) => (key.pk.startsWith('audit#') ? [(body as AuditLink).key] : []));
    expect(keys).toEqual([undefined, undefined, 1]);
  });

  it('is none where the key was there already', async () => {
    const shell = aShell();
    const { faults } = await verified(await aPast((shell.now() - dayMs) as EpochMs));
    expect(faults.map(({ n, what }) => `${n} ${what}`)).toEqual([
      '1 was made without an audit key, although there was one',
      '2 was made without an audit key, although there was one',
      '1 the mark of node n1 was not written by Muster',
      '2 the mark of node n1 was not written by Muster',
      '2 the head of the chain was not written by Muster',
    ]);
  });
});

describe('the key of the audit', () => {
  it('is replaced, and what the one before sealed goes on verifying', async () => {
    const shell = aShell();
    await does(shell, deed);
    await publishes(shell);
    await shell.auditKeys.rotate({ from: 1, secret: new Uint8Array(32).fill(8), at: shell.now() });
    await does(shell, { ...deed, weight: 2 });
    await publishes(shell);
    const links = storedIn(shell).flatMap(({ key, body }) => (key.pk.startsWith('audit#') ? [body as AuditLink] : []));
    expect(links.map(({ key }) => key)).toEqual([1, 2]);
    expect((await verified(shell)).faults).toEqual([]);
    const without = { ...shell, auditKeys: fixedSealKeys(seals) };
    expect(await whatOf(without)).toContain("2 was made by key 2, which is not one of the audit's keys");
  });
});

/**
 * Of what the audit does not speak: its own rows, and residents of a zone, who are put down to nobody. Their partitions
 * have three parts.
 */
const unaudited = new Set(['audit', 'redriven', 'resident']);

it.each(nouns)('the key of a row of %s is found by what it is about', (noun) => {
  const id: Readonly<Record<string, string>> = {
    process: 'z/0x7200000000000001:0x2',
    devices: 'z/0x7200000000000001:0x2',
    audit: 'z/2026-01-01/3',
    resident: '2/node:n1',
  };
  const key = keyOf({ noun, id: id[noun] ?? 'n1/7.3' });
  if (!unaudited.has(noun)) expect(subjectKey({ ...subjectOf(key), row: key.sk })).toEqual(key);
});

/** The rows of an audit as the version before wrote them. */
function unsealed(rows: readonly Row[]): Row[] {
  const headRow = rows.find(({ key }) => key.pk.startsWith('audit-heads#'))!;
  let head = newHead(headRow.body as AuditHead);
  const links = new Map<number, AuditLink>();
  for (const { key, body } of rows.filter((row) => row.key.pk.startsWith('audit#')).toSorted((a, b) => (a.key.sk < b.key.sk ? -1 : 1))) {
    const { n: _n, ...entry } = (body as AuditLink).entry;
    const next = extended(head, entry, undefined);
    head = next.head;
    links.set(Number(key.sk), next.link);
  }
  return rows.map((row) => {
    if (row === headRow) return { ...row, body: head };
    if (row.key.pk.startsWith('audit#')) return { ...row, body: links.get(Number(row.key.sk))! };
    if (!row.key.pk.startsWith('audited#')) return row;
    const { row: _hash, seal: _seal, ...mark } = AuditMark.parse(row.body);
    return { ...row, body: { ...mark, hash: links.get(mark.n)!.hash } };
  });
}
