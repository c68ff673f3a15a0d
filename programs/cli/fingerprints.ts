import { InvalidArgumentError } from 'commander';
import type { SystemView } from '../../lib/clients/admin-routes.ts';
import { contract } from '../../lib/contract.ts';
import { Fingerprint } from '../../lib/core/ids.ts';
import type { Cli } from './cli.ts';
import { exitCodes, Failure } from './exit-codes.ts';
import { collect } from './pages.ts';

/** Two of a few thousand keys could share fewer digits than this by chance. */
const prefixMin = 8;

/** The help on fingerprints. */
export const fingerprintHelp = `fingerprints, with or without colons, or names; the first ${prefixMin} or more hex digits are enough where they are unique`;

/**
 * The names that machines and minions have: no space, and no sign that a query has a use for. One of digits alone is
 * rather a fingerprint that was cut.
 */
const isName = (text: string): boolean => /^[\w][\w.-]*$/.test(text) && !/^[0-9]+$/.test(text);

/**
 * A fingerprint or the beginning of one, in lower case without colons, or the name of a client system; of several,
 * added to those before.
 */
export function fingerprint(text: string, before: readonly string[] = []): string[] {
  const digits = text.replaceAll(':', '').toLowerCase();
  if (isHex(digits) && digits.length >= prefixMin && digits.length <= 64) return [...before, digits];
  if (isName(text) && !(isHex(digits) && digits.length > 64)) return [...before, text.toLowerCase()];
  if (isHex(digits) && digits.length < prefixMin) throw new InvalidArgumentError(`Give at least ${prefixMin} hex digits of a fingerprint.`);
  throw new InvalidArgumentError('A fingerprint has 64 hex digits, with or without colons.');
}

const isHex = (text: string): boolean => /^[0-9a-f]+$/.test(text);

/**
 * Whole fingerprints for those given: the beginning of one is completed from the keys that the deployment knows, and a
 * name is looked up. Throws a {@link Failure} where none begins or is called so, or several are.
 */
export async function wholeFingerprints(cli: Cli, given: readonly string[]): Promise<Fingerprint[]> {
  const whole: Fingerprint[] = [];
  for (const text of given) whole.push(isHex(text) && text.length === 64 ? Fingerprint.parse(text) : await completed(cli, text));
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

/** The names that are listed when several client systems have the one that was given. */
const candidatesMax = 10;

async function completed(cli: Cli, text: string): Promise<Fingerprint> {
  const isPrefix = isHex(text) && text.length >= prefixMin;
  const items = isPrefix ? await beginning(cli, text) : await called(cli, text);
  const [only] = items;
  if (only && items.length === 1) return Fingerprint.parse(only.fp);
  if (isPrefix) {
    const found = items.length === 0 ? 'no key that Muster knows begins' : 'several keys begin';
    throw new Failure(exitCodes.failed, `${found} with ${text}`, 'Give the whole fingerprint');
  }
  if (items.length === 0) throw new Failure(exitCodes.failed, `no client system is called ${text}`, 'Look for it with system find');
  const several = items.map(({ fp, fqdn, status }) => `${fqdn} (${fp.slice(0, 16)}, ${status})`).join(', ');
  throw new Failure(exitCodes.failed, `several client systems are called ${text}: ${several}`, 'Give the fingerprint of one');
}

// Two are enough to know that it is not only one.
const beginning = async (cli: Cli, prefix: string): Promise<SystemView[]> =>
  (await collect(2, async (at) => (await cli.call(contract.listSystems, { query: { prefix, ...at } })).body)).items;

/** The client systems with this name: the whole of it, or its first label. */
async function called(cli: Cli, text: string): Promise<readonly SystemView[]> {
  return (await cli.call(contract.findSystems, { query: { q: `name:"${text}"`, limit: candidatesMax } })).body.items;
}
