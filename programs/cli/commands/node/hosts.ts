import { type Command, InvalidArgumentError } from 'commander';
import type { ReplyOf } from '../../../../lib/api/route.ts';
import { contract } from '../../../../lib/contract.ts';
import { Fqdn } from '../../../../lib/core/ids.ts';
import type { Cli } from '../../cli.ts';
import { exitCodes, Failure, refuseUndone } from '../../exit-codes.ts';
import { fingerprint, fingerprintHelp } from '../../fingerprints.ts';
import { paintOf } from '../../output/paint.ts';
import { collect } from '../../pages.ts';

/** The most hosts the API takes in one call. */
const callMax = 100;

/** Adds the argument of verbs that work on hosts in the pool. */
export const onHosts = (command: Command): Command =>
  command.argument('<host...>', `names, or ${fingerprintHelp}`, (text: string, before: readonly string[] = []) => [
    ...before,
    hostOf(text),
  ]);

/** The name of a host, or a fingerprint or the beginning of one, in lower case without colons. */
export function hostOf(text: string): string {
  if (isHex(text)) return fingerprint(text)[0]!;
  const name = Fqdn.safeParse(text).data;
  if (name === undefined)
    throw new InvalidArgumentError('It must be the name of a host, a fingerprint, or the beginning of a fingerprint.');
  return name;
}

/**
 * Whether a text may be the beginning of a fingerprint. A shorter one, such as `db1`, is always the name of a host; a
 * longer one may be either.
 */
const isHex = (text: string): boolean => /^[0-9a-f:]{8,}$/i.test(text);

type Results = ReplyOf<typeof contract.admitHosts>['results'];

/**
 * Carries out an order on hosts, and shows the result for each. If it was carried out on any, it also says `now`: what
 * to expect next. Throws a {@link Failure} if any host was left undone.
 */
export async function onEachHost(
  cli: Cli,
  given: readonly string[],
  { done, now }: { readonly done: string; readonly now?: string },
  order: (hosts: string[]) => Promise<{ body: { results: Results } }>,
): Promise<void> {
  const hosts = await wholeHosts(cli, given);
  const results: Results = [];
  for (let at = 0; at < hosts.length; at += callMax) results.push(...(await order(hosts.slice(at, at + callMax))).body.results);
  cli.show({ results }, () => resultsText(cli, results, done));
  if (now !== undefined && results.some((result) => result.done)) cli.say(now);
  refuseUndone(results, done, 'List the hosts that wait: node pool');
  cli.say(`${results.length} ${done}`);
}

const resultsText = (cli: Cli, results: Results, done: string): string =>
  cli.table(results, [
    { title: 'HOST', of: ({ host }) => (Fqdn.safeParse(host).success ? host : host.slice(0, 16)) },
    { title: 'RESULT', of: (result) => (result.done ? done : `not ${done}`), paint: (result) => paintOf(result.done ? 'done' : 'refused') },
    { title: 'BECAUSE', of: ({ because }) => because },
  ]);

/** Names stay as they are; the beginning of a fingerprint is completed from the pool. */
export async function wholeHosts(cli: Cli, given: readonly string[]): Promise<string[]> {
  const isCut = (text: string) => isHex(text) && text.length < 64;
  if (!given.some(isCut)) return [...new Set(given)];
  const { items } = await collect(Number.POSITIVE_INFINITY, async (at) => (await cli.call(contract.listNodePool, { query: at })).body);
  return [...new Set(given.map((text) => (isCut(text) ? completed(text, items) : text)))];
}

function completed(prefix: string, pool: readonly { fp: string; fqdn: string }[]): string {
  if (pool.some(({ fqdn }) => fqdn === prefix)) return prefix;
  const found = pool.filter(({ fp }) => fp.startsWith(prefix));
  if (found.length === 1) return found[0]!.fp;
  throw new Failure(
    exitCodes.failed,
    `${found.length === 0 ? 'no host in the pool has a key that begins' : 'several keys in the pool begin'} with ${prefix}`,
    'Give the whole fingerprint, or the name',
  );
}
