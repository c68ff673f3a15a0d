import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { Problem } from '../api/call.ts';
import { Field, Refused } from '../kit/kit.tsx';
import { useOnce } from '../kit/order.tsx';
import { go, hrefOf, usePlace } from '../router.tsx';
import { beginAt, sessionState, signInBy } from './session.ts';

/** The secret of a sign-in link: what stands behind the # of its address, or the whole of what was pasted. */
const secretIn = (text: string): string => text.trim().split('#').at(-1)!;

/** Why signing in at the provider came to nothing. */
const failures: Readonly<Record<string, string>> = {
  state: 'The sign-in took too long, or was begun in another browser: begin again.',
  denied: 'The provider did not let you in.',
  refused: 'The provider refused the sign-in: an administrator finds the reason in the log.',
  token: 'The token of the provider is not valid here: an administrator finds the reason in the log.',
  away: 'The provider does not answer: try again in a while.',
};

/** Signing in: by the link that opened the page, by one that is pasted, or at the deployment's provider. */
export function SignIn() {
  const { path, search } = usePlace();
  const { secret, error, isBusy, signIn } = useSigningIn();
  const ways = useQuery({ queryKey: ['session'], queryFn: sessionState, staleTime: 60_000 }).data;
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void signIn(secretIn(String(new FormData(event.currentTarget).get('link') ?? '')));
  };
  return (
    <main className="door" id="main">
      <img src={hrefOf('/muster.svg')} alt="" width="56" height="56" />
      <h1>Sign in to Muster</h1>
      {ways?.methods.includes('oidc') && (
        <a className="primary" href={beginAt(path, search)}>
          Sign in at your provider
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
      {search['failed'] !== undefined && <p className="note bad">{failures[search['failed']] ?? failures['refused']}</p>}
      <Refused error={error} />
      {error instanceof Problem && error.type === 'other-session' && secret !== undefined && (
        <button type="button" onClick={() => void signIn(secret, { instead: true })}>
          Sign out the other one, and use this link
        </button>
      )}
    </main>
  );
}

/** Signs in by a secret: that of the address as soon as the page opens, or any other. */
function useSigningIn() {
  const [secret, setSecret] = useState<string>();
  const [error, setError] = useState<unknown>();
  const { isBusy, once } = useOnce();
  const signIn = (by: string, how: { readonly instead?: boolean } = {}): Promise<void> =>
    once(async () => {
      setSecret(by);
      setError(undefined);
      try {
        await signInBy(by, how);
        go('/', {}, { replace: true });
      } catch (refused) {
        setError(refused);
      }
    });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address has its secret once, when the page opens
  useEffect(() => {
    const given = location.hash.slice(1);
    if (given === '') return;
    // The secret leaves the address, and with it the history of the browser.
    history.replaceState(null, '', location.pathname);
    void signIn(given);
  }, []);
  return { secret, error, isBusy, signIn };
}
