import type { contract } from '../../../lib/api/contract.ts';
import type { ReplyOf } from '../../../lib/api/route.ts';
import type { Cli } from '../../cli.ts';
import { exitCodes, Failure } from '../../exit-codes.ts';

/** Shows what an order to a node came to. Throws a {@link Failure} when nothing was done, so that the exit code tells the truth. */
export function outcome(cli: Cli, reply: ReplyOf<typeof contract.leaveNode | typeof contract.dropNode>): void {
  cli.show(reply, () => (reply.done ? `${reply.because}\n` : ''));
  if (!reply.done) throw new Failure(exitCodes.tryAgain, `nothing was done: ${reply.because}`);
}
