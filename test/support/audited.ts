import { type Auditor, listAudit } from '../../lib/audit/handlers/list.ts';
import { verifyAudit } from '../../lib/audit/handlers/verify.ts';
import type { AuditFault, AuditView } from '../../lib/audit/routes.ts';
import { type Decision, write } from '../../lib/core/decision.ts';
import { recorder } from '../../lib/journal/changes.ts';
import { memoryTable } from '../../lib/ports/table/memory.ts';
import { nameOf, type Row } from '../../lib/ports/table/table.ts';
import { apply } from '../../lib/runtime/apply.ts';
import { onFeed } from '../../lib/runtime/on-feed.ts';
import type { Shell } from '../../lib/runtime/shell.ts';
import { aShell, type TestShell } from '../../tools/support/a-shell.ts';

/** Something that somebody did to a node, or that nobody saw a reason to chain. */
export type Deed = {
  readonly who: string;
  readonly node: string;
  readonly zone?: string;
  readonly weight: number;
  readonly tells: boolean;
};

const everyone: Auditor = { who: 'admin', source: '192.0.2.7', zones: 'all' };

/** Does it, as a call of that person would. */
export const does = (shell: TestShell, { who, node, zone, weight, tells }: Deed) =>
  apply<object, { id: string }>(
    { ...shell, actor: { who, key: 'k1', source: '192.0.2.7', request: shell.newId() } },
    { noun: 'node', id: node },
    { id: shell.newId() },
    (): Decision<object> =>
      write({ ...(zone !== undefined && { zone }), weight }, `weight ${weight}`, {
        events: tells ? [{ type: 'node.edited', version: 1, data: { weight } }] : [],
      }),
  );

/** Hands the whole feed over, from its beginning. */
export const publishes = (shell: TestShell) => onFeed(recorder).handle(shell.table.feed, shell);

const call = { params: undefined, body: undefined, request: undefined as never, caller: everyone } as const;

/** Every page of the audit. */
export async function audited(
  shell: TestShell,
  query: { from?: string; to?: string; zone?: string; who?: string } = {},
  caller = everyone,
  limit = 50,
): Promise<AuditView[]> {
  const items: AuditView[] = [];
  for (let cursor: string | undefined; ; ) {
    const at = { limit, ...(cursor !== undefined && { cursor }) };
    const { body } = await listAudit({ ...call, caller, query: { ...query, ...at } as never }, shell);
    const page = body as { items: AuditView[]; next?: string };
    items.push(...page.items);
    cursor = page.next;
    if (cursor === undefined) return items;
  }
}

/** What `verify` comes to over all its parts. */
export type Verdict = { entries: number; days: number; faults: AuditFault[]; parts: number };

/** Everything that `verify` finds. */
export async function verified(shell: Shell, days: { from?: string; to?: string } = {}, caller = everyone): Promise<Verdict> {
  const verdict: Verdict = { entries: 0, days: 0, faults: [], parts: 0 };
  for (let cursor: string | undefined; ; ) {
    const query = { ...days, ...(cursor !== undefined && { cursor }) };
    const { body } = await verifyAudit({ ...call, caller, query: query as never }, shell);
    const part = body as { entries: number; days: number; faults: AuditFault[]; next?: string };
    verdict.entries += part.entries;
    verdict.days += part.days;
    verdict.faults.push(...part.faults);
    verdict.parts += 1;
    cursor = part.next;
    if (cursor === undefined) return verdict;
  }
}

/** Everything that is stored, to tamper with. */
export const storedIn = ({ table }: TestShell): Row[] => [...table.rows.values()].map((row) => structuredClone(row));

/** A shell at the same moment over these rows. */
export function over(rows: readonly Row[], { now }: TestShell): TestShell {
  const stored = memoryTable(new Map(rows.map((row) => [nameOf(row.key), row])));
  return { ...aShell(), table: stored, now };
}
