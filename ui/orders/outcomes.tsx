import { count, number, Refused } from '../kit/kit.tsx';
import type { Carried } from './carrying.ts';
import type { Outcome } from './steps.ts';
import { endText, restText, tallyOf } from './words.ts';

type Named = { readonly fp: string; readonly fqdn: string };
type Props = { readonly of: Carried; readonly systems: readonly Named[] };

/** How far an order to many is, and what became of each, those together that fared alike. */
export function Outcomes({ of, systems }: Props) {
  const names = new Map(systems.map(({ fp, fqdn }) => [fp, fqdn]));
  const { ended, outcomes } = of;
  const { done, not, rest } = tallyOf(of);
  return (
    <>
      <p role="status">{ended === undefined ? `${number(done + not)} of ${number(of.of)}…` : endText(ended)}</p>
      <progress value={done + not} max={of.of} aria-label="How far it is" />
      {outcomes.map((outcome) => (
        <Fared key={`${outcome.done} ${outcome.because}`} outcome={outcome} names={names} />
      ))}
      {ended && 'because' in ended && <Refused error={ended.because} />}
      {ended && rest > 0 && <p>{restText(ended, count(rest, 'client system'))}</p>}
    </>
  );
}

/** How many client systems a list names. */
const namedMax = 200;

type FaredProps = { readonly outcome: Outcome; readonly names: ReadonlyMap<string, string> };

const Fared = ({ outcome: { done, because, n, results }, names }: FaredProps) => (
  <details className={`note ${done ? 'good' : 'bad'}`} open={n <= 5}>
    <summary>
      <b>{number(n)}</b> {done ? 'done' : 'not done'}
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
