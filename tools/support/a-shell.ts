import { createHash } from 'node:crypto';
import { Conflict } from '../../lib/core/errors.ts';
import { type EpochMs, plusMs } from '../../lib/core/time.ts';
import { type MemoryBus, memoryBus } from '../../lib/ports/bus/memory.ts';
import { inPlaceChecks } from '../../lib/ports/checks/in-place.ts';
import { fixedKeys, fixedSealKeys } from '../../lib/ports/keys/fixed.ts';
import { memoryObjects } from '../../lib/ports/objects/memory.ts';
import { memoryQueue } from '../../lib/ports/queue/memory.ts';
import type { WatchedQueue } from '../../lib/ports/queue/watched.ts';
import { type MemoryTable, memoryTable } from '../../lib/ports/table/memory.ts';
import type { Row, Table } from '../../lib/ports/table/table.ts';
import type { LogCode, LogFields } from '../../lib/runtime/log.ts';
import type { Shell, ShellSettings } from '../../lib/runtime/shell.ts';
import { noon } from './a-row.ts';
import { type Targets, targets } from './a-target.ts';
import { everyoneIsAdmitted } from './everyone.ts';
import { operatorHash } from './operator.ts';

/** A line that was logged. */
export type Logged = { readonly level: string; readonly code: LogCode; readonly fields: LogFields };

/**
 * A shell in memory whose time is stepped, whose randomness is always a half, whose ids count up, and whose secrets are
 * the same every time.
 */
export type TestShell = Shell & {
  readonly table: MemoryTable;
  readonly queue: WatchedQueue;
  readonly bus: MemoryBus;
  readonly outbound: Targets;
  readonly step: (ms: number) => void;
  readonly logged: Logged[];
  /** The length of each sleep; sleeping takes no time. */
  readonly slept: number[];
};

/**
 * A new shell at noon. `settings` are those that the test is about; `stored` is the initial content of its table, by
 * default the rule that every host is admitted.
 */
export function aShell(settings: Partial<ShellSettings> = {}, stored: ReadonlyMap<string, Row> = everyoneIsAdmitted): TestShell {
  let at = noon;
  let ids = 0;
  let secrets = 0;
  const logged: Logged[] = [];
  const slept: number[] = [];
  const now = (): EpochMs => at;
  return {
    table: memoryTable(stored),
    queue: memoryQueue(now),
    objects: memoryObjects(now),
    bus: memoryBus(),
    outbound: targets(),
    checks: inPlaceChecks(),
    keys: fixedKeys({ id: 1, secret: new Uint8Array(32).fill(7) }),
    auditKeys: fixedSealKeys(new Uint8Array(32).fill(9)),
    now,
    newId: () => {
      ids += 1;
      return `id-${ids}`;
    },
    randomBytes: (bytes) => {
      secrets += 1;
      return createHash('shake256', { outputLength: bytes }).update(`secret ${secrets}`).digest();
    },
    random: () => 0.5,
    sleep: async (ms) => void slept.push(ms),
    log: (level, code, fields) => void logged.push({ level, code, fields }),
    settings: {
      deployment: 'test',
      beatMinMs: 10_000,
      admitEveryMs: 0,
      zoneMaxAgeMs: 5_000,
      countEveryMs: 600_000,
      sweepPeriodMs: 5_000,
      receivesMax: 3,
      ...settings,
    },
    operatorHash,
    caches: new Map(),
    step: (ms) => {
      at = plusMs(at, ms);
    },
    logged,
    slept,
  };
}

/** The same shell with another way to commit. */
export const committing = <S extends Shell>(
  shell: S,
  commit: (stored: Table['commit'], changes: Parameters<Table['commit']>[0]) => Promise<void>,
): S => ({
  ...shell,
  table: { ...shell.table, commit: (changes) => commit(shell.table.commit, changes) },
});

/** The same shell, in which another party acts before each of the first `times` commits. */
export function outrun<S extends Shell>(shell: S, somebody: () => Promise<unknown>, times = 1): S {
  let left = times;
  return committing(shell, async (stored, changes) => {
    left -= 1;
    if (left >= 0) await somebody();
    await stored(changes);
  });
}

/**
 * The same shell, whose first commit is stored and then answered with a conflict, as when the answer is lost and the
 * client sends again.
 */
export function losingAnswers<S extends Shell>(shell: S, times = 1, to: Error = new Conflict('a row', 'it has moved since')): S {
  let left = times;
  return committing(shell, async (stored, changes) => {
    await stored(changes);
    left -= 1;
    if (left >= 0) throw to;
  });
}
