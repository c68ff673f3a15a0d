import { contract } from '../../../../../lib/contract.ts';
import type { MeroStatus } from '../../../../../lib/mero/clusters/routes.ts';
import type { MeroNodeView, MeroProcessView } from '../../../../../lib/mero/processes/routes.ts';
import type { Cli } from '../../../cli.ts';
import { Failure } from '../../../exit-codes.ts';
import { lookUntil } from '../waiting.ts';

type Zone = MeroStatus['zone'];
/** Whether the end of a wait has come, and which; undefined while it has not. */
type Ends<T> = (now: T) => string | undefined;

/** How a wait ended, if it did before the time was over. A terminal shows a text for each reading. */
const untilIt = async <T>(
  cli: Cli,
  look: () => Promise<T>,
  awaited: { readonly timeoutMs: number; readonly ends: Ends<T>; readonly progressText: (now: T) => string },
): Promise<string | undefined> => (await lookUntil(cli, look, awaited)).ended;

/** The answer of a call; undefined when its thing is gone. Throws any other {@link Failure} on. */
async function ifThere<T>(call: Promise<{ readonly body: T }>, gone: string): Promise<T | undefined> {
  try {
    return (await call).body;
  } catch (error) {
    if (error instanceof Failure && error.problem === gone) return undefined;
    throw error;
  }
}

/** Waits for a process; undefined stands for one that is gone. */
export const untilProcess = (
  cli: Cli,
  { zone, fid, timeoutMs }: { readonly zone: Zone; readonly fid: MeroProcessView['fid']; readonly timeoutMs: number },
  ends: Ends<MeroProcessView | undefined>,
): Promise<string | undefined> =>
  untilIt(cli, () => ifThere(cli.call(contract.getMeroProcess, { params: { zone, fid } }), 'unknown-process'), {
    timeoutMs,
    ends,
    progressText: (now) => `${fid} is ${now?.state ?? 'gone'}`,
  });

/** Waits for a host of a storage cluster; undefined stands for one that is gone. */
export const untilNode = (
  cli: Cli,
  { zone, node, timeoutMs }: { readonly zone: Zone; readonly node: string; readonly timeoutMs: number },
  ends: Ends<MeroNodeView | undefined>,
): Promise<string | undefined> =>
  untilIt(cli, () => ifThere(cli.call(contract.getMeroNode, { params: { zone, node } }), 'unknown-node'), {
    timeoutMs,
    ends,
    progressText: (now) =>
      `${node}: ${(now?.processes ?? []).map(({ fid, state }) => `${fid} ${state}`).join(', ') || 'no process is left'}`,
  });
