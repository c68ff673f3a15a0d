import type { ReplyOf } from '../../../../lib/api/route.ts';
import type { contract } from '../../../../lib/contract.ts';
import type { Cli } from '../../cli.ts';

/**
 * Shows what an order to a node came to. One that found it done already is a success, so that scripts may repeat it;
 * what the node's state does not allow is a refusal, and never comes here.
 */
export const outcome = (cli: Cli, reply: ReplyOf<typeof contract.leaveNode | typeof contract.dropNode>): void =>
  cli.show(reply, () => `${reply.because}\n`);
