import type { ServiceTypeName } from '../../../lib/core/ids.ts';
import { type EpochMs, minuteMs, plusMs, secondMs } from '../../../lib/core/time.ts';
import type { DesiredService } from '../../../lib/nodes/desired/desired.ts';
import { whyNotAllowed } from './allowed.ts';
import type { Done } from './decide.ts';
import { withHeld, withReport } from './fold.ts';
import { checkEveryOf, hasCheck } from './program.ts';
import { ready } from './seen.ts';
import { type Asking, type Held, type ServicesState, wantedOf } from './state.ts';

/** A question to a service: by Muster, under an id, or by the agent itself. */
export type Run = {
  readonly what: 'check' | 'status' | 'message';
  readonly ask?: string;
  readonly message?: ServiceTypeName;
  readonly data?: string;
};
/** Its outcome: the exit code, absent for one that took too long, and the output. */
export type Result = { readonly exit?: number; readonly says: string };

/** Exit codes of OCF: failed, unimplemented, not permitted, not installed, not running. */
export const ocf = { generic: 1, unimplemented: 3, permission: 4, notInstalled: 5, notRunning: 7 } as const;

/**
 * The exit code of an action of the agent itself that was interrupted by the agent's end: whether it was done is
 * unknown. No command of an order on site ends with this code.
 */
export const interruptedExit = 75;

/** How often the agent asks a starting service whether it is ready. */
const startCheckMs = secondMs;
/**
 * When to repeat the report of an unchanged check: of one check each second, Muster hears six an hour. A report that
 * was dropped while Muster was unreachable is then soon replaced.
 */
const tellAgainMs = 10 * minuteMs;

/** Asks a service one question at a time: first those of Muster, then the check of its health. */
export function command(state: ServicesState, held: Held, wanted: DesiredService | undefined, now: EpochMs): Done {
  if (!wanted || held.commanding) return { next: state, actions: [] };
  if (held.asking) return interrupted(state, held, held.asking, now);
  const ask = wanted.asks.find(({ id }) => !held.answered.includes(id));
  if (ask) {
    const { id, what, message, data } = ask;
    const run: Run = { what, ask: id, ...(message !== undefined && { message }), ...(data !== undefined && { data }) };
    const why = whyNotAllowed(wanted, state.allowed);
    if (why !== undefined)
      return answered(state, held, { run, instance: wanted.instance, result: { exit: ocf.permission, says: why } }, now);
    if (held.is === 'idle' || held.instance !== wanted.instance)
      return answered(
        state,
        held,
        { run, instance: wanted.instance, result: { exit: ocf.notRunning, says: 'the service does not run' } },
        now,
      );
    const asking = { id, what, ...(message !== undefined && { message }) };
    return { next: withHeld(state, { ...held, commanding: true, asking }), actions: [{ do: 'command', held, service: wanted, run }] };
  }
  const at = checkAtOf(held, wanted);
  if (at === undefined || now < at) return { next: state, actions: [] };
  const run: Run = { what: 'check' };
  return { next: withHeld(state, { ...held, commanding: true }), actions: [{ do: 'command', held, service: wanted, run }] };
}

/**
 * Closes a question that was open when the agent ended. The service may have taken a message already, so it is not sent
 * again. Any other question is asked again.
 */
function interrupted(state: ServicesState, held: Held, { id, what, message }: Asking, now: EpochMs): Done {
  const { asking: _over, ...rest } = held;
  if (what !== 'message') return { next: withHeld(state, rest), actions: [] };
  const run: Run = { what, ask: id, ...(message !== undefined && { message }) };
  const result = {
    exit: held.inside ? interruptedExit : ocf.generic,
    says: 'its agent was restarted meanwhile: it is not known whether the message took effect',
  };
  return answered(state, rest, { run, instance: held.instance, result }, now);
}

