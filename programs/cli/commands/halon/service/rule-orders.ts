import type { Cli } from '../../../cli.ts';
import { exitCodes, Failure } from '../../../exit-codes.ts';
import { ruleOf, ruleSays } from '../../service/rules.ts';
import type { OrderName, Outcome } from './orders.ts';

/**
 * A check or a status of one of Muster's own consumers, which is answered at once. Throws a {@link Failure} for any
 * other order: Muster runs them itself.
 */
export async function orderOnMuster(cli: Cli, type: string, order: OrderName): Promise<Outcome> {
  if (order !== 'check' && order !== 'status')
    throw new Failure(
      exitCodes.usage,
      `${type} belongs to Muster: it runs as long as Muster does, and takes no ${order}`,
      'It takes check and status',
    );
  const rule = await ruleOf(cli, type);
  const { counted, consumes, does } = rule;
  const handled = counted ? `${counted.handled} handled since ${counted.since}, ${counted.failed} failed\n` : '';
  const text = order === 'check' ? ruleSays(rule) : `${consumes}: ${does}\n${handled}${ruleSays(rule)}`;
  return { text, body: rule, code: order === 'check' ? rule.check.exit : exitCodes.done };
}
