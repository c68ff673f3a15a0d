import { type Restart, usualRestart } from '../../../lib/core/restart.ts';
import { type EpochMs, plusMs } from '../../../lib/core/time.ts';
import type { Step } from '../../../lib/machine/reactor.ts';

/** What an agent remembers, while it runs, of a process or a service that ended by itself. */
export type Fallen = {
  /** It has ended, and the agent decides some seconds later whether to restart it. */
  readonly fell?: true;
  /** How often this agent has restarted it by itself since it last ran for a while, or since the last order. */
  readonly again?: number;
};

/**
 * The other inputs of a decision about a restart: whether this agent may now act without Muster, and the time of the
 * oldest report that Muster has not taken.
 */
export type Alone = { readonly mayGoOn: boolean; readonly untoldFrom: EpochMs | undefined };

type Ended = Fallen & { readonly is: string; readonly since: EpochMs };

/**
 * The record of an end. The count of attempts starts again once it was online for `steadyMs`, as in Muster's own rule.
 */
export function fallen({ is, since, again = 0 }: Ended, steadyMs: number, { mayGoOn }: Pick<Alone, 'mayGoOn'>, now: EpochMs): Fallen {
  const isSteady = is === 'online' && now >= plusMs(since, steadyMs);
  return { ...(mayGoOn && { fell: true as const }), ...(again > 0 && !isSteady && { again }) };
}

/** When to decide about the restart of one that ended by itself. */
export const againAt = ({ fell, since }: Ended, { everyMs }: Restart = usualRestart): EpochMs | undefined =>
  fell ? plusMs(since, everyMs) : undefined;

/** A restart: when it is due, by which rule, and the name of the thing in the log of this host. */
type Due = { readonly dueAt: EpochMs | undefined; readonly restart?: Restart | undefined; readonly alone: Alone; readonly what: string };
/** The state while the restart is not due, the one in which there is none, and the step that restarts. */
type Ways<S, A> = { readonly waiting: S; readonly givenUp: () => S; readonly start: (attempt: number) => Step<S, A> };

/**
 * Restarts a process or a service that ended by itself, while Muster has not heard of its end. Muster orders the next
 * attempt once it has heard; until then this agent makes attempts by the same rule.
 */
export function startAlone<S, A>(
  held: Ended,
  { dueAt, restart, alone, what }: Due,
  { waiting, givenUp, start }: Ways<S, A>,
  now: EpochMs,
): Step<S, A | { readonly do: 'say'; readonly line: string }> {
  if (dueAt === undefined || now < dueAt) return { next: waiting, actions: [] };
  if (!goesOnAlone(held, restart, alone)) return { next: givenUp(), actions: [] };
  const attempt = (held.again ?? 0) + 1;
  const { next, actions } = start(attempt);
  return { next, actions: [{ do: 'say', line: attemptLine(what, attempt, restart) }, ...actions] };
}

/**
 * Whether this agent makes the attempt: only while Muster has not heard of the end. Once it has, Muster orders the
 * attempt by the same rule, so that one end never leads to two attempts.
 */
const goesOnAlone = ({ since, again = 0 }: Ended, { attemptsMax }: Restart = usualRestart, { mayGoOn, untoldFrom }: Alone): boolean =>
  mayGoOn && again < attemptsMax && untoldFrom !== undefined && untoldFrom <= since;

const attemptLine = (what: string, again: number, { attemptsMax }: Restart = usualRestart): string =>
  `Muster is unreachable: attempt ${again} of ${attemptsMax} to restart ${what}`;
