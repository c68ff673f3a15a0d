import { count, number, Refused } from '../kit/kit.tsx';
import type { System } from './asks.ts';
import { type Outcome, outcomesOf, type Progress } from './steps.ts';

type OutcomesProps = {
  readonly progress: Progress;
  readonly systems: readonly System[];
  readonly ended: { readonly error?: unknown } | undefined;
};

/** How far an order to many is, and what became of each, those together that fared alike. */
export function Outcomes({ progress: { results, of }, systems, ended }: OutcomesProps) {
  const names = new Map(systems.map(({ fp, fqdn }) => [fp, fqdn]));
  const untouched = of - results.size;
  return (
    <>
      <p role="status">
        {ended === undefined ? `${number(results.size)} of ${number(of)}…` : ended.error === undefined ? 'Done.' : 'It ended early.'}
      </p>
      <progress value={results.size} max={of} aria-label="How far it is" />
      {outcomesOf(results.values()).map((outcome) => (
        <Fared key={`${outcome.done} ${outcome.because}`} outcome={outcome} names={names} />
      ))}
      {ended?.error !== undefined && (
        <>
          <Refused error={ended.error} />
          {untouched > 0 && <p>{count(untouched, 'client system')} had no answer. The same order can be given to all of them again.</p>}
        </>
      )}
    </>
  );
}

type FaredProps = { readonly outcome: Outcome; readonly names: ReadonlyMap<string, string> };

const Fared = ({ outcome: { done, because, results }, names }: FaredProps) => (
  <details className={`note ${done ? 'good' : 'bad'}`} open={results.length <= 5}>
    <summary>
      <b>{number(results.length)}</b> {done ? 'done' : 'not done'}
      {because !== undefined && <>: {because}</>}
    </summary>
    <ul>
      {results.map((result) => (
        <li key={result.fp}>
          {names.get(result.fp) ?? result.fp.slice(0, 8)}
          {because === undefined && <span className="soft"> {result.because}</span>}
        </li>
      ))}
    </ul>
  </details>
);
