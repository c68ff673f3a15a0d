import type { ReplyOf } from '../../../../lib/api/route.ts';
import type { contract } from '../../../../lib/contract.ts';
import type { Cli } from '../../cli.ts';

/**
 * Shows the result of an order to a node. An order that was carried out before is a success, so that scripts may repeat
 * it. An order that the node's state does not allow is refused, and never comes here.
 */
export const outcome = (cli: Cli, reply: ReplyOf<typeof contract.leaveNode | typeof contract.dropNode>): void =>
  cli.show(reply, () => `${reply.because}\n`);
