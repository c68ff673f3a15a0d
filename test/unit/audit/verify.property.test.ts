import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AuditHead, type AuditLink, AuditMark, extended, newHead, sealedHead } from '../../../lib/audit/chain.ts';
import { dayMs } from '../../../lib/core/time.ts';
import type { TokenKey } from '../../../lib/ports/keys/keys.ts';
import type { Row } from '../../../lib/ports/table/table.ts';
import { aShell, type TestShell } from '../../../tools/support/a-shell.ts';
import { type Deed, does, over, publishes, storedIn, verified } from '../../support/audited.ts';

const deed: fc.Arbitrary<Deed> = fc.record(
  {
    who: fc.constantFrom('admin:anna', 'admin:ben', 'key:ci'),
    node: fc.constantFrom('n1', 'n2', 'n3'),
    zone: fc.constantFrom('default', 'berlin'),
    weight: fc.nat(9),
    tells: fc.boolean(),
  },
  { requiredKeys: ['who', 'node', 'weight', 'tells'] },
);
/** What people did, and on how many days. */
const past = fc.array(fc.record({ deed, days: fc.constantFrom(0, 0, 0, 1, 3) }), { minLength: 1, maxLength: 25 });

async function lived(what: readonly { deed: Deed; days: number }[]): Promise<TestShell> {
  const shell = aShell();
  for (const { deed: one, days } of what) {
    shell.step(1 + days * dayMs);
    await does(shell, one);
  }
  await publishes(shell);
  return shell;
}

const isEntry = ({ key }: Row): boolean => key.pk.startsWith('audit#');
const isHead = ({ key }: Row): boolean => key.pk.startsWith('audit-heads#');
const isMark = ({ key }: Row): boolean => key.pk.startsWith('audited#');
const isAudit = (row: Row): boolean => isEntry(row) || isHead(row) || isMark(row);

/** Every value somewhere in a body, by the way to it. */
function leavesOf(value: unknown, way: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [way];
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...way, name]));
}

/** The body with another value at the end of the way. */
function withOther(body: unknown, [name, ...rest]: readonly string[], other: unknown): unknown {
  if (name === undefined) return other;
  const copy = structuredClone(body) as Record<string, unknown>;
  copy[name] = withOther(copy[name], rest, other);
  return copy;
}

const otherThan = (value: unknown): unknown =>
  typeof value === 'number'
    ? value + 1
    : /^[0-9a-f]{64}$/.test(String(value))
      ? String(value).replace(/^./, (c) => (c === '0' ? '1' : '0'))
      : `${value}x`;

type Tampering = { readonly does: string; readonly rows: readonly Row[] };

/** One thing that somebody who can write the table might do to the rows of the audit. */
function tamperings(rows: readonly Row[], pick: (most: number) => number): Tampering {
  const audit = rows.filter(isAudit);
  const rest = rows.filter((row) => !isAudit(row));
  const victim = audit[pick(audit.length)]!;
  const others = audit.filter((row) => row !== victim);
  const sameKind = others.filter((row) => [isEntry, isHead, isMark].some((is) => is(row) && is(victim)));
  const kinds = ['change', 'delete', 'swap', 'insert'] as const;
  const kind = kinds[pick(kinds.length)]!;
  const about = `${kind} ${victim.key.pk}|${victim.key.sk}`;
  if (kind === 'delete') return { does: about, rows: [...rest, ...others] };
  if (kind === 'swap' && sameKind.length > 0) {
    const other = sameKind[pick(sameKind.length)]!;
    const swapped = others.map((row) => (row === other ? { ...other, body: victim.body } : row));
    return { does: `${about} with ${other.key.pk}|${other.key.sk}`, rows: [...rest, ...swapped, { ...victim, body: other.body }] };
  }
  if (kind === 'insert' && isEntry(victim)) {
    const sk = String(Number(victim.key.sk) + 1 + pick(40)).padStart(10, '0');
    const key = { ...victim.key, sk };
    if (!audit.some((row) => row.key.pk === key.pk && row.key.sk === sk))
      return { does: `${about} at ${sk}`, rows: [...rows, { ...victim, key }] };
  }
  const ways = leavesOf(victim.body);
  const way = ways[pick(ways.length)]!;
  const was = way.reduce<unknown>((body, name) => (body as Record<string, unknown>)[name], victim.body);
  return {
    does: `change ${way.join('/')} of ${about}`,
    rows: [...rest, ...others, { ...victim, body: withOther(victim.body, way, otherThan(was)) }],
  };
}

