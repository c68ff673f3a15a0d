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
   * Resolves when nothing is under way any more: queues empty, events published, and rows as they were before a whole
   * sweep.
   */
  readonly settled: () => Promise<void>;
};

/**
 * An embedded host in this process on a free port, in a folder of its own that `stop` removes; a given folder stays.
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
  /** The interval at which nodes admit; without a limit where a test is not about that. */
  admitEveryMs?: number;
  sweepPeriodMs?: number;
  home?: string;
  /** The port to listen on, where it must be the same again; else a free one. */
  port?: number;
  /** The hosts that are nodes as soon as they ask. */
  admits?: 'everyone' | 'nobody';
  /** The issuer that identifies administrators, besides the operator. */
  issuer?: IssuerSettings;
  /** The address to listen on, when not on loopback alone, and the rate limits of callers, when there are any. */
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
 * A whole sweep lies between two that began after the rows were read: a busy machine may sweep later than the next
 * look.
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

/**
 * Asks again a few times a second until `ask` gives something; throws with what it awaited when `withinMs` has passed.
 */
export async function eventually<T>(what: string, ask: () => Promise<T | undefined | false>, withinMs = 15_000): Promise<T> {
  const until = Date.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > until) throw new Error(`awaited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
