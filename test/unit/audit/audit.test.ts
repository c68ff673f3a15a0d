import { describe, expect, it } from 'vitest';
import { auditForDays } from '../../../lib/audit/chain.ts';
import { listAudit } from '../../../lib/audit/handlers/list.ts';
import type { AuditView } from '../../../lib/audit/routes.ts';
import { dayMs } from '../../../lib/core/time.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { nameOf, type Row } from '../../../lib/ports/table/table.ts';
import { aShell, type TestShell } from '../../../tools/support/a-shell.ts';
import { audited, type Deed, does, over, publishes, storedIn, verified } from '../../support/audited.ts';

const deed: Deed = { who: 'admin:anna', node: 'n1', zone: 'default', weight: 1, tells: true };

/** Two people on three days in two zones and none. */
async function aPast(): Promise<TestShell> {
  const shell = aShell();
  for (const [days, more] of [
    [0, {}],
    [0, { zone: 'berlin', who: 'key:ci' }],
    [0, { zone: 'berlin' }],
    [1, {}],
    [0, { zone: 'berlin' }],
    [2, {}],
    [0, { node: 'n9', zone: undefined, who: 'key:ci' }],
  ] as [number, Partial<Deed>][]) {
    shell.step(1 + days * dayMs);
    const { zone, ...rest } = { ...deed, ...more };
    await does(shell, { ...rest, ...(zone !== undefined && { zone }) });
  }
  await publishes(shell);
  return shell;
}
const shown = (items: readonly AuditView[]) => items.map(({ at, zone, n, who }) => `${at.slice(0, 10)} ${zone} ${n} ${who}`);
const whole = [
  '2026-01-01 berlin 1 key:ci',
  '2026-01-01 berlin 2 admin:anna',
  '2026-01-01 default 1 admin:anna',
  '2026-01-02 berlin 1 admin:anna',
  '2026-01-02 default 1 admin:anna',
  '2026-01-04 - 1 key:ci',
  '2026-01-04 default 1 admin:anna',
];
const ofChain = (zone: string, day: string) => (row: Row) =>
  row.key.pk === `audit#${zone}#${day}` || (row.key.pk === `audit-heads#${zone}` && row.key.sk === day);

const isOf = (body: unknown, zone: string, day: string): boolean => {
  const { zone: its, day: on } = body as { zone?: string; day?: string };
  return its === zone && on === day;
};

describe('the list of the audit', () => {
  it.each([1, 2, 3, 50])('has every entry once, in the order of days, zones and numbers, %s at a page', async (limit) => {
    expect(shown(await audited(await aPast(), {}, undefined, limit))).toEqual(whole);
  });

  it('is of some days, a zone, or somebody, if asked for', async () => {
    const shell = await aPast();
    expect(shown(await audited(shell, { from: '2026-01-02', to: '2026-01-03' }))).toEqual(whole.slice(3, 5));
    expect(shown(await audited(shell, { zone: 'berlin' }, undefined, 1))).toEqual(whole.filter((line) => line.includes('berlin')));
    expect(shown(await audited(shell, { zone: '-' }))).toEqual(whole.slice(5, 6));
    expect(shown(await audited(shell, { who: 'key:ci' }, undefined, 1))).toEqual(whole.filter((line) => line.includes('key:ci')));
  });

  it('is of the last seven days unless somebody asks for more', async () => {
    const shell = await aPast();
    shell.step(4 * dayMs);
    expect(shown(await audited(shell))).toEqual(whole.slice(3));
    expect(shown(await audited(shell, { from: '2025-12-01' }))).toEqual(whole);
  });

  it('has for somebody of one zone nothing of another, and nothing that is of none', async () => {
    const ofBerlin = { who: 'admin', source: '192.0.2.8', zones: ['berlin' as never] };
    const shell = await aPast();
    expect(shown(await audited(shell, {}, ofBerlin, 2))).toEqual(whole.filter((line) => line.includes('berlin')));
    expect(shown(await audited(shell, { zone: 'default' }, ofBerlin))).toEqual([]);
    const rows = storedIn(shell).filter((row) => !ofChain('default', '2026-01-01')(row));
    expect((await verified(over(rows, shell), {}, ofBerlin)).faults).toEqual([]);
  });

  it('ends with what is kept: a chain is gone as a whole after its time', async () => {
    const shell = await aPast();
    shell.step((auditForDays - 2) * dayMs);
    const days = { from: '2026-01-01' };
    expect(shown(await audited(shell, days))).toEqual(whole.slice(3));
    expect(await verified(shell)).toMatchObject({ entries: 4, days: 4, faults: [] });
  });
});

