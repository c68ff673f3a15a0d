import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SweepRow } from '../../lib/deployment/rows/sweep.ts';
import type { IssuerSettings } from '../../lib/ports/issuer/settings.ts';
import type { WatchedQueue } from '../../lib/ports/queue/watched.ts';
import { keyOf } from '../../lib/ports/table/keys.ts';
import type { Rates } from '../../lib/runtime/rates.ts';
import type { Shell } from '../../lib/runtime/shell.ts';
import { type Host, startHost } from '../../programs/local/host.ts';
import type { Listening } from '../../programs/local/listening.ts';
import { admitEveryoneIn } from './everyone.ts';
import { knowOperator } from './operator.ts';
import { storedIn } from './state.ts';

/** An embedded host of a test, with its folder and its queues. */
export type TestHost = Host & {
  readonly home: string;
  readonly queue: WatchedQueue;
  /**
   * Resolves when nothing that was asked for is still under way: queues empty, events out, rows as they were before a
   * whole sweep.
   */
  readonly settled: () => Promise<void>;
};

/**
 * An embedded host in this process on a free port, in a folder of its own that `stop` removes; a folder that is given
 * stays.
 */
export async function aHost({
  beatMinMs = 1_000,
  admitEveryMs = 0,
  sweepPeriodMs = 50,
  home: given,
  admits = 'everyone',
  issuer,
  ...more
}: {
  beatMinMs?: number;
  /** How often nodes admit; any number at once, where a test is not about that. */
  admitEveryMs?: number;
  sweepPeriodMs?: number;
  home?: string;
  /** Where it listens, where it is to be found there again; else on a free port. */
  port?: number;
  /** Which hosts are nodes as soon as they ask. */
  admits?: 'everyone' | 'nobody';
  /** Who says who administrators are, besides the operator. */
  issuer?: IssuerSettings;
  /** Where it listens, when not on loopback alone, and how often its callers may call, when there is a limit. */
  listening?: Listening;
  rates?: Rates;
  /** Whether events may be delivered to this machine. */
  webhooksToLoopback?: boolean;
} = {}): Promise<TestHost> {
  const home = given ?? mkdtempSync(join(tmpdir(), 'muster-'));
  const host = await startHost({
    port: 0,
    home,
    deployment: 'local',
    beatMinMs,
    admitEveryMs,
    logLevel: 'error',
    sweepPeriodMs,
    issuer,
    ...more,
  });
  const queue = host.shell.queue as WatchedQueue;
  if (admits === 'everyone') await admitEveryoneIn(host.shell.table, host.shell.now());
  knowOperator(host.url, () => host.operator);
  return {
    ...host,
    home,
    queue,
    settled: () => settled(home, queue, sweptAt(host.shell)),
    stop: async () => {
      await host.stop();
      if (given === undefined) rmSync(home, { recursive: true });
    },
  };
}

/** When a host's sweep last began, in ms; 0 before its first. */
const sweptAt = (shell: Shell) => async (): Promise<number> =>
  ((await shell.table.read(keyOf({ noun: 'sweep', id: 'sweep' })))?.body as SweepRow | undefined)?.sweptAt ?? 0;

/**
 * A whole sweep lies between two that began after the rows were looked at: a busy machine sweeps later than a look
 * comes again.
 */
async function settled(home: string, queue: WatchedQueue, swept: () => Promise<number>): Promise<void> {
  let before = '';
  let begun: number[] = [];
  await eventually('the host has nothing to do', async () => {
    const depths = await Promise.all((['heartbeats', 'reports'] as const).map((name) => queue.depth(name)));
    const now = JSON.stringify(storedIn(home));
    if (depths.some(({ messages }) => messages > 0) || now !== before) {
      before = now;
      begun = [];
    }
    begun = [...new Set([...begun, await swept()])];
    return begun.length > 2;
  });
}

/** Asks again until `ask` gives something, a few times a second; throws what was awaited when `withinMs` has passed. */
export async function eventually<T>(what: string, ask: () => Promise<T | undefined | false>, withinMs = 15_000): Promise<T> {
  const until = Date.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > until) throw new Error(`awaited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
