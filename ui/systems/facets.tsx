import { useState } from 'react';
import type { Reply } from '../api/call.ts';
import { number, Status, short } from '../kit/kit.tsx';
import { termOf, termsOf, toggled } from './terms.ts';

type Facet = Reply<'findSystems'>['facets'][number];
type FacetsProps = {
  readonly q: string;
  readonly facets: readonly Facet[];
  readonly silent: number;
  readonly onQuery: (q: string) => void;
};

const titles: Readonly<Record<string, string>> = { status: 'Status', zone: 'Zone', node: 'Node', tag: 'Tag', group: 'Group' };
/** How many values of a field are shown before one asks for more. */
const fewMax = 5;

/** What is among those that match, most frequent first: a click adds a term to the query, another takes it away. */
export function Facets({ q, facets, silent, onQuery }: FacetsProps) {
  const terms = termsOf(q);
  const chip = (term: string, what: React.ReactNode, count: number) => (
    <button
      key={term}
      type="button"
      className="chip"
      aria-pressed={terms.includes(term)}
      title={terms.includes(term) ? `Without ${term}` : `Only ${term}`}
      onClick={() => onQuery(toggled(q, term))}
    >
      {what} <span className="number">{number(count)}</span>
    </button>
  );
  const flag = (silent > 0 || terms.includes('silent:yes')) && chip('silent:yes', <Status is="silent" />, silent);
  const shown = facets.filter(
    (facet) => facet.distinct > 1 || facet.values.some(({ value }) => terms.includes(termOf(facet.field, value))),
  );
  return (
    <section className="facets" aria-label="Narrow down">
      {shown.map((facet) => (
        <Field key={facet.field} facet={facet} last={facet.field === 'status' && flag}>
          {({ value, count }) => chip(termOf(facet.field, value), said(facet.field, value), count)}
        </Field>
      ))}
      {flag !== false && !shown.some(({ field }) => field === 'status') && <div>{flag}</div>}
    </section>
  );
}

const said = (field: string, value: string) => (field === 'status' ? <Status is={value} /> : field === 'node' ? short(value) : value);

type FieldProps = {
  readonly facet: Facet;
  readonly last: React.ReactNode;
  readonly children: (value: Facet['values'][number]) => React.ReactNode;
};

/** The values of a field; those beyond the most frequent few once one asks for them. */
function Field({ facet, last, children }: FieldProps) {
  const [isWhole, setWhole] = useState(false);
  const { field, values, distinct } = facet;
  return (
    <div>
      <b>{titles[field] ?? field}</b>
      {values.slice(0, isWhole ? values.length : fewMax).map(children)}
      {values.length > fewMax && (
        <button type="button" className="plain more" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'fewer' : `${number(values.length - fewMax)} more`}
        </button>
      )}
      {last}
      {isWhole && distinct > values.length && <span className="soft">the most frequent of {number(distinct)}</span>}
    </div>
  );
}
