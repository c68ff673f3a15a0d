import type { ProblemType } from '../api/problem.ts';
import type { Route } from '../api/route.ts';
import { sourceOf } from '../core/address.ts';
import { write } from '../core/decision.ts';
import { dayMs, type EpochMs, hourMs, minuteMs, plusMs } from '../core/time.ts';
import { contentOf } from './content.ts';
import { shortened } from './dead-letter.ts';
import type { HttpRequest } from './function.ts';
import { type Actor, cached, type Shell } from './shell.ts';

/** A refused attempt, for auditors. */
export type Attempt = {
  /** The call that was refused. */
  readonly request: Pick<HttpRequest, 'id' | 'source'>;
  readonly route: Pick<Route, 'method' | 'path'>;
  /**
   * The caller, named as in {@link Actor}, and the id of the key or token; when absent, the shell's actor, or `anyone`.
   */
  readonly who?: string;
  readonly key?: string;
  /** The subject, by noun and id: `node n0123456789abcdef`. Never a secret. */
  readonly subject?: string;
  /** The problem that the caller was answered. */
  readonly type: ProblemType;
  /** The true reason, also where the answer hides it. Never a secret. */
  readonly detail: string;
  /**
   * Identifies attempts that count as the same, such as by the key and the reason of the refusal: the audit records
   * them once an hour.
   */
  readonly sameAs?: string;
};

/** The body of an attempt's row. */
export type AttemptRow = { readonly route: string; readonly subject?: string; readonly type: ProblemType };

/**
 * How long an attempt's row is stored. It only has to outlast its way through the feed: a few seconds, or the day that
 * a stream retains its records. The audit stores its entry.
 */
const storedForMs = dayMs;
/**
 * The most attempts that an environment records a minute: of one source, so that a broken script does not fill the
 * audit, and of all, so that many sources do not. Attempts of known callers are counted apart, so that a stranger's
 * noise cannot hide them. Counted in memory and so approximate: a limit on records, not on refusals.
 */
export const recordedMax = { ofOneSource: 10, ofAll: 60 } as const;

/**
 * How often an environment records attempts with the same {@link Attempt.sameAs}, so that a machine that never gives up
 * does not fill the audit.
 */
export const sameEveryMs = hourMs;
/** How many of those an environment remembers. It forgets the oldest first, and records it again when it comes back. */
export const sameMax = 1_000;

/**
 * Records a refused attempt for the audit: its row goes through the feed into the chain. The same attempt within the
 * hour is not recorded again. Beyond {@link recordedMax} attempts are only counted, and the count is logged. Never
 * throws: a failure to record is logged, and does not change the refusal.
 */
export async function recordAttempt(shell: Shell, attempt: Attempt): Promise<void> {
  const { request, type, sameAs } = attempt;
  const met = cached<Map<string, EpochMs>>(shell, 'same attempts', () => new Map());
  const last = sameAs === undefined ? undefined : met.get(sameAs);
  if (last !== undefined && shell.now() - last < sameEveryMs) return;
  const uncounted = countedOver(shell, request.source, (attempt.who ?? 'anyone') !== 'anyone');
  if (uncounted > 0) {
    if (uncounted === 1 || uncounted % 100 === 0) shell.log('warn', 'attempts.over', { source: request.source, type, uncounted });
    return;
  }
  if (sameAs !== undefined) meet(met, sameAs, shell.now());
  try {
    await shell.table.commit([{ put: rowOf(shell, attempt), readRev: 0 }]);
  } catch (error) {
    if (sameAs !== undefined) met.delete(sameAs);
    shell.log('error', 'attempt.lost', { id: request.id, type, detail: error instanceof Error ? error.message : String(error) });
  }
}

/** Remembers when the attempt was recorded, as the latest of all. */
function meet(met: Map<string, EpochMs>, what: string, at: EpochMs): void {
  met.delete(what);
  if (met.size >= sameMax) met.delete(met.keys().next().value!);
  met.set(what, at);
}

function rowOf(shell: Shell, { request, route, who, key, subject, type, detail }: Attempt) {
  const tried = `${route.method} ${route.path}`;
  const body: AttemptRow = { route: tried, ...(subject !== undefined && { subject: shortened(subject) }), type };
  const known = who === undefined ? shell.actor : undefined;
  const usedKey = key ?? known?.key;
  const actor: Actor = {
    who: who ?? known?.who ?? 'anyone',
    ...(usedKey !== undefined && { key: usedKey }),
    source: request.source,
    request: request.id,
  };
  const at = shell.now();
  const because = shortened(`${type}: ${detail}`);
  const ref = { noun: 'attempt', id: shell.newId() };
  return contentOf(ref, undefined, write(body, because, { expiresAt: plusMs(at, storedForMs) }), {
    by: request.id,
    at,
    exact: true,
    actor,
  })!;
}

type Counted = { minute: number; readonly bySource: Map<string, number>; all: number; over: number };

/**
 * Counts an attempt of a source; gives the number of attempts over the limits in this minute, 0 if this one is within.
 */
function countedOver(shell: Shell, address: string, isKnown: boolean): number {
  const source = sourceOf(address);
  const counted = cached<Counted>(shell, isKnown ? 'attempts of the known' : 'attempts', () => ({
    minute: 0,
    bySource: new Map(),
    all: 0,
    over: 0,
  }));
  const minute = Math.floor(shell.now() / minuteMs);
  if (minute !== counted.minute) {
    counted.bySource.clear();
    Object.assign(counted, { minute, all: 0, over: 0 });
  }
  const ofSource = counted.bySource.get(source) ?? 0;
  if (ofSource < recordedMax.ofOneSource && counted.all < recordedMax.ofAll) {
    counted.bySource.set(source, ofSource + 1);
    counted.all += 1;
    return 0;
  }
  counted.over += 1;
  return counted.over;
}
