import { createHash, timingSafeEqual } from 'node:crypto';

/** What a secret that we hand out is for: node join token, onboarding token, API key, sign-in link, session. */
export type SecretPrefix = 'mjt' | 'mot' | 'mak' | 'msl' | 'mst';

/** A secret in two parts: `id` is public and names its row, `secret` is 256 bits in base64url and is never kept. */
export type SecretParts = { readonly id: string; readonly secret: string };

/** A new secret: `text` is shown once to whom it is for, `hash` is what is kept. */
export type MintedSecret = SecretParts & { readonly text: string; readonly hash: string };

/** Why a text is none of our secrets: it has not their form, or it was mistyped or cut short on its way. */
export type SecretFault = 'no-secret' | 'mistyped';

/** Crockford's 32 letters and digits: none is taken for another. */
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
 * The parts of a secret's text, or what is wrong with it. `mistyped` is a text of the right form whose check digits say
 * otherwise: whoever sent it has an honest secret and lost a letter. Says nothing about whether we made it.
 */
export function parseSecret(text: string, prefix: SecretPrefix): SecretParts | SecretFault {
  const [, given, id, secret] = form.exec(text) ?? [];
  if (given !== prefix || id === undefined || secret === undefined) return 'no-secret';
  return text === textOf(prefix, { id, secret }) ? { id, secret } : 'mistyped';
}

/** What is kept of a secret: SHA-256 in hex. It has 256 bits, so there is nothing for a slow hash to protect. */
export const secretHash = (secret: string): string => createHash('sha256').update(secret, 'utf8').digest('hex');

/** Whether this is the secret whose hash was kept, in a time that says nothing about either. */
export const isSecret = (secret: string, hash: string): boolean => {
  const [given, kept] = [Buffer.from(secretHash(secret), 'hex'), Buffer.from(hash, 'hex')];
  return kept.length === given.length && timingSafeEqual(given, kept);
};

function textOf(prefix: SecretPrefix, { id, secret }: SecretParts): string {
  const body = `${prefix}_${id}_${secret}`;
  return `${body}_${createHash('sha256').update(body, 'utf8').digest('hex').slice(0, 6)}`;
}