describe('an entry that cannot be read', () => {
  it('is named in the list by its place, and only to whom it concerns', async () => {
    const shell = await aPast();
    const rows = storedIn(shell).map((row) =>
      row.key.pk === 'audit#berlin#2026-01-01' && row.key.sk.endsWith('1') ? { ...row, body: { odd: true } } : row,
    );
    const broken = over(rows, shell);
    const listed = async (zones: readonly string[] | 'all', limit: number, who?: string) => {
      const query = { limit, ...(who !== undefined && { who }) };
      const caller = { who: 'admin', source: '192.0.2.8', zones: zones as never };
      return (await listAudit({ params: undefined, body: undefined, request: undefined as never, caller, query }, broken)).body;
    };
    const unreadable = [{ zone: 'berlin', day: '2026-01-01', n: 1 }];
    for (const who of [undefined, 'admin:anna']) expect(await listed('all', 50, who)).toMatchObject({ unreadable });
    expect(await listed(['berlin'], 1)).toMatchObject({ items: [], unreadable, next: expect.any(String) });
    expect(await listed(['default'], 50)).not.toHaveProperty('unreadable');
    expect(shown(await audited(broken))).toEqual(whole.slice(1));
  });
});

describe('a look whether the audit is whole', () => {
  it('is a matter of parts, each of a bounded size, over thousands of entries', async () => {
    const shell = aShell();
    for (let weight = 0; weight < 1_000; weight++) await does(shell, { ...deed, weight });
    await publishes(shell);
    const { entries, days, faults, parts } = await verified(shell);
    expect({ entries, days, faults }).toEqual({ entries: 1_000, days: 1, faults: [] });
    expect(parts).toBeGreaterThan(10);
    expect(parts).toBeLessThan(25);
  });

  it('finds a whole day that is gone, because what changed speaks of it, and the day that came after', async () => {
    const shell = await aPast();
    const rows = storedIn(shell).filter((row) => !ofChain('berlin', '2026-01-01')(row));
    const { faults } = await verified(over(rows, shell));
    expect(faults.map(({ zone, day, n, what }) => `${zone} ${day} ${n} ${what}`)).toEqual([
      'berlin 2026-01-01 2 is missing, but the chain of 2026-01-02 refers to it',
      'berlin 2026-01-01 1 is missing, but the changed row refers to it',
      'berlin 2026-01-01 2 is missing, but the changed row refers to it',
      'berlin 2026-01-01 0 the head of the chain is missing or cannot be read',
    ]);
    const marksToo = rows.filter(({ body }) => !isOf(body, 'berlin', '2026-01-01'));
    expect((await verified(over(marksToo, shell))).faults.map(({ what }) => what)).toEqual([
      'is missing, but the chain of 2026-01-02 refers to it',
    ]);
  });

  it('names the entry that was changed, and goes on behind it', async () => {
    const shell = await aPast();
    const rows = storedIn(shell).map((row) =>
      row.key.pk === 'audit#berlin#2026-01-01' && row.key.sk.endsWith('1') ? { ...row, body: { ...(row.body as object), hash: 'x' } } : row,
    );
    expect((await verified(over(rows, shell))).faults.map(({ n, what }) => `${n} ${what}`)).toEqual([
      expect.stringMatching(/^1 cannot be read: \/hash /),
      '1 is not the entry that the changed row refers to',
    ]);
  });

  it('finds what was told of otherwise in the history', async () => {
    const shell = await aPast();
    const { key } = storedIn(shell).find((row) => row.key.pk === 'history#node%3An9')!;
    const rows = storedIn(shell).map((row) =>
      row.key.pk === key.pk ? { ...row, body: { ...(row.body as object), who: 'admin:eve' } } : row,
    );
    expect((await verified(over(rows, shell))).faults).toEqual([
      { zone: '-', day: '2026-01-04', n: 1, what: 'the history of node n9 records event 1 differently' },
    ]);
  });

  it('takes the history of a later thing of the same name for no fault, once that of the first had ended', async () => {
    const shell = await aPast();
    const later = (days: number): Row[] =>
      storedIn(shell).map((row) => {
        const body = row.body as { readonly at: number };
        return row.key.pk === 'history#node%3An9' ? { ...row, body: { ...body, at: body.at + days * dayMs } } : row;
      });
    expect((await verified(over(later(89), shell))).faults).toHaveLength(1);
    expect((await verified(over(later(90), shell))).faults).toEqual([]);
  });

  it('takes nothing for a fault that comes while it looks', async () => {
    const shell = await aPast();
    const reading = over(storedIn(shell), shell);
    const { query } = reading.table;
    let weight = 1;
    const busy: TestShell = {
      ...reading,
      table: {
        ...reading.table,
        query: async (asked) => {
          const isEntries = asked.pk.startsWith('audit#default');
          if (isEntries && weight < 4) {
            weight += 1;
            await does(reading, { ...deed, weight });
            await publishes(reading);
          }
          return query(asked);
        },
      },
    };
    expect((await verified(busy)).faults).toEqual([]);
    expect(weight).toBe(4);
    expect(reading.table.rows.get(nameOf(keyOf({ noun: 'audit', id: 'default/2026-01-04/4' })))).toBeDefined();
  });
});