describe('an audit', () => {
  it('that nobody tampered with is whole', async () => {
    await fc.assert(
      fc.asyncProperty(past, async (what) => {
        const shell = await lived(what);
        expect(await verified(shell)).toMatchObject({ entries: what.length, faults: [] });
      }),
      { numRuns: 40 },
    );
  });

  it('of which any one row was changed, removed, swapped with another or added is not', async () => {
    await fc.assert(
      fc.asyncProperty(past, fc.infiniteStream(fc.nat(1_000_000)), async (what, chance) => {
        const shell = await lived(what);
        const { does: done, rows } = tamperings(storedIn(shell), (most) => chance.next().value! % most);
        const { faults } = await verified(over(rows, shell));
        expect(faults.length, done).toBeGreaterThan(0);
      }),
      { numRuns: 250 },
    );
  });

  it('of which the last entries were cut off, with a head that says so, is not', async () => {
    await fc.assert(
      fc.asyncProperty(past, fc.nat(), async (what, cut) => {
        const shell = await lived(what);
        const rows = storedIn(shell);
        const heads = rows.filter(isHead);
        const head = heads[cut % heads.length]!;
        const { zone, day, n } = head.body as AuditHead;
        const kept = cut % n;
        const before = rows.find((row) => isEntry(row) && row.key.pk === `audit#${zone}#${day}` && Number(row.key.sk) === kept);
        const shorter = before && { ...head, body: { ...(head.body as AuditHead), n: kept, hash: (before.body as AuditLink).hash } };
        const left = rows.filter((row) => row !== head && !(row.key.pk === `audit#${zone}#${day}` && Number(row.key.sk) > kept));
        const { faults } = await verified(over([...left, ...(shorter ? [shorter] : [])], shell));
        expect(faults.map((fault) => fault.n)).toContain(kept + 1);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    { how: 'without a key, as it was done before there was one', key: undefined },
    { how: 'by a key of their own under the id of ours', key: { id: 1, secret: new Uint8Array(32).fill(1) } },
    { how: 'by a key of their own under another id', key: { id: 2, secret: new Uint8Array(32).fill(1) } },
  ])('that somebody wrote anew from some entry on, $how, head, marks and histories too, is not', async ({ key }) => {
    await fc.assert(
      fc.asyncProperty(past, fc.nat(), async (what, at) => {
        const shell = await lived(what);
        const rows = rewritten(storedIn(shell), at, key).filter((row) => !row.key.pk.startsWith('history#'));
        const { faults } = await verified(over(rows, shell));
        expect(faults.length).toBeGreaterThan(0);
      }),
      { numRuns: 40 },
    );
  });
});

/**
 * A chain in which somebody else did one of the things: every hash from there on is made by this key, in its head too,
 * and in the marks.
 */
function rewritten(rows: readonly Row[], at: number, key: TokenKey | undefined): Row[] {
  const heads = rows.filter(isHead);
  const headRow = heads[at % heads.length]!;
  const was = headRow.body as AuditHead;
  const from = 1 + (at % was.n);
  let head = newHead(was, was.follows);
  const links = new Map<string, AuditLink>();
  const inChain = (row: Row): boolean => isEntry(row) && row.key.pk === `audit#${was.zone}#${was.day}`;
  for (const row of rows.filter(inChain).toSorted((a, b) => (a.key.sk < b.key.sk ? -1 : 1))) {
    const { n, ...entry } = (row.body as AuditLink).entry;
    const next = extended(head, n === from ? { ...entry, who: 'admin:nobody' } : entry, key);
    head = next.head;
    links.set(row.key.sk, n < from ? (row.body as AuditLink) : next.link);
    if (n < from) head = { ...head, hash: (row.body as AuditLink).hash };
  }
  return rows.map((row) => {
    if (row === headRow) return { ...row, body: key ? sealedHead(head, key) : head };
    if (inChain(row)) return { ...row, body: links.get(row.key.sk)! };
    const mark = isMark(row) ? AuditMark.parse(row.body) : undefined;
    if (!mark || mark.zone !== was.zone || mark.day !== was.day) return row;
    return { ...row, body: { ...mark, hash: links.get(String(mark.n).padStart(10, '0'))!.hash } };
  });
}
