import type { MeroStatus } from '../../../../lib/api/admin-mero-routes.ts';
import { contract } from '../../../../lib/api/contract.ts';
import type { MeroNodeView, MeroProcessView } from '../../../../lib/api/mero-views.ts';
import type { Cli } from '../../../cli.ts';
import { Failure } from '../../../exit-codes.ts';
import { progressOn } from '../waiting.ts';

type Zone = MeroStatus['zone'];
/** Whether what was waited for has come, and how it ended; undefined while it has not. */
type Ends<T> = (now: T) => string | undefined;

/** How often it is looked at. */
const lookMs = 1_000;

/** Looks again and again until it has ended in one way or another, or the time is over: then undefined. `told` is said of each look. */
async function untilIt<T>(
  cli: Cli,
  look: () => Promise<T>,
  { timeoutMs, ends, told }: { timeoutMs: number; ends: Ends<T>; told: (now: T) => string },
) {
  const until = cli.terminal.now() + timeoutMs;
  const progress = progressOn(cli);
  try {
    for (;;) {
      const now = await look();
      const ended = ends(now);
      if (ended !== undefined || cli.terminal.now() >= until) return ended;
      progress.say(told(now));
      await cli.terminal.sleep(lookMs);
    }
  } finally {
    progress.end();
  }
}

/** What answers nothing any more is gone: undefined. Throws any other {@link Failure} on. */
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
    ...{ timeoutMs, ends },
    told: (now) => `${fid} is ${now?.state ?? 'gone'}`,
  });

/** Waits for a host of a storage cluster; undefined stands for one that is gone. */
export const untilNode = (
  cli: Cli,
  { zone, node, timeoutMs }: { readonly zone: Zone; readonly node: string; readonly timeoutMs: number },
  ends: Ends<MeroNodeView | undefined>,
): Promise<string | undefined> =>
  untilIt(cli, () => ifThere(cli.call(contract.getMeroNode, { params: { zone, node } }), 'unknown-node'), {
    ...{ timeoutMs, ends },
    told: (now) => `${node}: ${(now?.processes ?? []).map(({ fid, state }) => `${fid} ${state}`).join(', ') || 'no process is left'}`,
  });
