import { InvalidArgumentError } from 'commander';
import { contract } from '../../lib/contract.ts';
import { Fingerprint } from '../../lib/core/ids.ts';
import type { Cli } from './cli.ts';
import { exitCodes, Failure } from './exit-codes.ts';
import { collect } from './pages.ts';

/** Two of a few thousand keys could share fewer digits than this by chance. */
const prefixMin = 8;

/** The help on fingerprints. */
export const fingerprintHelp = `fingerprints, with or without colons; the first ${prefixMin} or more hex digits are enough where they are unique`;

/** A fingerprint or the beginning of one, in lower case without colons; of several, added to those before. */
export function fingerprint(text: string, before: readonly string[] = []): string[] {
  const digits = text.replaceAll(':', '').toLowerCase();
  if (!/^[0-9a-f]*$/.test(digits) || digits.length > 64)
    throw new InvalidArgumentError('A fingerprint has 64 hex digits, with or without colons.');
  if (digits.length < prefixMin) throw new InvalidArgumentError(`Give at least ${prefixMin} hex digits of a fingerprint.`);
  return [...before, digits];
}

/**
 * Whole fingerprints for those given: the beginning of one is completed from the keys that the deployment knows.
 * Throws a {@link Failure} where none begins so, or several.
 */
export async function wholeFingerprints(cli: Cli, given: readonly string[]): Promise<Fingerprint[]> {
  const whole: Fingerprint[] = [];
  for (const digits of given) whole.push(digits.length === 64 ? Fingerprint.parse(digits) : await completed(cli, digits));
  return [...new Set(whole)];
}

/** The fingerprint of every key in the onboarding pool. */
export async function pooledFingerprints(cli: Cli): Promise<Fingerprint[]> {
  const { items } = await collect(
    Number.POSITIVE_INFINITY,
    async (at) => (await cli.call(contract.listSystems, { query: { status: 'new', ...at } })).body,
  );
  return items.map(({ fp }) => Fingerprint.parse(fp));
}

async function completed(cli: Cli, prefix: string): Promise<Fingerprint> {
  // Two are enough to know that it is not only one.
  const { items } = await collect(2, async (at) => (await cli.call(contract.listSystems, { query: { prefix, ...at } })).body);
  if (items.length === 1) return Fingerprint.parse(items[0]!.fp);
  const found = items.length === 0 ? 'no key that Muster knows begins' : 'several keys begin';
  throw new Failure(exitCodes.failed, `${found} with ${prefix}`, 'Give the whole fingerprint');
}
