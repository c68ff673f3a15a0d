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
 * How many keys one environment keeps ready for verification, at about 1 KB each. The key that was prepared first makes
 * room.
 */
const readyKeysMax = 10_000;

/** One detail for every failed proof: it does not reveal whether a key exists. */
const notOfThisKey = 'the signature was not made by this key over this call';

/**
 * The claim of a call's signature, verified in everything except its key: {@link checkSigned} verifies that once the
 * key is known. Costs no read. Throws a {@link Refusal} with the values that a signer needs: the deployment to sign
 * for, and our clock.
 */
export function claimOf(request: HttpRequest, shell: Shell): SignatureClaim {
  refuseLarge(request.body);
  const now = shell.now();
  const read = readSignature(request, { deployment: shell.settings.deployment, nowS: Math.floor(now / secondMs) });
  if (!read.ok) throw unsigned(shell, read.fault, read.detail);
  return read.claim;
}

/**
 * Refuses a claim unless it names this public key (base64url) and this key made the signature. Throws a
 * {@link Refusal}.
 */
export function checkSigned(shell: Shell, claim: SignatureClaim, publicKey: string): void {
  const { keyId, key } = readyKey(shell, publicKey);
  if (claim.keyId !== keyId || !isSignedBy(claim, key)) throw notSigned(shell);
}

/**
 * Refuses a claim by a key that the body of the call contains. The two faults get separate errors here, because both
 * keys come from the caller alone. Throws a {@link Refusal}.
 */
export function checkSignedByBody(shell: Shell, claim: SignatureClaim, publicKey: string): void {
  if (claim.keyId !== readyKey(shell, publicKey).keyId)
    throw new Refusal('fingerprint-mismatch', 'keyid is not the SHA-256 fingerprint of the public key in the body', {
      errors: [{ pointer: '/publicKey', detail: 'not the key that signed the call' }],
    });
  checkSigned(shell, claim, publicKey);
}

/** The refusal of a signature that another key made. */
export const notSigned = (shell: Shell): Refusal => unsigned(shell, 'signature-invalid', notOfThisKey);

/** A refusal of a signature, with the values that a signer needs to make a better one. */
const unsigned = (shell: Shell, fault: SignatureFault, detail: string): Refusal =>
  new Refusal(fault, detail, {
    headers: {
      [signingHeaders.deployment]: shell.settings.deployment,
      ...(fault === 'clock-skew' && { [signingHeaders.time]: String(shell.now()) }),
    },
  });

type ReadyKey = { readonly keyId: string; readonly key: KeyObject };

/** Preparing a key costs a fifth of a verification. A machine that calls every few seconds pays it once. */
function readyKey(shell: Shell, publicKey: string): ReadyKey {
  const ready = cached(shell, 'ready-keys', () => new Map<string, ReadyKey>());
  const known = ready.get(publicKey);
  if (known) return known;
  const made = { keyId: fingerprintOf(publicKey), key: verifyingKey(publicKey) };
  if (ready.size >= readyKeysMax) ready.delete(ready.keys().next().value!);
  ready.set(publicKey, made);
  return made;
}
