import { Refusal } from '../../api/problem.ts';
import type { RowRef } from '../../core/decision.ts';
import { residentIn, residentPartitions, residentsPartition } from '../../ports/table/keys.ts';
import type { Row } from '../../ports/table/table.ts';
import { applyPlan } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import { readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { gateRef } from '../gate/gate.ts';
import { isSettled, planLeft, residentRef } from '../gate/resident.ts';

/** Rows of one query of a partition: 900 of 250 B are far below the 1 MB of a page. */
const rowsAtOnce = 900;
/**
 * Residents whose own rows are read in one batch, and whose rows here end in one commit, of 100 changes at most, if
 * they have left.
 */
const judgedAtOnce = 90;
/** Rows of a partition that one call ends: 28,800 of a zone, in a few seconds. */
const endedMax = 1_800;

/**
 * How many residents belong to a zone, at most the first batch of each partition: enough to know that it is not empty.
 */
export type Settled = { readonly clients: number; readonly nodes: number };

/** A zone, and its gate as a deletion has shut it. */
type Shut = { readonly name: string; readonly number: number; readonly gateRev: number };

/**
 * Counts the residents of a zone whose gate is shut, from the rows themselves and no index. All residents entered
 * before the gate was shut, and queries of rows are strongly consistent, so none is missed except those that entered
 * before Muster recorded residents. Ends the rows of residents that have left on the way. Throws a {@link Refusal} when
 * there are more of those than one call ends; the next call continues.
 */
export async function settledIn(shell: Shell, shut: Shut): Promise<Settled> {
  const found = await Promise.all(Array.from({ length: residentPartitions }, (_, partition) => inPartition(shell, shut, partition)));
  const settled = found.flatMap((one) => one ?? []);
  if (settled.length === 0 && found.includes(undefined))
    throw new Refusal(
      'not-yet',
      `zone ${shut.name} is still being deleted: one call cannot clear all its former residents; call again to continue`,
    );
  const nodes = settled.filter(({ noun }) => noun === 'node').length;
  return { clients: settled.length - nodes, nodes };
}

/** The first residents found in a partition, 90 at most; undefined when more rows must end than one call ends. */
async function inPartition(shell: Shell, shut: Shut, partition: number): Promise<readonly RowRef[] | undefined> {
  const pk = residentsPartition(shut.number, partition);
  for (let ended = 0, after: string | undefined; ; ) {
    const { items, next } = await shell.table.query({ pk, limit: rowsAtOnce, ...(after !== undefined && { after }) });
    const residents = items.filter(({ gone }) => !gone);
    for (let at = 0; at < residents.length; at += judgedAtOnce) {
      if (ended >= endedMax) return undefined;
      const some = residents.slice(at, at + judgedAtOnce);
      const settled = await settledOf(shell, shut, some);
      if (settled.length > 0) return settled;
      ended += some.length;
    }
    if (next === undefined) return [];
    after = next;
  }
}

/** The given residents that still belong to the zone; when none does, their rows end. */
async function settledOf(shell: Shell, shut: Shut, residents: readonly Row[]): Promise<readonly RowRef[]> {
  const who = residents.map(({ key }) => residentIn(key.sk));
  const rows = await readRows(shell, who);
  const settled = who.filter((one, n) => isSettled(one, stateOf(rows[n], shell.now()), shut.name));
  if (settled.length === 0 && who.length > 0) await endLeft(shell, shut, who);
  return settled;
}

async function endLeft(shell: Shell, { number, gateRev }: Shut, who: readonly RowRef[]): Promise<void> {
  const refs = who.map((one) => residentRef(number, one));
  await applyPlan(shell, { id: `left-${shell.newId()}` }, async (reading) => {
    const [now, ...rows] = await reading.rows([gateRef(number), ...refs]);
    if (now?.rev !== gateRev) return { changes: [], because: ['the gate was opened meanwhile'] };
    const left = rows.flatMap((row, n) => (row && !row.gone ? [{ ref: refs[n]!, rev: row.rev }] : []));
    return left.length > 0 ? planLeft(left, { number, gateRev }) : { changes: [], because: ['another call removed them'] };
  });
}
