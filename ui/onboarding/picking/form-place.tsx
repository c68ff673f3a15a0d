import { type ReactNode, useEffect } from 'react';
import { Dialog, number } from '../../kit/kit.tsx';

type Props = {
  readonly isNarrow: boolean;
  readonly n: number;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
  readonly onClose: () => void;
  readonly verb: string;
  readonly children: ReactNode;
};

const submitButton = (): HTMLButtonElement | null => document.querySelector('.accept-form [type=submit]');

/** What the key of the form does: it leads to its button, and from there it presses it. */
export function pressSubmit(): void {
  const button = submitButton();
  if (document.activeElement === button) button?.click();
  else button?.focus();
}

/** Where the form stands: beside the list, or over it, behind a button at the foot of the page. */
export function FormPlace({ isNarrow, n, isOpen, onOpen, onClose, verb, children }: Props) {
  useEffect(() => {
    if (isOpen) submitButton()?.focus();
  }, [isOpen]);
  if (!isNarrow)
    return (
      <aside className="accept-beside" aria-label={verb}>
        <div className="panel">{children}</div>
      </aside>
    );
  return (
    <>
      {n > 0 && (
        <div className="accept-foot">
          <button type="button" className="primary" onClick={onOpen}>
            {verb} {number(n)}…
          </button>
        </div>
      )}
      {isOpen && (
        <Dialog label={verb} onClose={onClose}>
          {children}
        </Dialog>
      )}
    </>
  );
}
