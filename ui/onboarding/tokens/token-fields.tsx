import { Field } from '../../kit/kit.tsx';

type Span = readonly [string, number];
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** For how long a token for many is good. */
export const longSpans: readonly Span[] = [
  ['1 hour', hourMs],
  ['1 day', dayMs],
  ['7 days', 7 * dayMs],
  ['30 days', 30 * dayMs],
  ['1 year', 365 * dayMs],
];

/** The moment at which a span ends that begins now. A second is left for a clock that is ahead of the server's. */
export const endOf = (spanMs: number): string => new Date(Date.now() + spanMs - 1_000).toISOString();

/** For how long it holds, as a field `span` of a form, in ms. */
export const SpanSelect = ({ preset }: { readonly preset: number }) => (
  <Field label="Valid for">
    {(id) => (
      <select id={id} name="span" defaultValue={longSpans[preset]![1]}>
        {longSpans.map(([text, ms]) => (
          <option key={ms} value={ms}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Field>
);

/** How often it may be used, and from where, as fields `uses` and `cidr` of a form. */
export const UseFields = ({ usesMax }: { readonly usesMax: number }) => (
  <>
    <Field label="Uses" hint="how many it lets in">
      {(id) => <input id={id} name="uses" type="number" min="1" max={usesMax} defaultValue={1} required />}
    </Field>
    <Field label="From network" hint="10.0.0.0/8; empty for anywhere">
      {(id) => <input id={id} name="cidr" autoComplete="off" spellCheck={false} />}
    </Field>
  </>
);
