import type { Plan } from '../core/decision.ts';
import { Conflict, Later } from '../core/errors.ts';
import type { Ref } from '../core/ref.ts';
import { keyOf } from '../ports/table/keys.ts';
import type { Change, Key, Put, Row } from '../ports/table/table.ts';
import { attemptsMax, passing } from './apply.ts';
import { contentOf, isAsPut } from './content.ts';
import { type Refs, type RowsOf, trusted } from './read.ts';
import { readAll } from './read-all.ts';
import type { Shell } from './shell.ts';

/**
 * Reads rows for a plan and remembers them, so that the commit knows what it was computed from without reading again.
 */
export class Reading {
  readonly #shell: Pick<Shell, 'table'>;
  readonly #rows = new Map<string, Row | undefined>();

  constructor(shell: Pick<Shell, 'table'>) {
    this.#shell = shell;
  }

  /** The row, read once. */
  async row<S>(ref: Ref<S>): Promise<Row<S> | undefined> {
    return trusted(ref, (await this.#rowsOf([ref]))[0]);
  }

  /** The rows in the order of the references, each read once. */
  async rows<T extends readonly unknown[]>(refs: Refs<T>): Promise<RowsOf<T>> {
    return (await this.#rowsOf(refs as readonly Ref<unknown>[])) as RowsOf<T>;
  }

  async #rowsOf(refs: readonly Ref<unknown>[]): Promise<(Row | undefined)[]> {
    const names: string[] = [];
    const missing = new Map<string, Key>();
    for (const ref of refs) {
      const key = keyOf(ref);
      const name = nameOf(key);
      names.push(name);
      if (!this.#rows.has(name)) missing.set(name, key);
    }
    const rows = await readAll(this.#shell, [...missing.values()]);
    let n = 0;
    for (const name of missing.keys()) this.#rows.set(name, rows[n++]);
    return names.map((name) => this.#rows.get(name));
  }

  /** Takes in a row that a query returned. */
  remember(row: Row): void {
    this.#rows.set(nameOf(row.key), row);
  }
}

const nameOf = ({ pk, sk }: Key): string => `${pk}\u0000${sk}`;

/**
 * Load and plan → commit all or nothing. `make` reads the rows that it needs and plans. On a conflict, also one that
 * `make` throws because rows had moved while it read, it is called again with fresh rows. Resolves to the committed
 * plan, also when the answer of its commit was lost, to a conflict or to a transient failure. Throws {@link Later} when
 * the rows stay busy, and for transient failures that let nothing through.
 */
export async function applyPlan<P extends Plan>(
  shell: Shell,
  input: { readonly id: string },
  make: (reading: Reading) => Promise<P>,
): Promise<P> {
  let tried: { readonly plan: P; readonly puts: readonly Put[] } | undefined;
  let failure: Conflict | Later | undefined;
  for (let attempt = 1; ; attempt++) {
    if (tried && (await isCommitted(shell, tried.puts))) return tried.plan;
    if (failure instanceof Later) throw failure;
    if (attempt > attemptsMax)
      throw new Later('plan.busy', `the rows of a plan changed during each of ${attemptsMax} attempts`, { cause: failure });
    const reading = new Reading(shell);
    try {
      const plan = await make(reading);
      const changes = await changesOf(shell, input.id, plan, reading);
      const puts = changes.filter((change): change is Put => 'put' in change);
      if (puts.length === 0) return plan;
      tried = { plan, puts };
      await shell.table.commit(changes);
      return plan;
    } catch (error) {
      failure = passing(error);
      if (failure instanceof Conflict) shell.log('debug', 'plan.conflict', { row: failure.row, attempt });
      if (attempt < attemptsMax) await shell.sleep(shell.random() * 20 * 2 ** attempt);
    }
  }
}

/**
 * Whether a commit was carried out although its answer was lost or was a failure: one of its rows is as the commit put
 * it, even if the others were written since.
 */
async function isCommitted(shell: Pick<Shell, 'table'>, puts: readonly Put[]): Promise<boolean> {
  const rows = await readAll(
    shell,
    puts.map(({ put }) => put.key),
  );
  return puts.some((put, i) => isAsPut(rows[i], put));
}

/**
 * A plan as changes: its writes, and a check of every row that it depends on and does not change. Throws
 * {@link Conflict} when a row of the plan has moved.
 */
async function changesOf(shell: Shell, by: string, { changes }: Plan, reading: Reading): Promise<Change[]> {
  const rows = await reading.rows(changes.map((change) => change.ref));
  const at = shell.now();
  return changes.map(({ ref, readRev, decision, besides }, i): Change => {
    const row = rows[i];
    if ((row?.rev ?? 0) !== readRev)
      throw new Conflict(`${ref.noun} ${ref.id}`, `${ref.noun} ${ref.id} is at rev ${row?.rev ?? 0}, not ${readRev}`);
    const cause = { by, at, exact: true, actor: besides ? undefined : shell.actor };
    const put = decision.does === 'nothing' ? undefined : contentOf(ref, row, decision, cause);
    return put ? { put, readRev } : { check: keyOf(ref), readRev };
  });
}
