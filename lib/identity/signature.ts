import { createPrivateKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import { fingerprintOf } from './fingerprint.ts';
import type { KeyPair } from './key-pair.ts';

/*
 * HTTP Message Signatures (RFC 9421) in one fixed profile: the caller cannot choose the covered components, their
 * order, the algorithm or the label. Anything else is refused, even if it is a valid signature.
 */

/** A call as its signature sees it: the path as it is sent, the query without its question mark, the body as text. */
export type SignedCall = { readonly method: string; readonly path: string; readonly query: string; readonly body: string };

/** The claims of a signature about itself; moments in seconds. */
export type SignatureClaim = {
  /** The fingerprint of the claimed key. */
  readonly keyId: string;
  readonly created: number;
  readonly expires: number;
  readonly nonce: string;
  /** The signed text, and the 64 bytes of its signature. */
  readonly base: string;
  readonly signature: Buffer;
};

/** Why a call does not count as signed. */
export type SignatureFault =
  | 'signature-missing'
  | 'signature-profile'
  | 'signature-coverage'
  | 'signature-invalid'
  | 'digest-mismatch'
  | 'clock-skew';

/** A claim, or its fault. */
export type ReadSignature =
  | { readonly ok: true; readonly claim: SignatureClaim }
  | { readonly ok: false; readonly fault: SignatureFault; readonly detail: string };

/** By how much the caller's clock may differ from ours, in seconds. */
export const clockSkewMaxS = 300;
/** The longest validity that a signature may claim, in seconds. */
export const signatureLifeMaxS = 60;
/** The validity of a signer's signatures, in seconds. */
const signatureLifeS = 60;

const covered = '("@method" "@path" "@query" "content-digest")';
const inputForm =
  /^muster=(\("@method" "@path" "@query" "content-digest"\);created=(\d{1,11});expires=(\d{1,11});nonce="([A-Za-z0-9_-]{16,64})";keyid="([0-9a-f]{64})";alg="ed25519";tag="muster-([A-Za-z0-9._-]{1,64})")$/;
const signatureForm = /^muster=:([A-Za-z0-9+/]{86}==):$/;
/** Without line breaks, which would let two calls have the same base. Calls on the wire have none. */
const targetForm = /^[!-~]*$/;

/** The digest of a body as the header `content-digest` carries it (RFC 9530); an empty body has one, too. */
export const contentDigestOf = (body: string): string => `sha-256=:${hash('sha256', body, 'base64')}:`;

/** Signs calls with one key for one deployment. */
export type Signer = { readonly keyId: string; readonly sign: (call: SignedCall, at: SigningMoment) => Readonly<Record<string, string>> };
/**
 * The deployment, the time (seconds of the deployment's clock) and the unguessable nonce (16 to 64 letters, digits, `_`
 * or `-`) of a signature.
 */
export type SigningMoment = { readonly deployment: string; readonly createdS: number; readonly nonce: string };

/** A signer for this key pair; it gives the three headers of a signed call. Throws if the private key is invalid. */
export function signerOf({ publicKey, privateKey }: KeyPair): Signer {
  const key = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey, d: privateKey }, format: 'jwk' });
  const keyId = fingerprintOf(publicKey);
  return {
    keyId,
    sign: (call, { deployment, createdS, nonce }) => {
      const digest = contentDigestOf(call.body);
      const params = `${covered};created=${createdS};expires=${createdS + signatureLifeS};nonce="${nonce}";keyid="${keyId}";alg="ed25519";tag="muster-${deployment}"`;
      const signature = sign(null, Buffer.from(baseOf(call, digest, params), 'utf8'), key).toString('base64');
      return { 'content-digest': digest, 'signature-input': `muster=${params}`, signature: `muster=:${signature}:` };
    },
  };
}

/**
 * The claim of the signature on a call, checked in everything but the key: form, coverage, clock, deployment and body.
 * The caller finds the key of `keyId` and calls {@link isSignedBy}. `nowS` is in seconds.
 */
export function readSignature(
  call: SignedCall & { readonly header: (name: string) => string | undefined },
  { deployment, nowS }: { readonly deployment: string; readonly nowS: number },
): ReadSignature {
  const [input, value, digest] = [call.header('signature-input'), call.header('signature'), call.header('content-digest')];
  if (!input || !value) return fault('signature-missing', 'this call must be signed (RFC 9421): signature-input or signature is missing');
  const form = inputForm.exec(input);
  if (!form) return misformed(input);
  const [, params, created, expires, nonce, keyId, tag] = form as unknown as readonly [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  if (!targetForm.test(call.method + call.path + call.query))
    return fault('signature-profile', 'method, path or query has characters other than visible ASCII: percent-encode them');
  const bytes = Buffer.from(signatureForm.exec(value)?.[1] ?? '', 'base64');
  if (bytes.length !== 64 || value !== `muster=:${bytes.toString('base64')}:`)
    return fault('signature-profile', 'the header signature is not one Ed25519 signature under the label muster');
  const claim = { keyId, created: Number(created), expires: Number(expires), nonce };
  if (claim.expires <= claim.created || claim.expires > claim.created + signatureLifeMaxS)
    return fault('signature-profile', `expires must be 1 to ${signatureLifeMaxS} s after created`);
  if (Math.abs(nowS - claim.created) > clockSkewMaxS)
    return fault(
      'clock-skew',
      `created is ${Math.abs(nowS - claim.created)} s off, and at most ${clockSkewMaxS} s are accepted: set the clock of the caller`,
    );
  // Half of a surrogate pair is hashed like U+FFFD, so such a body has the digest of another.
  if (digest !== contentDigestOf(call.body) || !call.body.isWellFormed())
    return fault('digest-mismatch', 'content-digest is not the SHA-256 digest of the body');
  if (tag !== deployment) return fault('signature-invalid', 'the signature was not made by this key over this call');
  return { ok: true, claim: { ...claim, base: baseOf(call, digest, params), signature: bytes } };
}

/** Whether this key made the signature that a claim carries. */
export const isSignedBy = ({ base, signature }: SignatureClaim, key: KeyObject): boolean =>
  verify(null, Buffer.from(base, 'utf8'), key, signature);

/** RFC 9421, 2.5: the lines that are signed. A call without a query has only the question mark. */
const baseOf = ({ method, path, query }: SignedCall, digest: string, params: string): string =>
  `"@method": ${method}\n"@path": ${path}\n"@query": ?${query}\n"content-digest": ${digest}\n"@signature-params": ${params}`;

function misformed(input: string): ReadSignature {
  const components = /^[^=]*=\(([^)]*)\)/.exec(input)?.[1];
  if (components !== undefined && !components.includes('"content-digest"'))
    return fault('signature-coverage', 'the signature does not cover content-digest, so the body could be changed: sign it too');
  return fault(
    'signature-profile',
    `signature-input must have one signature, under the label muster, over ${covered}, with created, expires, nonce, keyid, alg="ed25519" and tag, in this order`,
  );
}

const fault = (kind: SignatureFault, detail: string): ReadSignature => ({ ok: false, fault: kind, detail });
