import type { KeyObject } from 'node:crypto';
import { refuseLarge } from '../api/json.ts';
import { Refusal } from '../api/problem.ts';
import { signingHeaders } from '../api/signed.ts';
import { verifyingKey } from '../core/public-key.ts';
import { secondMs } from '../core/time.ts';
import { fingerprintOf } from '../identity/fingerprint.ts';
import { isSignedBy, readSignature, type SignatureClaim, type SignatureFault } from '../identity/signature.ts';
import type { HttpRequest } from '../runtime/function.ts';
import { cached, type Shell } from '../runtime/shell.ts';

/**
 * How many keys one environment keeps ready to verify with, at about 1 KB each; the one that was made ready first makes
 * room.
 */
const readyKeysMax = 10_000;

/** One sentence for whoever is not who they say: it tells no key that there is from one that there is not. */
const notOfThisKey = 'the signature is not of this key over this call';

/**
 * What the signature on a call claims, good in everything but whose it is: {@link checkSigned} asks that once the key
 * is known. Costs no read. Throws a {@link Refusal} that tells a signer what it needs: for which deployment to sign,
 * and our clock.
 */
export function claimOf(request: HttpRequest, shell: Shell): SignatureClaim {
  refuseLarge(request.body);
  const now = shell.now();
  const read = readSignature(request, { deployment: shell.settings.deployment, nowS: Math.floor(now / secondMs) });
  if (!read.ok) throw unsigned(shell, read.fault, read.detail);
  return read.claim;
}

/**
 * Refuses a claim unless this public key (base64url) is the one it names and made the signature. Throws a
 * {@link Refusal}.
 */
export function checkSigned(shell: Shell, claim: SignatureClaim, publicKey: string): void {
  const { keyId, key } = readyKey(shell, publicKey);
  if (claim.keyId !== keyId || !isSignedBy(claim, key)) throw notSigned(shell);
}

/**
 * Refuses a claim by a key that its body shows: there the two are told apart, for the caller alone has said both.
 * Throws a {@link Refusal}.
 */
export function checkSignedByBody(shell: Shell, claim: SignatureClaim, publicKey: string): void {
  if (claim.keyId !== readyKey(shell, publicKey).keyId)
    throw new Refusal('fingerprint-mismatch', 'keyid is not the SHA-256 fingerprint of the public key in the body', {
      errors: [{ pointer: '/publicKey', detail: 'another key than the one that signed' }],
    });
  checkSigned(shell, claim, publicKey);
}

/** The refusal of a signature that is not of the key it should be of. */
export const notSigned = (shell: Shell): Refusal => unsigned(shell, 'signature-invalid', notOfThisKey);

/** A refusal of a signature, with what a signer needs to make a better one. */
const unsigned = (shell: Shell, fault: SignatureFault, detail: string): Refusal =>
  new Refusal(fault, detail, {
    headers: {
      [signingHeaders.deployment]: shell.settings.deployment,
      ...(fault === 'clock-skew' && { [signingHeaders.time]: String(shell.now()) }),
    },
  });

type ReadyKey = { readonly keyId: string; readonly key: KeyObject };

/** Making a key ready costs a fifth of a verification; whoever calls every few seconds pays it once. */
function readyKey(shell: Shell, publicKey: string): ReadyKey {
  const ready = cached(shell, 'ready-keys', () => new Map<string, ReadyKey>());
  const known = ready.get(publicKey);
  if (known) return known;
  const made = { keyId: fingerprintOf(publicKey), key: verifyingKey(publicKey) };
  if (ready.size >= readyKeysMax) ready.delete(ready.keys().next().value!);
  ready.set(publicKey, made);
  return made;
}
