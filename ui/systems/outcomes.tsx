import { Problem } from '../api/call.ts';
import { count, number, Refused } from '../kit/kit.tsx';
import type { System } from './asks.ts';
import { type Outcome, outcomesOf, type Progress } from './steps.ts';
import type { Ended } from './use-carrying.ts';

type OutcomesProps = { readonly progress: Progress; readonly systems: readonly System[]; readonly ended: Ended | undefined };

/** How many client systems a list names. */
const namedMax = 200;

/** How far an order to many is, and what became of each, those together that fared alike. */
export function Outcomes({ progress: { results, of }, systems, ended }: OutcomesProps) {
  const names = new Map(systems.map(({ fp, fqdn }) => [fp, fqdn]));
  const untouched = of - results.size;
  return (
    <>
      <p role="status">{ended === undefined ? `${number(results.size)} of ${number(of)}…` : endText(ended)}</p>
      <progress value={results.size} max={of} aria-label="How far it is" />
      {outcomesOf(results.values()).map((outcome) => (
        <Fared key={`${outcome.done} ${outcome.because}`} outcome={outcome} names={names} />
      ))}
      {ended !== undefined && <Refused error={ended.error} />}
      {ended !== undefined && untouched > 0 && <p>{restText(ended, count(untouched, 'client system'))}</p>}
    </>
  );
}

const endText = ({ error, isStopped }: Ended): string =>
  isStopped ? 'Stopped.' : error === undefined ? 'Done.' : hasChanged(error) ? 'Others match by now.' : 'It ended early.';

const hasChanged = (error: unknown): boolean => error instanceof Problem && error.type === 'matches-changed';

/** What is said of those without a result. */
function restText({ error, isStopped }: Ended, rest: string): string {
  if (isStopped || hasChanged(error)) return `Nothing was done to ${rest}.`;
  return error === undefined
    ? `There was no result for ${rest}.`
    : `${rest} had no answer. The same order can be given to all of them again.`;
}

type FaredProps = { readonly outcome: Outcome; readonly names: ReadonlyMap<string, string> };

const Fared = ({ outcome: { done, because, results }, names }: FaredProps) => (
  <details className={`note ${done ? 'good' : 'bad'}`} open={results.length <= 5}>
    <summary>
      <b>{number(results.length)}</b> {done ? 'done' : 'not done'}
      {because !== undefined && <>: {because}</>}
    </summary>
    <ul>
      {results.slice(0, namedMax).map((result) => (
        <li key={result.fp}>
          {names.get(result.fp) ?? <code>{result.fp.slice(0, 8)}</code>}
          {because === undefined && <span className="soft"> {result.because}</span>}
        </li>
      ))}
      {results.length > namedMax && <li>and {number(results.length - namedMax)} more</li>}
    </ul>
  </details>
);
