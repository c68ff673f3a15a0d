import { textWithin } from '../core/limited-text.ts';
import type { KeyPair } from '../identity/key-pair.ts';
import { signerOf } from '../identity/signature.ts';
import { answerBytesMax, type Fetching } from './client.ts';

/**
 * The deployment that a machine signs for, as far as it knows: its name, and by how many ms its clock is ahead of the
 * machine's.
 */
export type SigningFor = { readonly deployment?: string | undefined; readonly clockAheadMs: number };

/** Names of the headers in which a refusal gives a signer the values that it needs. */
export const signingHeaders = {
  /** The deployment that signatures must be made for. */
  deployment: 'muster-deployment',
  /** The deployment's clock in ms since 1970, when the caller's differs too much. */
  time: 'muster-time',
} as const;

export type SigningOptions = {
  readonly keys: () => KeyPair;
  readonly known: () => SigningFor;
  /** Stores the values of a refusal. The name of a deployment is learned once, its clock whenever it differs. */
  readonly learn: (known: SigningFor) => void;
  /** This machine's clock, in ms. */
  readonly now: () => number;
  /** 16 to 64 letters, digits, `_` or `-`, unguessable, new for each call. */
  readonly newNonce: () => string;
  readonly fetching?: Fetching;
};

/** A machine that does not know its deployment yet signs for this one; the refusal gives it the right name. */
const unmet = 'unknown';

/** The form of a deployment's name: any other text would write more into the signature than its tag. */
const deploymentForm = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * Signs every call. When a refusal names the deployment or gives its clock, these are learned, and the call is made
 * once more.
 */
export function signing({ keys, known, learn, now, newNonce, fetching = fetch }: SigningOptions): Fetching {
  let signer: ReturnType<typeof signerOf> | undefined;
  let pair: KeyPair | undefined;
  const signed = (url: string, init: Parameters<Fetching>[1]): ReturnType<Fetching> => {
    const { pathname: path, search } = new URL(url);
    const { deployment = unmet, clockAheadMs } = known();
    if (!signer || pair !== keys()) {
      pair = keys();
      signer = signerOf(pair);
    }
    const call = { method: init.method, path, query: search.slice(1), body: init.body ?? '' };
    const headers = signer.sign(call, { deployment, createdS: Math.floor((now() + clockAheadMs) / 1000), nonce: newNonce() });
    return fetching(url, { ...init, headers: { ...init.headers, ...headers } });
  };
  return async (url, init) => {
    const answer = await signed(url, init);
    const learned = answer.status === 401 ? learnedFrom(answer.headers, known(), now()) : undefined;
    if (!learned) return answer;
    learn(learned);
    // The refusal's body is read to its end, or its connection would stay taken.
    await textWithin(answer, answerBytesMax);
    return signed(url, init);
  };
}

/** The values of a refusal that were not known; undefined when there are none. */
function learnedFrom(headers: Headers, known: SigningFor, nowMs: number): SigningFor | undefined {
  const named = headers.get(signingHeaders.deployment) ?? '';
  const deployment = known.deployment ?? (deploymentForm.test(named) ? named : undefined);
  const time = headers.get(signingHeaders.time);
  const clockAheadMs = time !== null && /^\d{1,15}$/.test(time) ? Number(time) - nowMs : known.clockAheadMs;
  return deployment === known.deployment && clockAheadMs === known.clockAheadMs ? undefined : { deployment, clockAheadMs };
}
