import { createLocalJWKSet, type JSONWebKeySet, type LocalJWKSet } from 'jose';
import * as z from 'zod';
import { Later } from '../../core/errors.ts';
import { type Readable, textWithin } from '../../core/limited-text.ts';
import { type EpochMs, minuteMs, secondMs } from '../../core/time.ts';
import { isTrusted } from './settings.ts';

/** How long keys are used before they are read again, so that a withdrawn key ends within minutes. */
const keepMs = 10 * minuteMs;
/** How soon an unknown key may cause another read: soon after a rotation, and not for every forged token. */
const unknownAgainMs = 30 * secondMs;
/** How soon an issuer that did not answer is read again: not once for every call that waits for it. */
const failedAgainMs = 2 * secondMs;
/** How long one answer may take; two are read one after the other, and both fit into a call's time limit. */
const answerWithinMs = 4 * secondMs;
/** Issuers publish a handful of keys of half a kilobyte; a hundred times that is not a list of keys. */
const documentBytesMax = 256 * 1024;

/** The function that reads an issuer's documents: `fetch`, as far as it is used. */
export type Reading = (
  url: string,
  init: { readonly headers: Readonly<Record<string, string>>; readonly redirect: 'error'; readonly signal: AbortSignal },
) => Promise<Pick<Response, 'status'> & Readable>;

/** The issuer that publishes keys, and the clock by which they age. */
export type PublishedKeysOptions = { readonly issuer: string; readonly now: () => EpochMs; readonly reading?: Reading };

/**
 * The keys of an issuer, found by its discovery document and cached. `current` gives the cached keys; `newer` is for a
 * token whose key is not among them, and reads again at most every 30 s. Once read, keys stay in use while the issuer
 * does not answer. Both throw {@link Later} when there are none yet and the issuer does not answer, or with something
 * else.
 */
export function publishedKeys(options: PublishedKeysOptions): {
  readonly current: () => Promise<LocalJWKSet>;
  readonly newer: () => Promise<LocalJWKSet>;
} {
  const { now } = options;
  let good: LocalJWKSet | undefined;
  let latest: { readonly at: EpochMs; readonly keys: Promise<LocalJWKSet>; failed: boolean } | undefined;
  const readAgain = () => {
    const attempt = { at: now(), keys: readKeys(options), failed: false };
    attempt.keys.then(
      (keys) => {
        good = keys;
      },
      () => {
        attempt.failed = true;
      },
    );
    return attempt;
  };
  const within = (ageMs: number): Promise<LocalJWKSet> => {
    if (!latest || now() - latest.at >= (latest.failed ? failedAgainMs : ageMs)) latest = readAgain();
    return latest.keys.catch((error: unknown) => {
      if (good && error instanceof Later) return good;
      throw error;
    });
  };
  return { current: () => within(keepMs), newer: () => within(unknownAgainMs) };
}

const Discovered = z.looseObject({ issuer: z.string(), jwks_uri: z.string() });
const KeyList = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) });

async function readKeys({ issuer, reading = fetch }: PublishedKeysOptions): Promise<LocalJWKSet> {
  const found = await read(Discovered, `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, reading);
  if (found.issuer !== issuer)
    throw new Later('issuer.odd', `the issuer at ${issuer} calls itself ${found.issuer}: use exactly that text in the setting`);
  const address = URL.parse(found.jwks_uri);
  if (!address || !isTrusted(address))
    throw new Later('issuer.odd', `the issuer ${issuer} publishes its keys without https, where anybody could change them`);
  const { keys } = await read(KeyList, found.jwks_uri, reading);
  return createLocalJWKSet({ keys: keys.filter(canBeTrusted) } as JSONWebKeySet);
}

/** Base64url characters of the 2048 bits that an RSA modulus has at least (RFC 7518, 3.3). */
const modulusCharactersMin = 342;

/** A secret key, published by mistake, or a short RSA key would let anybody sign. */
const canBeTrusted = ({ kty, n }: { kty: string; n?: unknown }): boolean =>
  kty === 'EC' || kty === 'OKP' || (kty === 'RSA' && typeof n === 'string' && n.length >= modulusCharactersMin);

async function read<T extends z.ZodType>(schema: T, url: string, reading: Reading): Promise<z.output<T>> {
  const text = await answered(url, reading).catch((error: unknown) => {
    throw new Later('issuer.away', `${url} cannot be read: ${reasonOf(error)}`, { cause: error });
  });
  const read = schema.safeParse(parsed(text));
  if (!read.success) throw new Later('issuer.odd', `${url} does not contain the document of an issuer`);
  return read.data;
}

async function answered(url: string, reading: Reading): Promise<string> {
  const signal = AbortSignal.timeout(answerWithinMs);
  const response = await reading(url, { headers: { accept: 'application/json' }, redirect: 'error', signal });
  const text = await textWithin(response, documentBytesMax);
  if (response.status !== 200) throw new Error(`the answer has status ${response.status}`);
  return text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Why an issuer cannot be read: the code of the network's error where there is one. */
export const reasonOf = (error: unknown): string => {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${(cause as NodeJS.ErrnoException).code ?? cause.message}` : message;
};
