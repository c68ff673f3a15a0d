import { type Decision, nothing, write } from '../decision.ts';
import type { NodeId } from '../ids.ts';
import { apply } from '../runtime/apply.ts';
import { stateOf } from '../runtime/content.ts';
import type { Shell } from '../runtime/shell.ts';
import type { Service } from '../services/service.ts';
import { type SupervisionHead, supervisionRef, supervisorType, type WatchSet } from '../services/watch-set.ts';
import { keyOf, servicedIn, serviceList, supervisionPartition, watchSetRange } from '../table/keys.ts';
import type { Row } from '../table/table.ts';

/** Rows of one page of a query. */
const pageRows = 200;

/** The sets of a zone's supervisors as rows, those that have ended among them. */
export async function watchSetRows(shell: Pick<Shell, 'table'>, zone: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after: string | undefined; ; ) {
    const from = { pk: supervisionPartition(zone), ...watchSetRange, limit: pageRows };
    const page = await shell.table.query({ ...from, ...(after !== undefined && { after }) });
    rows.push(...page.items);
    if (page.next === undefined) return rows;
    after = page.next;
  }
}

/** Whom the supervisors of a zone watch. */
export const watchSetsOf = async (shell: Pick<Shell, 'table' | 'now'>, zone: string): Promise<WatchSet[]> =>
  (await watchSetRows(shell, zone)).flatMap((row) => stateOf<WatchSet>(row, shell.now()) ?? []);

/** Which nodes of a zone have services besides a supervisor, and which have that, by the list's keys alone: what the list does not know yet it knows soon. */
export type ListedNodes = { readonly nodes: ReadonlySet<NodeId>; readonly supervisors: ReadonlySet<NodeId> };

/** Reads those of a zone. */
export async function listedNodes(shell: Pick<Shell, 'table'>, zone: string): Promise<ListedNodes> {
  const nodes = new Set<NodeId>();
  const supervisors = new Set<NodeId>();
  for (let after: string | undefined; ; ) {
    const from = { index: 'list', pk: serviceList(zone), limit: 1_000 } as const;
    const page = await shell.table.queryIndex({ ...from, ...(after !== undefined && { after }) });
    for (const { sk } of page.items) {
      const { type, node } = servicedIn(sk);
      (type === supervisorType ? supervisors : nodes).add(node as NodeId);
    }
    if (page.next === undefined) return { nodes, supervisors };
    after = page.next;
  }
}

const isOnline = (service: Service | undefined): boolean => service?.state.is === 'online';

/**
 * Says that a decision about a service may change who watches what, where it does: a service is registered or registered no more, a supervisor goes
 * online or ceases to be. With the first supervisor there is something to plan from then on.
 */
export async function lookAfterService(shell: Shell, before: Service | undefined, decision: Decision<Service>): Promise<void> {
  if (decision.does === 'nothing') return;
  const after = decision.does === 'write' ? decision.next : undefined;
  const { type, zone } = (after ?? before)!;
  const isOne = type === supervisorType;
  if (!before === !after && !(isOne && isOnline(before) !== isOnline(after))) return;
  await lookAtSupervision(shell, zone, { isNew: isOne && isOnline(after) });
}

/**
 * Has the next sweep look at who watches what in a zone. One read; a write only for the first word between two sweeps, and for a supervisor that is
 * the first of its zone (`isNew`).
 */
export async function lookAtSupervision(shell: Shell, zone: string, { isNew = false } = {}): Promise<void> {
  const now = shell.now();
  const row = await shell.table.read(keyOf(supervisionRef(zone)));
  const isThere = stateOf<SupervisionHead>(row, now) !== undefined;
  if (isThere ? row?.wakeAt !== undefined && row.wakeAt <= now : !isNew) return;
  const input = { type: 'tick' as const, id: `look-${shell.newId()}` };
  const because = 'services or supervisors of the zone have changed';
  const soon = (head: SupervisionHead | undefined): Decision<SupervisionHead> =>
    head ? nothing(because, now) : write<SupervisionHead, never>({ zone } as SupervisionHead, because, { wakeAt: now });
  await apply<SupervisionHead, typeof input>(shell, supervisionRef(zone), input, soon, row);
}
