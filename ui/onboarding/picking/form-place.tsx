import type { ReactNode } from 'react';
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

/** Where the form stands: beside the list, or over it, behind a button at the foot of the page. */
export function FormPlace({ isNarrow, n, isOpen, onOpen, onClose, verb, children }: Props) {
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
