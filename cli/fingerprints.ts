import { InvalidArgumentError } from 'commander';
import { contract } from '../lib/api/contract.ts';
import { Fingerprint } from '../lib/ids.ts';
import type { Cli } from './cli.ts';
import { exitCodes, Failure } from './exit-codes.ts';
import { follow } from './pages.ts';

/** Fewer digits than this could be met by chance among a few thousand keys. */
const prefixMin = 8;

/** What help says about it. */
export const fingerprintHelp = `fingerprints, with or without colons; for keys in the onboarding pool the first ${prefixMin} hex digits or more do`;

/** A fingerprint or the beginning of one, in lower case without colons; of several, added to those before. */
export function fingerprint(text: string, before: readonly string[] = []): string[] {
  const digits = text.replaceAll(':', '').toLowerCase();
  if (!/^[0-9a-f]*$/.test(digits) || digits.length > 64)
    throw new InvalidArgumentError('A fingerprint is 64 hex digits, with or without colons.');
  if (digits.length < prefixMin) throw new InvalidArgumentError(`Of a fingerprint at least ${prefixMin} hex digits are wanted.`);
  return [...before, digits];
}

/**
 * Whole fingerprints for those given: the beginning of one is completed from the onboarding pool.
 * Throws a {@link Failure} where the pool has none that begins so, or several.
 */
export async function wholeFingerprints(cli: Cli, given: readonly string[]): Promise<Fingerprint[]> {
  const pool = given.some((digits) => digits.length < 64) ? await pooledFingerprints(cli) : [];
  return [...new Set(given.map((digits) => completed(digits, pool)))];
}

/** The fingerprint of every key in the onboarding pool. */
export async function pooledFingerprints(cli: Cli): Promise<Fingerprint[]> {
  const { items } = await follow(
    Number.POSITIVE_INFINITY,
    async (at) => (await cli.call(contract.listSystems, { query: { status: 'new', ...at } })).body,
  );
  return items.map(({ fp }) => Fingerprint.parse(fp));
}

function completed(digits: string, pool: readonly Fingerprint[]): Fingerprint {
  if (digits.length === 64) return Fingerprint.parse(digits);
  const matching = pool.filter((fp) => fp.startsWith(digits));
  if (matching.length === 1) return matching[0]!;
  const found = matching.length === 0 ? 'no key in the onboarding pool begins' : `${matching.length} keys in the onboarding pool begin`;
  throw new Failure(exitCodes.failed, `${found} with ${digits}`, 'Give the whole fingerprint');
}
