import type { DatabaseSync } from 'node:sqlite';
import { Later, MusterError } from '../../core/errors.ts';

/** The writers of one file share transactions. */
export type GroupCommit = {
  /**
   * Runs `work` in the next transaction and resolves with its result, once that is durable. `work` may refuse by
   * throwing a MusterError before its first write; that does not affect the others of its group. Throws {@link Later}
   * if the file failed.
   */
  readonly run: <T>(work: () => T) => Promise<T>;
  /** Commits the waiting work now. */
  readonly flush: () => void;
  /** Commits the waiting work, and refuses any later work. */
  readonly close: () => void;
};

type Waiting = { readonly work: () => unknown; readonly resolve: (result: unknown) => void; readonly reject: (error: unknown) => void };

/**
 * Group commit: everything that comes in one turn of the event loop is committed together, because only the wait for
 * the disk is expensive. `defer` runs a function at the end of the turn.
 */
export function groupCommit(db: DatabaseSync, defer: (run: () => void) => void): GroupCommit {
  const [begin, commit, rollback] = [db.prepare('BEGIN IMMEDIATE'), db.prepare('COMMIT'), db.prepare('ROLLBACK')];
  let waiting: Waiting[] = [];
  let isOpen = true;
  const flush = (): void => {
    const group = waiting;
    waiting = [];
    if (group.length === 0 || !isOpen) return;
    let settle: (() => void)[];
    try {
      begin.run();
      settle = group.map(settled);
      commit.run();
    } catch (error) {
      if (db.isTransaction) rollback.run();
      const why = error instanceof Error ? error.message : String(error);
      settle = group.map(
        ({ reject }) =>
          () =>
            reject(new Later('state.failed', `the state file failed: ${why}`, { cause: error })),
      );
    }
    for (const tell of settle) tell();
  };
  return {
    run: <T>(work: () => T) =>
      new Promise<T>((resolve, reject) => {
        if (!isOpen) return reject(new Later('state.closed', 'the state file is closed'));
        waiting.push({ work, resolve: resolve as (result: unknown) => void, reject });
        if (waiting.length === 1) defer(flush);
      }),
    flush,
    close: () => {
      flush();
      isOpen = false;
    },
  };
}

/** Does one member's work and gives the function that settles its promise once the group is durable. */
function settled({ work, resolve, reject }: Waiting): () => void {
  try {
    const result = work();
    return () => resolve(result);
  } catch (error) {
    if (!(error instanceof MusterError)) throw error;
    return () => reject(error);
  }
}
