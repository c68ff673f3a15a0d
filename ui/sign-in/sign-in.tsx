import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { Field, Refused } from '../kit/kit.tsx';
import { go } from '../router.tsx';
import { signInBy, waysToSignIn } from './session.ts';

/** The secret of a sign-in link: what stands behind the # of its address, or the whole of what was pasted. */
const secretIn = (text: string): string => text.trim().split('#').at(-1)!;

/** Signing in: by the link that opened the page, by one that is pasted, or at the deployment's provider. */
export function SignIn() {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const ways = useQuery({ queryKey: ['ways'], queryFn: waysToSignIn, staleTime: 60_000 }).data;
  const signIn = async (secret: string): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await signInBy(secret);
      go('/', {}, { replace: true });
    } catch (refused) {
      setError(refused);
    }
    setBusy(false);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address has its secret once, when the page opens
  useEffect(() => {
    const secret = location.hash.slice(1);
    if (secret === '') return;
    // The secret leaves the address, and with it the history of the browser.
    history.replaceState(null, '', location.pathname);
    void signIn(secret);
  }, []);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void signIn(secretIn(String(new FormData(event.currentTarget).get('link') ?? '')));
  };
  return (
    <main className="door" id="main">
      <img src="/ui/muster.svg" alt="" width="56" height="56" />
      <h1>Sign in to Muster</h1>
      {ways?.issuer !== undefined && (
        <a className="primary" href="/session/begin">
          Sign in at {new URL(ways.issuer).host}
        </a>
      )}
      <form onSubmit={submit}>
        <Field label="Sign-in link" hint="It works once. Somebody who is signed in makes one: muster login --link">
          {(id) => <input id={id} name="link" required autoComplete="off" spellCheck={false} disabled={isBusy} />}
        </Field>
        <button type="submit" className="primary" disabled={isBusy}>
          Sign in
        </button>
      </form>
      <Refused error={error} />
    </main>
  );
}
