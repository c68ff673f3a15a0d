import { type Change, nameOf, type Table } from '../../lib/ports/table/table.ts';

/** The written rows, and write units as DynamoDB charges them, index moves included. */
export type Cost = { readonly rows: number; readonly units: number };

/**
 * The cost of commits, by purpose. `state`: changes of a decision or a plan. Beside it are the history, pages of the
 * map that are written outside the commit that moved slots, and the rhythm that continues at rest: heartbeats, ticks
 * that only set the next one, the sweep's own row, the count of clients.
 */
export type Costs = Record<'state' | 'history' | 'mapPages' | 'rhythm', Cost>;

/** Notes the cost of each commit. */
export type Ledger = {
  /** The table's commit, whose cost is noted; `by` is the function that commits. */
  readonly commit: (by: string, changes: readonly Change[]) => Promise<void>;
  /** The costs noted since the last call. */
  readonly settle: () => Costs;
};

const nothing: Cost = { rows: 0, units: 0 };
const noCosts: Costs = { state: nothing, history: nothing, mapPages: nothing, rhythm: nothing };

/**
 * A ledger of a table in memory, by the table's own meter: its commits finish at once, so the difference is the cost of
 * the commit.
 */
export function ledgerOf({ meter, commit }: Table): Ledger {
  let costs = noCosts;
  const causes = new Map<string, string>();
  return {
    commit: async (by, changes) => {
      const { rowsWritten, writeUnits } = meter;
      const done = commit(changes);
      const account = changes.every((change) => isRhythm(by, change, causes)) ? 'rhythm' : accountOf(by, changes);
      const { rows, units } = costs[account];
      costs = { ...costs, [account]: { rows: rows + meter.rowsWritten - rowsWritten, units: units + meter.writeUnits - writeUnits } };
      await done;
      for (const change of changes) if ('put' in change) causes.set(nameOf(change.put.key), change.put.by);
    },
    settle: () => {
      const settled = costs;
      costs = noCosts;
      return settled;
    },
  };
}

/** A tick that only sets the next one stores the row with the cause it had. */
const isRhythm = (by: string, change: Change, causes: ReadonlyMap<string, string>): boolean =>
  'put' in change &&
  (by === 'heartbeats' ||
    change.put.key.sk === 'sweep' ||
    change.put.key.sk === 'counts' ||
    causes.get(nameOf(change.put.key)) === change.put.by);

function accountOf(by: string, changes: readonly Change[]): keyof Costs {
  if (by === 'publish') return 'history';
  return changes.every((change) => 'put' in change && change.put.key.sk.startsWith('map#')) ? 'mapPages' : 'state';
}
