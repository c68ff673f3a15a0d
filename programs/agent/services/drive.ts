import { type EpochMs, plusMs } from '../../../lib/core/time.ts';
import type { DesiredService } from '../../../lib/nodes/desired/desired.ts';
import { againAt, startAlone } from '../supervised/alone.ts';
import { whyNotAllowed } from './allowed.ts';
import type { Done } from './decide.ts';
import { idle, withHeld, withReport } from './fold.ts';
import { programOf } from './program.ts';
import type { Held, ServicesState } from './state.ts';

/**
 * Decides the next action about a service without one under way; `wanted` is undefined for a service that no longer
 * belongs to this host. The state, and so the disk, records each action before it is carried out.
 */
export function drive(state: ServicesState, held: Held, wanted: DesiredService | undefined, now: EpochMs): Done {
  switch (held.is) {
    case 'idle':
      return atRest(state, held, wanted, now);
    case 'starting':
    case 'online':
      return inItsTime(state, held, wanted, now);
    case 'stopping':
      return ending(state, held, wanted, now);
  }
}

const stay = (state: ServicesState): Done => ({ next: state, actions: [] });

function atRest(state: ServicesState, held: Held, wanted: DesiredService | undefined, now: EpochMs): Done {
  if (wanted === undefined) return { next: withHeld(state, { ...held, busy: 'forget' }), actions: [{ do: 'forget', held }] };
  if (wanted.goal === 'run') return wanted.instance === held.acted ? again(state, held, wanted, now) : begin(state, held, wanted, now);
  return wanted.instance === held.ended ? stay(state) : doesNotRun(state, held, wanted, now);
}

/**
 * When the agent decides whether to restart a service that ended by itself; undefined where there is no such decision.
 */
export const againDueAt = (held: Held, wanted: DesiredService | undefined): EpochMs | undefined =>
  held.is === 'idle' && wanted?.goal === 'run' && wanted.instance === held.acted ? againAt(held) : undefined;

/**
 * Restarts a service that ended by itself, as the same instance and without Muster, where Muster has not heard of its
 * end. Muster orders another instance once it has.
 */
function again(state: ServicesState, held: Held, wanted: DesiredService, now: EpochMs): Done {
  const { fell: _decided, ...rest } = held;
  const due = { dueAt: againDueAt(held, wanted), alone: state, what: `service ${held.service}` };
  const ways = {
    waiting: state,
    givenUp: () => withHeld(state, rest),
    start: (attempt: number) => start(state, rest, wanted, now, attempt),
  };
  return startAlone(held, due, ways, now);
}

/**
 * Starts a service. One that this host does not allow fails for good: the agent tries it again only after a restart.
 */
function begin(state: ServicesState, held: Held, wanted: DesiredService, now: EpochMs): Done {
  const why = whyNotAllowed(wanted, state.allowed);
  if (why === undefined) return start(state, held, wanted, now);
  const { instance, stopMs } = wanted;
  const next: Held = { ...idle(held, now), instance, stopMs, acted: instance, ended: instance };
  return refused(state, next, why, now);
}

function refused(state: ServicesState, next: Held, why: string, now: EpochMs): Done {
  const reported = withReport(state, next, { type: 'service.failed', data: { reason: why, refused: true } }, now);
  return { next: withHeld(reported, next), actions: [{ do: 'say', line: `service ${next.service}: ${why}` }] };
}

/** Leaves a wanted service running, unless the host's configuration no longer allows it. */
function inItsTime(state: ServicesState, held: Held, wanted: DesiredService | undefined, now: EpochMs): Done {
  if (wanted?.goal !== 'run' || wanted.instance !== held.instance) return stop(state, held, now);
  const why = whyNotAllowed(wanted, state.allowed);
  if (why === undefined) return stay(state);
  const failure = refused(state, held, why, now);
  const ends = signal(failure.next, { ...held, is: 'stopping', since: now, failed: true }, 'SIGTERM');
  return { next: ends.next, actions: [...failure.actions, ...ends.actions] };
}

/** `again`: the number of the agent's own attempt; 0 for a start that Muster has ordered. */
function start(state: ServicesState, held: Held, wanted: DesiredService, now: EpochMs, again = 0): Done {
  const { instance, stopMs } = wanted;
  const inside = programOf(wanted).is === 'inside' ? ({ inside: true } as const) : {};
  const next: Held = {
    ...idle(held, now),
    ...inside,
    is: 'starting',
    instance,
    stopMs,
    acted: instance,
    busy: 'start',
    ...(again > 0 && { again }),
  };
  return {
    next: withHeld(withReport(state, next, { type: 'service.starting', data: {} }, now), next),
    actions: [{ do: 'start', service: wanted }],
  };
}

/** Reports the end of an instance that Muster wants stopped, and that this host does not know or never started. */
function doesNotRun(state: ServicesState, { life: _none, ...held }: Held, { instance }: DesiredService, now: EpochMs): Done {
  const next: Held = { ...held, instance, ended: instance };
  return { next: withHeld(withReport(state, next, { type: 'service.stopped', data: {} }, now), next), actions: [] };
}

/** Stops an instance that is no longer wanted, or that another instance replaces. */
function stop(state: ServicesState, held: Held, now: EpochMs): Done {
  const reported = withReport(state, held, { type: 'service.stopping', data: {} }, now);
  return signal(reported, { ...held, is: 'stopping', since: now }, 'SIGTERM');
}

const signal = (state: ServicesState, held: Held, by: 'SIGTERM' | 'SIGKILL'): Done => ({
  next: withHeld(state, { ...held, busy: 'signal' }),
  actions: [{ do: 'signal', held, signal: by }],
});

function ending(state: ServicesState, held: Held, wanted: DesiredService | undefined, now: EpochMs): Done {
  const { killAt, notBefore } = held;
  if (killAt === undefined) {
    // An instance that has announced its end needs no signal; it has as long as any other.
    if (held.announced) return { next: withHeld(state, { ...held, killAt: plusMs(now, held.stopMs) }), actions: [] };
    return notBefore !== undefined && now < notBefore ? stay(state) : signal(state, held, 'SIGTERM');
  }
  if (now < killAt) return stay(state);
  if (!held.killed) return signal(state, held, 'SIGKILL');
  // Only a look after the kill shows whether it still runs.
  if (held.seenAt === undefined || held.seenAt < killAt) return stay(state);
  if (!held.failed) return doesNotEnd(state, held, now);
  return wanted?.goal === 'run' && wanted.instance !== held.acted ? inTheWay(state, held, wanted, now) : stay(state);
}

/** Reports an instance that even the kernel does not end, as when it waits for a disk. */
function doesNotEnd(state: ServicesState, held: Held, now: EpochMs): Done {
  const reported = withReport(state, held, { type: 'service.failed', data: { reason: 'it was killed and has not ended' } }, now);
  return { next: withHeld(reported, { ...held, failed: true }), actions: [] };
}

/**
 * Muster orders another instance of a service whose last instance does not end: each such start fails, so that the
 * attempts end.
 */
function inTheWay(state: ServicesState, held: Held, { service, instance }: DesiredService, now: EpochMs): Done {
  const reason = `instance ${held.instance} was killed and has not ended`;
  const reported = withReport(state, { service, instance }, { type: 'service.failed', data: { reason } }, now);
  return { next: withHeld(reported, { ...held, acted: instance }), actions: [] };
}
