import { type MouseEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { Problem } from '../api/call.ts';
import { atMoments, clockText, momentText, spanText, useNow } from './time.ts';

/** Made once: making one takes longer than all that it formats in a frame. */
const numbers = new Intl.NumberFormat('en');

/** A state in words, with a colour and a shape besides: nobody has to tell red from green. */
export const Status = ({ is, children }: { readonly is: string; readonly children?: ReactNode }) => (
  <span className={`status is-${is}`}>
    <i aria-hidden="true" />
    {children ?? is}
  </span>
);

/** How long ago a moment was, and the moment itself for who points at it. */
export function Ago({ at, suffix = '' }: { readonly at: string | undefined; readonly suffix?: string }) {
  const now = useNow();
  if (at === undefined) return <span className="soft">–</span>;
  return (
    <time dateTime={at} title={momentText(at)}>
      {spanText(now - Date.parse(at))}
      {suffix}
    </time>
  );
}

/** A reason in the words of Muster. A moment in it is shown by the clock of whoever reads it. */
export const Because = ({ of }: { readonly of: string }) =>
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change places
  atMoments(of).map((part, n) => (n % 2 === 0 ? part : <Moment key={n} at={part} />));

function Moment({ at }: { readonly at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={momentText(at)}>
      {clockText(at, now)}
    </time>
  );
}

/** The first label of a name. */
export const short = (fqdn: string): string => fqdn.split('.')[0]!;
/** A link to a page of another host, such as a node's own, which learns nothing of where it was followed from. */
export const Outside = ({ to }: { readonly to: string }) => (
  <a href={to} target="_blank" rel="noopener noreferrer">
    {new URL(to).host}
  </a>
);

/** A number with separators for thousands. */
export const number = (n: number): string => numbers.format(n);
/** A number with its noun: `1 node`, `2 nodes`. */
export const count = (n: number, one: string, many = `${one}s`): string => `${number(n)} ${n === 1 ? one : many}`;

/** A text with a capital at its beginning. */
export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** Why something was refused or failed, in the server's words. */
export const Refused = ({ error }: { readonly error: unknown }) =>
  error === undefined || error === null ? null : (
    <p className="note bad" role="alert">
      {error instanceof Error ? error.message : String(error)}
      {error instanceof Problem && error.type !== 'unreachable' && <code> {error.type}</code>}
    </p>
  );

/** What stands where an answer is still awaited. */
export const Waiting = ({ what = 'Loading' }: { readonly what?: string }) => (
  <p className="waiting" role="status">
    {what}…
  </p>
);

/** What stands where there is nothing, and what would make something be there. */
export const Empty = ({ children }: { readonly children: ReactNode }) => <p className="empty">{children}</p>;

/** A box with a title. */
export function Panel(props: {
  readonly title: ReactNode;
  readonly actions?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  const id = useId();
  return (
    <section className={`panel ${props.className ?? ''}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{props.title}</h2>
        {props.actions}
      </header>
      {props.children}
    </section>
  );
}

/** The cross that closes what is picked; `label` says what it closes, and `title` by which key. */
export const CloseButton = (props: { readonly label?: string; readonly title?: string; readonly onClose: () => void }) => (
  <button type="button" className="quiet close" aria-label={props.label ?? 'Close'} title={props.title} onClick={props.onClose}>
    ✕
  </button>
);

/** How long the text of a fact may be that has a cell beside others; a longer one has a row of its own. */
const cellTextMax = 60;

/** Facts by their names; those without a value are left out. */
export const Facts = ({ of }: { readonly of: readonly (readonly [string, ReactNode])[] }) => (
  <dl className="facts">
    {of
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([name, value]) => (
        <div key={name} className={typeof value === 'string' && value.length > cellTextMax ? 'is-long' : undefined}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);

/** A field of a form with its label, and a hint below. */
export function Field(props: { readonly label: string; readonly hint?: ReactNode; readonly children: (id: string) => ReactNode }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{props.label}</label>
      {props.children(id)}
      {props.hint !== undefined && <small>{props.hint}</small>}
    </div>
  );
}

type DialogProps = {
  readonly label: string;
  readonly onClose: () => void;
  readonly isWide?: boolean;
  /** Only its own buttons close it: what it shows is shown once. */
  readonly isFirm?: boolean;
  readonly children: ReactNode;
};

/**
 * The browser's own dialog: focus, Escape and the page behind it are its business. Shown as long as it is there; a
 * press beside it closes it. Afterwards the focus is where it was, or at the content when that is gone.
 */
export function Dialog({ label, onClose, isWide = false, isFirm = false, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const isPressedBeside = useRef(false);
  useShown(ref, () => (isFirm ? ref.current?.showModal() : onClose()));
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog; the click is on what is behind it
    <dialog
      ref={ref}
      className={isWide ? 'wide' : ''}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        if (!isFirm) onClose();
      }}
      // Who selects a text and lets go beside the dialog has not pressed there.
      onMouseDown={(event) => {
        isPressedBeside.current = isBeside(event);
      }}
      onClick={(event) => isPressedBeside.current && isBeside(event) && !isFirm && onClose()}
    >
      {children}
    </dialog>
  );
}

/** Shows the dialog; `closed` is called when the browser closes it without asking, as it does when Escape insists. */
function useShown(ref: { readonly current: HTMLDialogElement | null }, closed: () => void): void {
  const now = useRef(closed);
  useEffect(() => {
    now.current = closed;
  });
  useEffect(() => {
    const dialog = ref.current!;
    const before = document.activeElement;
    const onClosed = (): void => now.current();
    dialog.addEventListener('close', onClosed);
    dialog.showModal();
    return () => {
      dialog.removeEventListener('close', onClosed);
      dialog.close();
      if (before instanceof HTMLElement) before.focus();
      if (document.activeElement === document.body) document.getElementById('main')?.focus();
    };
  }, [ref]);
}

/** Whether a press is outside of the dialog's box: its backdrop counts as the dialog itself, as does its padding. */
function isBeside({ target, currentTarget, clientX: x, clientY: y }: MouseEvent<HTMLDialogElement>): boolean {
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect();
  return target === currentTarget && (x < left || x > right || y < top || y > bottom);
}

/** Shapes a line of numbers as a small picture, the oldest left; `label` says it in words. */
export function Sparkline({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  if (values.length < 2) return <span className="soft">–</span>;
  const most = Math.max(...values, 1e-9);
  const points = values.map((value, n) => `${(n / (values.length - 1)) * 100},${20 - (value / most) * 18}`).join(' ');
  return (
    <svg className="sparkline" viewBox="0 0 100 22" preserveAspectRatio="none" role="img" aria-label={label}>
      <title>{label}</title>
      <polyline points={points} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
