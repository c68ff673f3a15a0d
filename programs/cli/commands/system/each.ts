import type { ReplyOf } from '../../../../lib/api/route.ts';
import { perCallMax } from '../../../../lib/clients/selection-routes.ts';
import type { contract } from '../../../../lib/contract.ts';
import type { Fingerprint } from '../../../../lib/core/ids.ts';
import type { Cli } from '../../cli.ts';
import { refuseUndone } from '../../exit-codes.ts';
import { paintOf } from '../../output/paint.ts';
import { Interrupted } from '../../terminal.ts';

const fullAdvice = 'See how full the zone is: zone show. Add a node, or raise the capacity of one: node set NODE --capacity N';

const duplicateAdvice =
  'See which keys are held, and for which others: onboarding list. Give a clone a machine id and a name of its own. Put a reinstalled machine in the place of its old key: system replace OLD NEW';

/** The results of orders on client systems. */
export type Results = ReplyOf<typeof contract.accept>['results'];

/**
 * Carries out `order` on any number of client systems, 200 a call, and shows and returns the result for each; programs
 * are also shown what `also` gives. Throws a Failure if any was left undone, so that the exit code tells the truth. A
 * Ctrl-C ends it after the call that is under way, and prints how far it came.
 */
export async function onEach(
  cli: Cli,
  systems: readonly Fingerprint[],
  done: string,
  order: (some: Fingerprint[], earlier: number) => Promise<{ body: { results: Results } }>,
  also?: () => object,
): Promise<Results> {
  const results: Results = [];
  await untilInterrupted(cli, async (isStopped) => {
    for (let at = 0; at < systems.length && !isStopped(); at += perCallMax) {
      const { body } = await order(systems.slice(at, at + perCallMax), at);
      results.push(...body.results);
    }
  });
  showEnd(cli, results, { done, total: systems.length, also });
  return results;
}

/** Runs something that ends early, after its present step, at the first Ctrl-C. */
export async function untilInterrupted(cli: Cli, run: (isStopped: () => boolean) => Promise<void>): Promise<void> {
  let isStopped = false;
  const released = cli.terminal.onInterrupt(() => {
    isStopped = true;
  });
  try {
    await run(() => isStopped);
  } finally {
    released();
  }
}

type End = { readonly done: string; readonly total: number; readonly also?: (() => object) | undefined };

/**
 * Shows the result for each client system of `total`, and to programs what else there is. Throws Interrupted if there
 * are fewer results, and a Failure if any was left undone.
 */
export function showEnd(cli: Cli, results: Results, { done, total, also }: End): void {
  cli.show({ ...also?.(), results }, () => resultsText(cli, results, done));
  if (results.length < total) {
    cli.say(`stopped: ${results.filter((one) => one.done).length} of ${total} ${done}; the others are unchanged`);
    throw new Interrupted('Ctrl-C');
  }
  refuseUndone(results, done, adviceOn(results));
  cli.say(`${results.length} ${done}`);
}

const adviceOn = (results: Results): string | undefined =>
  results.some(({ full }) => full) ? fullAdvice : results.some(({ duplicate, done }) => duplicate && !done) ? duplicateAdvice : undefined;

/** The client systems of one call: those that are named, or a page of those that match. */
type Some = { readonly systems?: Fingerprint[]; readonly cursor?: string };

/**
 * Carries out `order` on client systems, 200 a call, or page by page on those that the order itself chooses. Shows the
 * result for each; if a call fails, for those before it. Throws a Failure if any was left undone.
 */
export async function onPages(
  cli: Cli,
  systems: readonly Fingerprint[] | undefined,
  done: string,
  order: (some: Some) => Promise<{ body: { results: Results; next?: string | undefined } }>,
): Promise<void> {
  const results: Results = [];
  try {
    for await (const some of systems ? named(systems, order) : chosen(order)) results.push(...some);
  } catch (error) {
    if (results.length > 0) cli.show({ results }, () => resultsText(cli, results, done));
    throw error;
  }
  cli.show({ results }, () => resultsText(cli, results, done));
  refuseUndone(results, done);
  cli.say(results.length === 0 ? 'no client system matches' : `${results.length} ${done}`);
}

type Order = Parameters<typeof onPages>[3];

async function* named(systems: readonly Fingerprint[], order: Order): AsyncGenerator<Results> {
  for (let at = 0; at < systems.length; at += perCallMax) yield (await order({ systems: systems.slice(at, at + perCallMax) })).body.results;
}

async function* chosen(order: Order): AsyncGenerator<Results> {
  let cursor: string | undefined;
  do {
    const { body } = await order(cursor === undefined ? {} : { cursor });
    yield body.results;
    cursor = body.next;
  } while (cursor !== undefined);
}

/** The results as a table. */
export const resultsText = (cli: Cli, results: Results, done: string): string =>
  cli.table(results, [
    { title: 'FINGERPRINT', of: ({ fp }) => fp.slice(0, 16) },
    { title: 'RESULT', of: (result) => (result.done ? done : `not ${done}`), paint: (result) => paintOf(result.done ? 'done' : 'refused') },
    { title: 'BECAUSE', of: ({ because }) => because },
  ]);
