import { type FormEvent, type ReactNode, useState } from 'react';
import { Dialog, Field, Refused } from '../../kit/kit.tsx';

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

type FormProps = {
  readonly title: string;
  readonly onSubmit: (form: FormData) => Promise<void>;
  readonly onClose: () => void;
  readonly children: ReactNode;
};

/** A form in a dialog that makes a token; what is refused is said in it. */
export function TokenForm({ title, onSubmit, onClose, children }: FormProps) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setBusy(true);
    onSubmit(new FormData(event.currentTarget))
      .catch(setError)
      .finally(() => setBusy(false));
  };
  return (
    <Dialog label={title} onClose={onClose}>
      <form onSubmit={submit}>
        <h2>{title}</h2>
        {children}
        <Refused error={error} />
        <div className="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="primary" disabled={isBusy}>
            Make the token
          </button>
        </div>
      </form>
    </Dialog>
  );
}
