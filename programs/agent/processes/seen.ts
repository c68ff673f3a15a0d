import type { EpochMs } from '../../../lib/core/time.ts';
import { fallen } from '../supervised/alone.ts';
import type { Life } from '../supervised/thing.ts';
import { idle, withHeld, withWord } from './fold.ts';
import type { Seen } from './runner.ts';
import type { Held, ProcessesState } from './state.ts';

/** Takes in what a process was found to be, and says what is new about it. */
export function seen(state: ProcessesState, held: Held, found: Seen, now: EpochMs): ProcessesState {
  if (found.is === 'absent') return gone(state, held, found, now);
  switch (held.is) {
    case 'idle':
      // One that is on its way out was told of already.
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
 * The life of one that was told to start is known once there is a process; its manager may have begun another since.
 */
const known = (state: ProcessesState, held: Held, life: Life | undefined): ProcessesState =>
  life && life.born !== held.life?.born ? withHeld(state, { ...held, life }) : state;

/**
 * It takes its time: whether too much of it is known only by whoever has seen it, and not after a while in which nobody
 * looked.
 */
const onItsWay = (state: ProcessesState, held: Held, life: Life | undefined, now: EpochMs): ProcessesState =>
  withHeld(state, { ...held, ...(life && { life }), seenAt: now });

/** It was started by somebody else, or by this agent before it lost its record. */
function appeared(state: ProcessesState, held: Held, { is, life }: Living, now: EpochMs): ProcessesState {
  const starting = withWord(state, held, life, { type: 'process.starting', data: {} }, now);
  const next: Held = { ...held, is: 'starting', since: now, ...(life && { life }) };
  return is === 'online' ? ready(starting, next, life, now) : withHeld(starting, next);
}

function ready(state: ProcessesState, held: Held, life: Life | undefined, now: EpochMs): ProcessesState {
  const next: Held = { ...held, is: 'online', since: now, ...(life && { life }) };
  return withHeld(withWord(state, next, next.life, { type: 'process.started', data: {} }, now), next);
}

/**
 * One that is online may have been told to stop by others, or have begun another life: its first word follows the last
 * of the one before.
 */
function onward(state: ProcessesState, held: Held, found: Living, now: EpochMs): ProcessesState {
  if (found.is === 'online' && !other(held, found.life)) return known(state, held, found.life);
  if (found.is === 'stopping') {
    const stopping = withWord(state, held, held.life, { type: 'process.stopping', data: {} }, now);
    return withHeld(stopping, { ...held, is: 'stopping', since: now, asked: true });
  }
  return restarted(state, held, found, now);
}

function restarted(state: ProcessesState, held: Held, found: Living, now: EpochMs): ProcessesState {
  const ended = withWord(state, held, held.life, { type: 'process.stopped', data: {} }, now);
  return appeared(ended, idle(held, now), found, now);
}

function gone(state: ProcessesState, held: Held, { exit, why }: Gone, now: EpochMs): ProcessesState {
  if (held.is === 'idle') return state;
  const next = withHeld(state, { ...idle(held, now), ...fallen(held, held.startMs, state, now) });
  if (held.failed) return next;
  const ended = exit === undefined ? {} : { exit };
  if (held.is !== 'starting' || held.unmanaged) return withWord(next, held, held.life, { type: 'process.stopped', data: ended }, now);
  const how = why ?? (exit === undefined ? undefined : `exit status ${exit}`);
  const reason = `it ended while it was starting${how === undefined ? '' : ` (${how})`}`.slice(0, 400);
  return withWord(next, held, held.life, { type: 'process.failed', data: { reason, ...ended } }, now);
}
