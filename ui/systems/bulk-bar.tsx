import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { mayAnywhere } from '../api/rights.ts';
import { count, number } from '../kit/kit.tsx';
import { asks } from '../live/queries.ts';
import { ActButtons } from './act-buttons.tsx';
import { acts } from './acts.tsx';
import type { System } from './asks.ts';

const AllThatMatch = lazy(async () => ({ default: (await import('./all.tsx')).AllThatMatch }));

type BulkBarProps = {
  readonly q: string;
  readonly chosen: ReadonlyMap<string, System>;
  readonly total: number;
  readonly onClear: () => void;
};

/** What can be done to those that are selected, and the way to all that match. */
export function BulkBar({ q, chosen, total, onClear }: BulkBarProps) {
  const rights = useQuery(asks.whoAmI).data?.rights;
  // An order is for the query that was there when a person chose all.
  const [all, setAll] = useState<string>();
  if (chosen.size === 0 && all === undefined) return null;
  const mayAll = Object.values(acts).some(({ route }) => mayAnywhere(rights, route));
  return (
    <section className="bulk" aria-label="Selection">
      <p role="status">
        <b>{count(chosen.size, 'system')}</b> selected <span className="soft">of {number(total)} that match</span>
      </p>
      {mayAll && total > chosen.size && (
        <button type="button" onClick={() => setAll(q)}>
          Select all {number(total)} that match…
        </button>
      )}
      <ActButtons systems={[...chosen.values()]} />
      <button type="button" className="quiet" onClick={onClear}>
        Clear
      </button>
      {all !== undefined && (
        <Suspense>
          <AllThatMatch q={all} onClose={() => setAll(undefined)} />
        </Suspense>
      )}
    </section>
  );
}
