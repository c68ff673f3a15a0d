import { count, number } from '../kit/kit.tsx';
import { ActButtons } from './act-buttons.tsx';
import type { System } from './asks.ts';

type BulkBarProps = { readonly chosen: ReadonlyMap<string, System>; readonly total: number; readonly onClear: () => void };

/** What can be done to those that are selected. */
export function BulkBar({ chosen, total, onClear }: BulkBarProps) {
  if (chosen.size === 0) return null;
  return (
    <section className="bulk" aria-label="Selection">
      <p role="status">
        <b>{count(chosen.size, 'system')}</b> selected <span className="soft">of {number(total)} that match</span>
      </p>
      <ActButtons systems={[...chosen.values()]} />
      <button type="button" className="quiet" onClick={onClear}>
        Clear
      </button>
    </section>
  );
}
