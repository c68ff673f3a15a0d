import { type EpochMs, secondMs } from '../../../lib/core/time.ts';
import type { Step } from '../../../lib/machine/reactor.ts';
import type { DesiredProcess } from '../../../lib/nodes/desired/desired.ts';
import { againAt, startAlone } from '../supervised/alone.ts';
import type { Action } from './decide.ts';
import { withHeld, withReport } from './fold.ts';
import type { Held, ProcessesState } from './state.ts';

type Driven = Step<ProcessesState, Action>;

/**
 * Decides the next action about a process without one under way; `wanted` is undefined for a process that no longer
 * belongs to this host. The state, and so the disk, records each action before it is carried out.
 */
export function drive(state: ProcessesState, held: Held, wanted: DesiredProcess | undefined, now: EpochMs): Driven {
  switch (held.is) {
    case 'idle':
      return atRest(state, held, wanted, now);
    case 'starting':
    case 'online':
      return running(state, held, wanted, now);
    case 'stopping':
      return ending(state, held, wanted, now);
  }
}

const stay = (state: ProcessesState): Driven => ({ next: state, actions: [] });

/**
 * Whether a start is due: for a managed process unless its `start` was acted on, for a watched one only when an
 * operator has ordered it since.
 */
const isOrdered = ({ acted }: Held, { goal, start }: DesiredProcess): boolean =>
  goal === 'watch' ? start > (acted ?? 0) : start !== acted;

function atRest(state: ProcessesState, held: Held, wanted: DesiredProcess | undefined, now: EpochMs): Driven {
  switch (wanted?.goal) {
    case undefined:
      return { next: withHeld(state, { ...held, busy: 'forget' }), actions: [{ do: 'forget', held }] };
    case 'stop':
      return held.acted === undefined ? stay(state) : { next: withHeld(state, notActed(held)), actions: [] };
    case 'run':
    case 'watch':
      return isOrdered(held, wanted) && held.looked ? start(state, held, wanted, now) : again(state, held, wanted, now);
  }
}

/**
 * When the agent decides whether to restart a process that ended by itself; undefined where there is no such decision.
 */
export const againDueAt = (held: Held, wanted: DesiredProcess | undefined): EpochMs | undefined =>
  held.is === 'idle' && wanted?.goal === 'run' && !isOrdered(held, wanted) ? againAt(held, wanted.restart) : undefined;

/** Restarts a process that ended by itself without Muster, where Muster has not heard of its end. */
function again(state: ProcessesState, held: Held, wanted: DesiredProcess, now: EpochMs): Driven {
  const { fell: _decided, ...rest } = held;
  const due = {
    dueAt: againDueAt(held, wanted),
    restart: wanted.restart,
    alone: { mayGoOn: state.mayGoOn, untoldFrom: state.reports.out[0]?.at },
    what: `${held.prefix} ${held.process}`,
  };
  const ways = {
    waiting: state,
    givenUp: () => withHeld(state, rest),
    start: (attempt: number) => start(state, rest, wanted, now, attempt),
  };
  return startAlone(held, due, ways, now);
}

/** `again`: the number of the agent's own attempt; 0 for a start that Muster has ordered. */
function start(state: ProcessesState, { again: _before, ...held }: Held, wanted: DesiredProcess, now: EpochMs, again = 0): Driven {
  const next: Held = { ...held, is: 'starting', since: now, acted: wanted.start, busy: 'start', ...(again > 0 && { again }) };
  return {
    next: withHeld(withReport(state, held, undefined, { type: 'process.starting', data: {} }, now), next),
    actions: [{ do: 'start', process: wanted }],
  };
}

function running(state: ProcessesState, held: Held, wanted: DesiredProcess | undefined, now: EpochMs): Driven {
  if (wanted === undefined && held.unmanaged)
    return { next: withHeld(state, { ...held, busy: 'forget' }), actions: [{ do: 'forget', held }] };
  if (wanted === undefined || wanted.goal === 'stop') return stop(state, held, now);
  if (isOrdered(held, wanted)) return runsAlready(state, held, wanted, now);
  if (wanted.goal === 'run' && held.is === 'starting' && isLate(held, held.startMs)) return startTimeout(state, held, now);
  return stay(state);
}

/** Whether it was seen unfinished `spanMs` or more after its last change of state. */
const isLate = ({ since, seenAt = since }: Held, spanMs: number): boolean => seenAt >= since + spanMs;

/** Muster orders the start of a process that runs: it does not know that, so the agent reports it again. */
function runsAlready(state: ProcessesState, held: Held, { start: acted }: DesiredProcess, now: EpochMs): Driven {
  const starting = withReport(state, held, held.life, { type: 'process.starting', data: {} }, now);
  const reported = held.is === 'online' ? withReport(starting, held, held.life, { type: 'process.started', data: {} }, now) : starting;
  return { next: withHeld(reported, { ...held, acted }), actions: [] };
}

/** Stops a process that does not become ready, so that the next attempt starts afresh. */
function startTimeout(state: ProcessesState, held: Held, now: EpochMs): Driven {
  const reason = `it was not ready within ${held.startMs / secondMs} s`;
  const reported = withReport(state, held, held.life, { type: 'process.failed', data: { reason } }, now);
  return tellToStop(reported, { ...held, is: 'stopping', since: now, failed: true }, now);
}

/** Stops a process on order. Its next start is a new one, whatever its number. */
function stop(state: ProcessesState, held: Held, now: EpochMs): Driven {
  const reported = withReport(state, held, held.life, { type: 'process.stopping', data: {} }, now);
  return tellToStop(reported, { ...notActed(held), is: 'stopping', since: now }, now);
}

function ending(state: ProcessesState, held: Held, wanted: DesiredProcess | undefined, now: EpochMs): Driven {
  // A watched process stops by itself or by its own launcher, without a time limit.
  if (held.unmanaged) return stay(state);
  if (!held.asked) return tellToStop(state, held, now);
  if (!isLate(held, held.stopMs)) return stay(state);
  if (!held.killed) return kill(state, held);
  return wanted?.goal === 'run' && isOrdered(held, wanted) ? stillThere(state, held, wanted, now) : stay(state);
}

/** Kills a process whose time to stop is over. A failure of the kill is reported with the failure of the process. */
const kill = (state: ProcessesState, held: Held): Driven => ({
  next: withHeld(state, { ...held, busy: 'kill' }),
  actions: [{ do: 'kill', held }],
});

/**
 * Muster orders a new life of a process whose last life does not end: each such start fails, so that the attempts end.
 */
function stillThere(state: ProcessesState, held: Held, { start: acted }: DesiredProcess, now: EpochMs): Driven {
  const starting = withReport(state, held, undefined, { type: 'process.starting', data: {} }, now);
  const reason = 'its previous life was asked to stop and has not ended';
  return {
    next: withHeld(withReport(starting, held, undefined, { type: 'process.failed', data: { reason } }, now), { ...held, acted }),
    actions: [],
  };
}

function tellToStop(state: ProcessesState, held: Held, now: EpochMs): Driven {
  if (held.notBefore !== undefined && now < held.notBefore) return stay(state);
  const next: Held = { ...held, busy: 'stop' };
  return { next: withHeld(state, next), actions: [{ do: 'stop', held }] };
}

const notActed = ({ acted: _acted, ...held }: Held): Held => held;
