import type { Command } from 'commander';
import type { What } from '../../../../../lib/clients/actions/routes.ts';
import { contract } from '../../../../../lib/contract.ts';
import type { Cli } from '../../../cli.ts';
import { onChosen, onSystems } from '../by-query.ts';

/** The options of every verb that acts on client systems. */
export type Ordering = { query?: string };

/** A verb that acts on client systems: those that are named, or all that match a query. */
export const acting = (noun: Command, name: string, description: string): Command =>
  onSystems(noun.command(name)).description(`${description}. Only client systems of Uyuni servers`);

/**
 * Has Uyuni servers act on client systems, and says under which numbers: those of a query are one action, as are those
 * that are named, up to 200.
 */
export async function order(
  cli: Cli,
  chosen: { readonly given: readonly string[]; readonly query: string | undefined },
  action: What,
  does: string,
): Promise<void> {
  const numbers = new Set<number>();
  let isCollecting = false;
  let collected: number | undefined;
  const also = (): object => ({ actions: [...numbers] });
  try {
    await onChosen(cli, chosen, { done: 'ordered', does, also }, async (some) => {
      const reply = await cli.call(contract.actOnSystems, { body: { ...some, action } });
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

/** What to say of an order that broke off; the answer to its last call may have been lost. */
const brokenOff = (action: number | undefined): string =>
  action === undefined
    ? 'nothing is carried out: the order has not come to its end'
    : `action ${action} has not come to its end: see with system act show ${action} whether it was ordered all the same`;
