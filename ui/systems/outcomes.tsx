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

const Fared = ({ outcome: { done, because, fps }, names }: { readonly outcome: Outcome; readonly names: ReadonlyMap<string, string> }) => (
  <details className={`note ${done ? 'good' : 'bad'}`} open={fps.length <= 5}>
    <summary>
      <b>{number(fps.length)}</b> {done ? 'done' : 'not done'}: {because}
    </summary>
    <ul>
      {fps.map((fp) => (
        <li key={fp}>{names.get(fp) ?? fp.slice(0, 8)}</li>
      ))}
    </ul>
  </details>
);
