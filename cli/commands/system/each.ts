import type { contract } from '../../../lib/api/contract.ts';
import type { ReplyOf } from '../../../lib/api/route.ts';
import type { Fingerprint } from '../../../lib/ids.ts';
import type { Cli } from '../../cli.ts';
import { refuseUndone } from '../../exit-codes.ts';
import { paintOf } from '../../output/paint.ts';

/** The most client systems the API takes in one call. */
const callMax = 200;

type Results = ReplyOf<typeof contract.accept>['results'];

/**
 * Has `order` carried out on any number of client systems, 200 a call, and shows what became of each. Throws a Failure when
 * any was left undone, so that the exit code tells the truth.
 */
export async function onEach(
  cli: Cli,
  systems: readonly Fingerprint[],
  done: string,
  order: (some: Fingerprint[], earlier: number) => Promise<{ body: { results: Results } }>,
): Promise<void> {
  const results: Results = [];
  for (let at = 0; at < systems.length; at += callMax) {
    const { body } = await order(systems.slice(at, at + callMax), at);
    results.push(...body.results);
  }
  cli.show({ results }, () => shown(cli, results, done));
  refuseUndone(results, done);
  cli.say(`${results.length} ${done}`);
}

const shown = (cli: Cli, results: Results, done: string): string =>
  cli.table(results, [
    { title: 'FINGERPRINT', of: ({ fp }) => fp.slice(0, 16) },
    { title: 'RESULT', of: (result) => (result.done ? done : `not ${done}`), paint: (result) => paintOf(result.done ? 'done' : 'refused') },
    { title: 'BECAUSE', of: ({ because }) => because },
  ]);
