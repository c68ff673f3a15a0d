import { lazy, Suspense, useState } from 'react';
import { count, number } from '../kit/kit.tsx';
import { ActButtons } from './act-buttons.tsx';
import type { System } from './asks.ts';

const AllThatMatch = lazy(async () => ({ default: (await import('./all.tsx')).AllThatMatch }));

type BulkBarProps = {
  readonly q: string;
  readonly chosen: ReadonlyMap<string, System>;
  readonly total: number;
  readonly onClear: () => void;
};

/** What can be done to those that are selected. */
export function BulkBar({ q, chosen, total, onClear }: BulkBarProps) {
  const [isAll, setAll] = useState(false);
  if (chosen.size === 0 && !isAll) return null;
  return (
    <section className="bulk" aria-label="Selection">
      <p role="status">
        <b>{count(chosen.size, 'system')}</b> selected <span className="soft">of {number(total)} that match</span>
      </p>
      <ActButtons systems={[...chosen.values()]} />
      {total > chosen.size && (
        <button type="button" onClick={() => setAll(true)}>
          All {number(total)} that match…
        </button>
      )}
      <button type="button" className="quiet" onClick={onClear}>
        Clear
      </button>
      {isAll && (
        <Suspense>
          <AllThatMatch q={q} onClose={() => setAll(false)} />
        </Suspense>
      )}
    </section>
  );
}
