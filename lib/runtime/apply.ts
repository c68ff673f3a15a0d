import type { Decision, RowRef, Tick } from '../decision.ts';
import { Conflict, Later } from '../errors.ts';
import { keyOf } from '../table/keys.ts';
import type { Key, Row } from '../table/table.ts';
import type { EpochMs } from '../units.ts';
import { contentOf, stateOf } from './content.ts';
import type { Shell } from './shell.ts';

/** What an input did to a row: the decision, the state before, and the state and revision now. */
export type Applied<S> = {
  readonly decision: Decision<S>;
  readonly before: S | undefined;
  readonly state: S | undefined;
  readonly rev: number;
};

/** Attempts before a busy row is handed back; each one reads and decides afresh. */
export const attemptsMax = 6;

/**
 * Read → decide → commit: the path of every report, command and tick about one row. On a conflict it reads and decides again;
 * a row that is our own input's at the next revision is our commit whose answer was lost. Who has the row at hand as it was `read` just
 * now saves the first reading. Throws {@link Later} when it stays busy.
 */
export async function apply<S, I extends { readonly id: string } | (Tick & { readonly id: string })>(
  shell: Shell,
  ref: RowRef,
  input: I,
  decide: (state: S | undefined, input: I, now: EpochMs) => Decision<S>,
  read?: Row,
): Promise<Applied<S>> {
  const key = keyOf(ref);
  const exact = (input as Partial<Tick>).type === 'tick';
  const next = readings(shell, key, read);
  let tried: { rev: number; decision: Decision<S>; before: S | undefined } | undefined;
  let conflict: Conflict | undefined;
  for (let attempt = 1; ; attempt++) {
    const row = await next();
    const now = shell.now();
    if (tried && row?.by === input.id && row.rev === tried.rev) return { ...tried, state: stateOf(row, now) };
    if (attempt > attemptsMax)
      throw new Later('row.busy', `${ref.noun} ${ref.id} kept moving through ${attemptsMax} attempts`, { cause: conflict });
    const before = stateOf<S>(row, now);
    const decision = decide(before, input, now);
    const cause = { staysDueMs: shell.settings.staysDueMs, by: input.id, at: now, exact, actor: shell.actor };
    const content = contentOf(ref, row, decision, cause);
    const readRev = row?.rev ?? 0;
    if (!content) return { decision, before, state: before, rev: readRev };
    tried = { rev: readRev + 1, decision, before };
    try {
      await shell.table.commit([{ put: content, readRev }]);
      return { ...tried, state: content.gone ? undefined : (content.body as S) };
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      conflict = error;
      if (attempt < attemptsMax) await shell.sleep(shell.random() * 20 * 2 ** attempt);
    }
  }
}

/** The row as it is now, each time; the first time as it was read already. */
function readings({ table }: Pick<Shell, 'table'>, key: Key, read: Row | undefined): () => Promise<Row | undefined> {
  let known = read;
  return async () => {
    const row = known ?? (await table.read(key));
    known = undefined;
    return row;
  };
}
