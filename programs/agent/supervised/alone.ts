import { type Restart, usualRestart } from '../../../lib/core/restart.ts';
import { type EpochMs, plusMs } from '../../../lib/core/time.ts';
import type { Step } from '../../../lib/machine/reactor.ts';

/** What an agent remembers of a process or a service that ended by itself, for as long as it runs. */
export type Fallen = {
  /** It has ended, and whether it is started again is decided some seconds later. */
  readonly fell?: true;
  /** How often this agent has started it again alone since it last ran for a while, or was ordered. */
  readonly again?: number;
};

/**
 * What a decision about one that fell rests on besides: whether this agent may go on alone now, and the oldest word
 * that Muster has not taken.
 */
export type Alone = { readonly mayGoOn: boolean; readonly untoldFrom: EpochMs | undefined };

type Ended = Fallen & { readonly is: string; readonly since: EpochMs };

/**
 * What is remembered of one that has ended. How often it was tried is forgotten once it was online for `steadyMs`, as
 * Muster's rule has it.
 */
export function fallen({ is, since, again = 0 }: Ended, steadyMs: number, { mayGoOn }: Pick<Alone, 'mayGoOn'>, now: EpochMs): Fallen {
  const isSteady = is === 'online' && now >= plusMs(since, steadyMs);
  return { ...(mayGoOn && { fell: true as const }), ...(again > 0 && !isSteady && { again }) };
}

/** When it is decided whether one that fell is started again. */
export const againAt = ({ fell, since }: Ended, { everyMs }: Restart = usualRestart): EpochMs | undefined =>
  fell ? plusMs(since, everyMs) : undefined;

/** One that fell: when its restart is due, by which rule, and what it is called in the log of this host. */
type Due = { readonly dueAt: EpochMs | undefined; readonly restart?: Restart | undefined; readonly alone: Alone; readonly what: string };
/** The state while it is not due, the one in which it stays where it is, and the step that starts it again. */
type Ways<S, A> = { readonly waiting: S; readonly givenUp: () => S; readonly start: (attempt: number) => Step<S, A> };

/**
 * Starts one again that fell, while Muster has not heard of its end. Muster orders the next attempt once it has heard
 * of it; until then this agent makes it by the same rule.
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
 * Whether this agent starts one again that fell: while Muster has not heard of its end. What Muster has heard of it
 * orders anew by the same rule, and no two attempts are made of one end.
 */
const goesOnAlone = ({ since, again = 0 }: Ended, { attemptsMax }: Restart = usualRestart, { mayGoOn, untoldFrom }: Alone): boolean =>
  mayGoOn && again < attemptsMax && untoldFrom !== undefined && untoldFrom <= since;

const attemptLine = (what: string, again: number, { attemptsMax }: Restart = usualRestart): string =>
  `Muster is away: attempt ${again} of ${attemptsMax} to start ${what} again`;
