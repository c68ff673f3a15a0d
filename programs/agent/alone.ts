import { type Restart, usualRestart } from '../../lib/core/restart.ts';
import { type EpochMs, plusMs } from '../../lib/core/time.ts';

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

/**
 * Whether this agent starts one again that fell: while Muster has not heard of its end. What Muster has heard of it
 * orders anew by the same rule, and no two attempts are made of one end.
 */
export const goesOnAlone = (
  { since, again = 0 }: Ended,
  { attemptsMax }: Restart = usualRestart,
  { mayGoOn, untoldFrom }: Alone,
): boolean => mayGoOn && again < attemptsMax && untoldFrom !== undefined && untoldFrom <= since;

/** For whoever reads this host's log. */
export const saidAlone = (what: string, again: number, { attemptsMax }: Restart = usualRestart): string =>
  `Muster is away: attempt ${again} of ${attemptsMax} to start ${what} again`;
