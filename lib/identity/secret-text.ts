import { hash as digest, timingSafeEqual } from 'node:crypto';

/**
 * The purpose of a secret that Muster hands out: node join token, onboarding token, API key, sign-in link, session,
 * ticket to enter a server.
 */
export type SecretPrefix = 'mjt' | 'mot' | 'mak' | 'msl' | 'mst' | 'met';

/** A secret in two parts: `id` is public and names its row, `secret` is 256 bits in base64url and is never stored. */
export type SecretParts = { readonly id: string; readonly secret: string };

/** A new secret: `text` is displayed once to its holder, `hash` is stored. */
export type MintedSecret = SecretParts & { readonly text: string; readonly hash: string };

/** Why a text is not a secret of Muster: it does not have the form, or it was mistyped or cut short on its way. */
export type SecretFault = 'no-secret' | 'mistyped';

/** Crockford's 32 letters and digits: none can be mistaken for another. */
const letters = '0123456789abcdefghjkmnpqrstvwxyz';
const idLength = 12;
const secretBytes = 32;
const form = /^([a-z]{3})_([0-9a-z]{12})_([A-Za-z0-9_-]{43})_([0-9a-f]{6})$/;

/** The public part of a secret's text as rows and answers name it: 12 lower-case letters and digits. */
export const secretIdForm = /^[0-9a-z]{12}$/;

/** Makes a secret for a purpose, as text `<prefix>_<id>_<secret>_<check>`; `random` gives so many unguessable bytes. */
export function mintSecret(prefix: SecretPrefix, random: (bytes: number) => Uint8Array): MintedSecret {
  const id = Array.from(random(idLength), (byte) => letters[byte % letters.length]).join('');
  const secret = Buffer.from(random(secretBytes)).toString('base64url');
  return { id, secret, text: textOf(prefix, { id, secret }), hash: secretHash(secret) };
}

/**
 * The parts of a secret's text, or its fault. `mistyped` is a text of the right form with wrong check digits: the
 * sender has a genuine secret and lost a letter. The result does not tell whether Muster made the secret.
 */
export function parseSecret(text: string, prefix: SecretPrefix): SecretParts | SecretFault {
  const [, given, id, secret] = form.exec(text) ?? [];
  if (given !== prefix || id === undefined || secret === undefined) return 'no-secret';
  return text === textOf(prefix, { id, secret }) ? { id, secret } : 'mistyped';
}

/** The stored hash of a secret: SHA-256 in hex. A secret has 256 random bits, so it needs no slow hash. */
export const secretHash = (secret: string): string => digest('sha256', secret, 'hex');

/** Whether this is the secret of the stored hash, in a time that does not depend on either. */
export const isSecret = (secret: string, hash: string): boolean => {
  const [given, stored] = [Buffer.from(secretHash(secret), 'hex'), Buffer.from(hash, 'hex')];
  return stored.length === given.length && timingSafeEqual(given, stored);
};

function textOf(prefix: SecretPrefix, { id, secret }: SecretParts): string {
  const body = `${prefix}_${id}_${secret}`;
  return `${body}_${digest('sha256', body, 'hex').slice(0, 6)}`;
}
