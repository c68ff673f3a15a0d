import { useEffect, useState } from 'react';
import type { Reply } from '../api/call.ts';
import { Copied } from '../kit/copied.tsx';
import { Dialog, Refused, Waiting } from '../kit/kit.tsx';

type Made = Reply<'createSignInLink'>;

/** A link by which another person signs in. It is here once: nobody can look it up later. */
export function LinkDialog({ link, onClose }: { readonly link: Promise<Made>; readonly onClose: () => void }) {
  const [made, setMade] = useState<Made>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    link.then(setMade, setError);
  }, [link]);
  return (
    <Dialog label="A sign-in link" onClose={onClose}>
      <h2>A sign-in link</h2>
      {made ? <Made link={made} /> : error ? <Refused error={error} /> : <Waiting what="Making it" />}
      <div className="actions">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

const Made = ({ link: { link, expires } }: { readonly link: Made }) => (
  <>
    <p>
      It works once, until {new Date(expires).toLocaleTimeString('en-GB')}. Whoever opens it has your rights: send it on a way that nobody
      else reads.
    </p>
    <Copied label="Link" text={link} />
  </>
);
