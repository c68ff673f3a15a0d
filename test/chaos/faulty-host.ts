import { join } from 'node:path';
import type { WatchedQueue } from '../../lib/ports/queue/watched.ts';
import type { Put, RowContent } from '../../lib/ports/table/table.ts';
import { embeddedEnv } from '../../lib/runtime/env.ts';
import type { Shell } from '../../lib/runtime/shell.ts';
import { startHost } from '../../programs/local/host.ts';

/*
 * An embedded host with a fault that the rules must find. Arguments: the fault's name. The rest is as `npm start` has
 * it.
 */

/** A commit that is claimed to be done and is not: one in so many of each kind that its host could never make good. */
const forgotten = /^(accepted into|tags or groups|unregistered:|its daemon confirmed|ready:|leaving:)/;
const oneIn = 3;
/** When a fault begins that would keep anybody from ever being up. */
const soonMs = 5_000;

/** The faults, each as what it does to the host's own shell. */
const faults: Readonly<Record<string, (shell: Shell) => void>> = {
  /**
   * A report is answered before it is written: by so long that a driver on a busy machine has heard the answer, and
   * within a lease.
   */
  early: ({ queue }) => {
    const { send } = queue;
    queue.send = async (...sent) => void setTimeout(() => void send(...sent), 4_000);
  },
  /** A commit is answered and never made. */
  forgets: (shell) =>
    onCommits(
      shell,
      ({ key, because }) => (key.pk.startsWith('history#') ? undefined : forgotten.exec(because)?.[0]),
      () => undefined,
    ),
  /** A row of the history is never written. */
  unwritten: (shell) =>
    onCommits(
      shell,
      ({ key }) => (/^(history|journal)#/.test(key.pk) ? 'history' : undefined),
      () => undefined,
    ),
  /** A commit counts its events and keeps none. */
  unsaid: (shell) => onCommits(shell, emitting, (put) => ({ ...put, events: [] })),
  /** A commit gives its event a number that is the next one's. */
  renumbers: (shell) =>
    onCommits(shell, emitting, (put) => ({ ...put, events: put.events.map((event) => ({ ...event, seq: event.seq + 1 })) })),
  /** Heartbeats are taken and nobody hears them, once nodes have had the time to come up. */
  deaf: (shell) => {
    const queue = shell.queue as WatchedQueue;
    const { receive } = queue;
    setTimeout(() => {
      queue.receive = async (name, ...rest) => (name === 'heartbeats' ? [] : receive(name, ...rest));
    }, soonMs);
  },
  /** Something keeps the process busy for longer than a sweep may be late, over and over. */
  busy: () => {
    const keepBusy = (): void => {
      const until = Date.now() + 4_000;
      while (Date.now() < until);
      setTimeout(keepBusy, 2_000);
    };
    setTimeout(keepBusy, soonMs);
  },
  /** Whoever is refused the folder makes itself another. */
  shares: () => undefined,
};

const emitting = ({ key, events }: RowContent): string | undefined =>
  key.pk.startsWith('client#') && events.length > 0 ? 'event' : undefined;

/**
 * Changes one in so many of the commits of each kind: what `change` gives is stored instead, and nothing when it gives
 * nothing.
 */
function onCommits(
  { table }: Shell,
  kindOf: (put: RowContent) => string | undefined,
  change: (put: RowContent) => RowContent | undefined,
): void {
  const { commit } = table;
  const met = new Map<string, number>();
  table.commit = async (changes) => {
    const first = changes.find((one): one is Put => 'put' in one);
    const kind = first && kindOf(first.put);
    if (!first || kind === undefined) return commit(changes);
    const n = (met.get(kind) ?? 0) + 1;
    met.set(kind, n);
    if (n % oneIn !== 1) return commit(changes);
    const put = change(first.put);
    if (put) await commit(changes.map((one) => (one === first ? { ...first, put } : one)));
  };
}

const fault = process.argv[2]!;
const {
  MUSTER_PORT: port,
  MUSTER_HOME: home,
  MUSTER_BEAT_MIN_MS: beatMinMs,
  MUSTER_ADMIT_EVERY_MS: admitEveryMs,
  MUSTER_LOG: logLevel,
} = embeddedEnv();
const host = await startHost({ port, home, deployment: 'local', beatMinMs, admitEveryMs, logLevel, sweepPeriodMs: 1_000 }).catch(
  (error: unknown) => {
    if (fault === 'shares')
      return startHost({ port, home: join(home, 'own'), deployment: 'local', beatMinMs, admitEveryMs, logLevel, sweepPeriodMs: 1_000 });
    console.error(`muster: ${error instanceof Error ? error.message : String(error)}`);
    return process.exit(75);
  },
);
faults[fault]!(host.shell);
process.once('SIGTERM', () => void host.stop().then(() => process.exit(0)));
console.log(`Muster is at ${host.url}, and not to be trusted`);
