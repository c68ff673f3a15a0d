import type { ReactNode } from 'react';
import { Copied } from './copied.tsx';
import { Dialog } from './kit.tsx';

type Secret = { readonly title: string; readonly secret: string; readonly children?: ReactNode; readonly onClose: () => void };

/** Shows a secret that appears once, with a button that copies it; nothing but the person's word closes it. */
export const ShownOnce = ({ title, secret, children, onClose }: Secret) => (
  <Dialog label={title} onClose={onClose} isFirm>
    <h2>{title}</h2>
    <p className="note">This is the only time that it is shown: Muster keeps no copy of it.</p>
    <Copied label="Secret" text={secret} />
    {children}
    <div className="actions">
      <button type="button" className="primary" onClick={onClose}>
        I have it
      </button>
    </div>
  </Dialog>
);
