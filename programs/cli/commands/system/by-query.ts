import type { Command } from 'commander';
import type { SystemView } from '../../../../lib/clients/admin-routes.ts';
import { type Expect, selectedMax } from '../../../../lib/clients/selection-routes.ts';
import { contract } from '../../../../lib/contract.ts';
import type { Fingerprint } from '../../../../lib/core/ids.ts';
import type { Cli } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';
import { fingerprint, fingerprintHelp, wholeFingerprints } from '../../fingerprints.ts';
import { printable } from '../../output/printable.ts';
import { onEach, type Results, resultsText, showEnd, untilInterrupted } from './each.ts';

/** How a command names its client systems: by fingerprints, or by a query. */
export type Given = { readonly given: readonly string[]; readonly query: string | undefined };

/** The client systems of one call: those that are named, or the next of a query. */
export type Some = { readonly systems: Fingerprint[] } | { readonly query: string; readonly expect: Expect; readonly cursor?: string };

/**
 * `done`: the word for a result that is as it should be; `does`: the order, before "12 client systems"; undefined for
 * one that changes nothing; `also`: what programs are shown beside the results.
 */
type Says = { readonly done: string; readonly does: string | undefined; readonly also?: () => object };
type Order = (some: Some) => Promise<{ body: { results: Results; next?: string | undefined } }>;

/** Adds the option for a query. */
export const byQuery = (command: Command): Command =>
  command.option('--query <query>', 'all that match, as `system find` finds them; asks first, unless --yes');

/** Adds the arguments of verbs that work on client systems. */
export const onSystems = (command: Command): Command => byQuery(command.argument('[fingerprint...]', fingerprintHelp, fingerprint));

/** The client systems that a question names. */
const namedMax = 3;

/**
 * Carries out an order on the client systems of a query, or on those that are named, once `confirm` has been asked for
 * them. Throws a {@link Failure} if neither or both are given, and if any was left undone.
 */
export async function onChosen(
  cli: Cli,
  { given, query }: Given,
  says: Says,
  order: Order,
  confirm: (systems: readonly Fingerprint[]) => Promise<void> = async () => undefined,
): Promise<void> {
  if ((query === undefined) === (given.length === 0))
    throw new Failure(exitCodes.usage, 'the command needs either fingerprints or --query', 'Look for client systems: system find');
  if (query !== undefined) return void (await onQuery(cli, query, says, order));
  const systems = await wholeFingerprints(cli, given);
  await confirm(systems);
  await onEach(cli, systems, says.done, (some) => order({ systems: some }), says.also);
}

/**
 * Carries out an order on the client systems that match a query: shows how many there are, and asks, unless the order
 * changes nothing. Throws a {@link Failure} if others match by the time of a call, after it has shown what was done
 * before.
 */
export async function onQuery(cli: Cli, query: string, { done, does, also }: Says, order: Order): Promise<Results> {
  const { total, expect, items } = (await cli.call(contract.findSystems, { query: { q: query, expect: 'yes', limit: namedMax } })).body;
  const results: Results = [];
  if (total === 0) {
    cli.show({ results }, () => resultsText(cli, results, done));
    cli.say('no client system matches');
    return results;
  }
  if (!expect)
    throw new Failure(exitCodes.failed, `${total} client systems match, and one command is for at most ${selectedMax}`, 'Narrow the query');
  if (does !== undefined) await cli.confirm(question(does, total, items));
  await untilInterrupted(cli, async (isStopped) => {
    let cursor: string | undefined;
    try {
      do {
        const { body } = await order({ query, expect, ...(cursor !== undefined && { cursor }) });
        results.push(...body.results);
        cursor = body.next;
      } while (cursor !== undefined && !isStopped());
    } catch (error) {
      if (results.length > 0) {
        cli.show({ results }, () => resultsText(cli, results, done));
        cli.say(`${results.filter((one) => one.done).length} of ${total} ${done} before this:`);
      }
      throw error;
    }
  });
  showEnd(cli, results, { done, total, also });
  return results;
}

function question(does: string, total: number, items: readonly SystemView[]): string {
  const names = items.map(({ fqdn }) => printable(fqdn)).join(', ');
  const more = total > items.length ? ` and ${total - items.length} more` : '';
  return `${does} ${total === 1 ? '1 client system' : `${total} client systems`}: ${names}${more}?`;
}
