import { type Command, InvalidArgumentError } from 'commander';
import { Unreachable } from '../../../../../lib/api/client.ts';
import type { What } from '../../../../../lib/clients/actions/routes.ts';
import { contract } from '../../../../../lib/contract.ts';
import { secondMs } from '../../../../../lib/core/time.ts';
import type { Cli } from '../../../cli.ts';
import { exitCodes, Failure } from '../../../exit-codes.ts';
import { onChosen, onSystems } from '../by-query.ts';

/** The options of every verb that acts on client systems. */
export type Ordering = { query?: string; key?: string };

function idempotencyKey(text: string): string {
  if (!/^[\x21-\x7e]{1,150}$/.test(text)) throw new InvalidArgumentError('It must have 1 to 150 characters of ASCII, without spaces.');
  return text;
}

/** A verb that acts on client systems: those that are named, or all that match a query. */
export const acting = (noun: Command, name: string, description: string): Command =>
  onSystems(noun.command(name))
    .option(
      '--key <text>',
      'for fingerprints: a command that is repeated with the same key, within a day, orders nothing twice',
      idempotencyKey,
    )
    .description(`${description}. Only client systems of Uyuni servers`);

type Chosen = { readonly given: readonly string[] } & { readonly [name in keyof Ordering]-?: string | undefined };

/**
 * Has Uyuni servers act on client systems, and says under which numbers: those of a query are one action, as are those
 * that are named, up to 200. Each call is repeated while its answer is lost: those that are named go by a key, so that
 * none is acted on twice.
 */
export async function order(cli: Cli, chosen: Chosen, action: What, does: string): Promise<void> {
  if (chosen.key !== undefined && chosen.query !== undefined)
    throw new Failure(exitCodes.usage, '--key is for fingerprints', 'An order by a query that broke off has done nothing: give it again');
  const key = chosen.key ?? cli.terminal.newKey();
  const numbers = new Set<number>();
  let calls = 0;
  let isCollecting = false;
  let collected: number | undefined;
  const also = (): object => ({ actions: [...numbers] });
  try {
    await onChosen(cli, chosen, { done: 'ordered', does, also }, async (some) => {
      const headers = 'systems' in some ? { 'idempotency-key': `${key}.${calls++}` } : {};
      const reply = await repeated(cli, 'systems' in some ? key : undefined, () =>
        cli.call(contract.actOnSystems, { body: { ...some, action }, headers }),
      );
      isCollecting = reply.body.next !== undefined;
      if (isCollecting) collected = reply.body.action;
      else if (reply.body.action !== undefined) numbers.add(reply.body.action);
      return reply;
    });
  } finally {
    if (isCollecting) cli.say(brokenOff(collected));
    for (const number of numbers) cli.say(`action ${number}: see how far it has come with system act show ${number}`);
  }
}

/** The waits before a call whose answer was lost is made again, in milliseconds. */
const repeatsAfterMs = [secondMs, 5 * secondMs];

/**
 * Makes a call again while there is no answer, or the first one is still being answered. Throws what the last one
 * throws, after the person is shown by which key the command can be repeated.
 */
async function repeated<T>(cli: Cli, key: string | undefined, call: () => Promise<T>, waits = repeatsAfterMs): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!mayHaveBeenTaken(error)) throw error;
    const [waitMs, ...later] = waits;
    if (waitMs !== undefined) {
      await cli.terminal.sleep(waitMs);
      return repeated(cli, key, call, later);
    }
    if (key !== undefined) cli.say(`it may have been ordered: repeat the command with --key ${key}, which orders nothing twice`);
    throw error;
  }
}

const mayHaveBeenTaken = (error: unknown): boolean =>
  error instanceof Unreachable || (error instanceof Failure && error.problem === 'in-progress');

/** What to say of an order that broke off; the answer to its last call may have been lost. */
const brokenOff = (action: number | undefined): string =>
  action === undefined
    ? 'nothing is carried out: the order has not come to its end'
    : `action ${action} has not come to its end: see with system act show ${action} whether it was ordered all the same`;
