import type { EpochMs } from '../../../lib/core/time.ts';
import { fallen } from '../supervised/alone.ts';
import type { Life } from '../supervised/thing.ts';
import { idle, withHeld, withReport } from './fold.ts';
import type { Seen } from './runner.ts';
import type { Held, ProcessesState } from './state.ts';

/** Takes the found state of a process into the record, and reports what is new about it. */
export function seen(state: ProcessesState, held: Held, found: Seen, now: EpochMs): ProcessesState {
  if (found.is === 'absent') return gone(state, held, found, now);
  switch (held.is) {
    case 'idle':
      // A process that is stopping was reported already.
      return found.is === 'stopping' ? state : appeared(state, held, found, now);
    case 'starting':
      return found.is === 'online' ? ready(state, held, found.life, now) : onItsWay(state, held, found.life, now);
    case 'online':
      return onward(state, held, found, now);
    case 'stopping':
      return other(held, found.life) ? restarted(state, held, found, now) : onItsWay(state, held, found.life, now);
  }
}

type Living = Exclude<Seen, { is: 'absent' }>;
type Gone = Extract<Seen, { is: 'absent' }>;

const other = (held: Held, life: Life | undefined): boolean =>
  life !== undefined && held.life !== undefined && life.born !== held.life.born;

/**
 * Records a new life: that of a start is known once there is a process, and its manager may have begun another since.
 */
const known = (state: ProcessesState, held: Held, life: Life | undefined): ProcessesState =>
  life && life.born !== held.life?.born ? withHeld(state, { ...held, life }) : state;

/**
 * Notes when a process was last seen starting or stopping: a time limit counts only up to a moment at which the agent
 * looked.
 */
const onItsWay = (state: ProcessesState, held: Held, life: Life | undefined, now: EpochMs): ProcessesState =>
  withHeld(state, { ...held, ...(life && { life }), seenAt: now });

/** Takes in a process that something else started, or this agent before it lost its record. */
function appeared(state: ProcessesState, held: Held, { is, life }: Living, now: EpochMs): ProcessesState {
  const starting = withReport(state, held, life, { type: 'process.starting', data: {} }, now);
  const next: Held = { ...held, is: 'starting', since: now, ...(life && { life }) };
  return is === 'online' ? ready(starting, next, life, now) : withHeld(starting, next);
}

function ready(state: ProcessesState, held: Held, life: Life | undefined, now: EpochMs): ProcessesState {
  const next: Held = { ...held, is: 'online', since: now, ...(life && { life }) };
  return withHeld(withReport(state, next, next.life, { type: 'process.started', data: {} }, now), next);
}

/**
 * Takes in a process that was online. Others may have stopped it, or it may have begun another life: the first report
 * of that life follows the last one of the life before.
 */
function onward(state: ProcessesState, held: Held, found: Living, now: EpochMs): ProcessesState {
  if (found.is === 'online' && !other(held, found.life)) return known(state, held, found.life);
  if (found.is === 'stopping') {
    const stopping = withReport(state, held, held.life, { type: 'process.stopping', data: {} }, now);
    return withHeld(stopping, { ...held, is: 'stopping', since: now, asked: true });
  }
  return restarted(state, held, found, now);
}

function restarted(state: ProcessesState, held: Held, found: Living, now: EpochMs): ProcessesState {
  const ended = withReport(state, held, held.life, { type: 'process.stopped', data: {} }, now);
  return appeared(ended, idle(held, now), found, now);
}

function gone(state: ProcessesState, held: Held, { exit, why }: Gone, now: EpochMs): ProcessesState {
  if (held.is === 'idle') return state;
  const next = withHeld(state, { ...idle(held, now), ...fallen(held, held.startMs, state, now) });
  if (held.failed) return next;
  const ended = exit === undefined ? {} : { exit };
  if (held.is !== 'starting' || held.unmanaged) return withReport(next, held, held.life, { type: 'process.stopped', data: ended }, now);
  const how = why ?? (exit === undefined ? undefined : `exit status ${exit}`);
  const reason = `it ended while it was starting${how === undefined ? '' : ` (${how})`}`.slice(0, 400);
  return withReport(next, held, held.life, { type: 'process.failed', data: { reason, ...ended } }, now);
}