/** When the next check of its health is due; undefined while none is. */
export function checkAtOf(held: Held, wanted: DesiredService): EpochMs | undefined {
  if (held.commanding || held.instance !== wanted.instance || wanted.goal !== 'run') return undefined;
  const isDue = held.is === 'starting' ? hasCheck(wanted) : held.is === 'online' && checkEveryOf(wanted) !== undefined;
  return isDue ? (held.checkAt ?? held.since) : undefined;
}

/** The outcome of a question to an instance. */
export type Answered = { readonly run: Run; readonly instance: Held['instance']; readonly result: Result };

/** Takes in an answer: reports it to the asker, and updates the health of the instance. */
export function answered(state: ServicesState, before: Held, { run, instance, result }: Answered, now: EpochMs): Done {
  const { commanding: _done, asking: _asked, ...rest } = before;
  const held: Held = { ...rest, ...(run.ask !== undefined && { answered: [...rest.answered, run.ask] }) };
  const isOfIt = held.instance === instance && held.is !== 'idle';
  const reported = run.ask === undefined ? withHeld(state, held) : withAnswer(withHeld(state, held), held, { run, instance, result }, now);
  const next = run.what === 'check' && isOfIt ? checked(reported, reported.held.get(held.service)!, run, result, now) : reported;
  const lines = run.what === 'status' ? result.says.split('\n') : [];
  return { next, actions: lines.map((line) => ({ do: 'say', line: `${held.service}: ${line}` })) };
}

function withAnswer(
  state: ServicesState,
  held: Held,
  { run, instance, result: { exit, says }, again }: Answered & { readonly again?: boolean },
  now: EpochMs,
): ServicesState {
  const { ask, what, message } = run;
  const of = held.instance === instance ? held : { service: held.service, instance };
  const data = {
    ...(ask !== undefined && { ask }),
    what,
    ...(message !== undefined && { message }),
    ...(exit !== undefined && { exit }),
    ...(again && { again: true as const }),
    says,
  };
  return withReport(state, of, { type: 'service.answered', data }, now);
}

/** Takes in a check. A starting instance is ready once a check succeeds, and fails when none does in its time. */
function checked(state: ServicesState, held: Held, run: Run, result: Result, now: EpochMs): ServicesState {
  const wanted = wantedOf(state, held.service);
  if (!wanted || wanted.instance !== held.instance) return state;
  if (held.is === 'starting' && hasCheck(wanted)) return startChecked(state, held, wanted, result, now);
  if (held.is !== 'online') return state;
  const { exit } = result;
  const everyMs = checkEveryOf(wanted);
  const isNews = !held.reported || held.reported.exit !== exit || now >= plusMs(held.reported.at, tellAgainMs);
  const next: Held = {
    ...held,
    ...(everyMs !== undefined && { checkAt: plusMs(now, everyMs) }),
    ...((isNews || run.ask !== undefined) && { reported: { exit, at: now } }),
  };
  const known = withHeld(state, next);
  const again = held.reported !== undefined && held.reported.exit === exit;
  return isNews && run.ask === undefined ? withAnswer(known, next, { run, instance: held.instance, result, again }, now) : known;
}

function startChecked(state: ServicesState, held: Held, wanted: DesiredService, { exit, says }: Result, now: EpochMs): ServicesState {
  if (exit === 0) return ready(state, held, {}, now);
  if (now < plusMs(held.since, wanted.startMs)) return withHeld(state, { ...held, checkAt: plusMs(now, startCheckMs) });
  const how = exit === undefined ? 'its check took too long' : `its check ended with ${exit}${says === '' ? '' : `: ${says}`}`;
  const reason = `it was not ready within ${wanted.startMs / secondMs} s; ${how}`.slice(0, 400);
  return failed(state, held, reason, now);
}

/** Reports a failure and stops the instance, so that the next attempt starts afresh. */
export const failed = (state: ServicesState, held: Held, reason: string, now: EpochMs): ServicesState =>
  withHeld(withReport(state, held, { type: 'service.failed', data: { reason } }, now), {
    ...held,
    is: 'stopping',
    since: now,
    failed: true,
  });
