import type { Decision, Tick } from '../core/decision.ts';
import { Conflict, Later } from '../core/errors.ts';
import type { Ref } from '../core/ref.ts';
import type { EpochMs } from '../core/time.ts';
import type { Put, Row } from '../ports/table/table.ts';
import { contentOf, isAsPut, stateOf } from './content.ts';
import { readRow } from './read.ts';
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
 * Read → decide → commit: the path of every report, command and tick about one row. On a conflict it reads and decides
 * again; a row that is at the next revision as we put it is our commit whose answer was lost, to a conflict or to a
 * transient failure. Who has the row at hand as it was `read` just now saves the first reading. Throws {@link Later}
 * when it stays busy, and for a transient failure that let nothing through.
 */
export async function apply<S, I extends { readonly id: string } | (Tick & { readonly id: string })>(
  shell: Shell,
  ref: Ref<S>,
  input: I,
  decide: (state: S | undefined, input: I, now: EpochMs) => Decision<S>,
  read?: Row<S>,
): Promise<Applied<S>> {
  const exact = (input as Partial<Tick>).type === 'tick';
  const next = readings(shell, ref, read);
  let tried: (Put & { readonly applied: Applied<S> }) | undefined;
  let failure: Conflict | Later | undefined;
  for (let attempt = 1; ; attempt++) {
    const row = await next();
    const now = shell.now();
    if (tried && isAsPut(row, tried)) return tried.applied;
    if (failure instanceof Later) throw failure;
    if (attempt > attemptsMax)
      throw new Later('row.busy', `${ref.noun} ${ref.id} kept moving through ${attemptsMax} attempts`, { cause: failure });
    const before = stateOf(row, now);
    const decision = decide(before, input, now);
    const cause = { staysDueMs: shell.settings.staysDueMs, by: input.id, at: now, exact, actor: shell.actor };
    const put = contentOf(ref, row, decision, cause);
    const readRev = row?.rev ?? 0;
    if (!put) return { decision, before, state: before, rev: readRev };
    const state = put.gone ? undefined : put.body;
    tried = { put, readRev, applied: { decision, before, state, rev: readRev + 1 } };
    try {
      await shell.table.commit([{ put, readRev }]);
      return tried.applied;
    } catch (error) {
      failure = passing(error);
      if (attempt < attemptsMax) await shell.sleep(shell.random() * 20 * 2 ** attempt);
    }
  }
}

/**
 * What a commit may have failed of and been carried out all the same, which shows in its row: a conflict, or a
 * transient failure. Throws anything else.
 */
export function passing(error: unknown): Conflict | Later {
  if (error instanceof Conflict || error instanceof Later) return error;
  throw error;
}

/** The row as it is now, each time; the first time as it was read already. */
function readings<S>(shell: Pick<Shell, 'table'>, ref: Ref<S>, read: Row<S> | undefined): () => Promise<Row<S> | undefined> {
  let known = read;
  return async () => {
    const row = known ?? (await readRow(shell, ref));
    known = undefined;
    return row;
  };
}
