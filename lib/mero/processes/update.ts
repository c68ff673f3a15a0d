import { type Decision, nothing, write } from '../../core/decision.ts';
import type { EpochMs } from '../../core/time.ts';
import { canMove, moved, type Surroundings } from './move.ts';
import type { Refused } from './orders.ts';
import { isHalon, isManaged, type MeroProcess, type ProcessMove, type ProcessStateName } from './process.ts';

/** Makes the state of a process unknown: its host reports it when it is next asked. */
export function forget(process: MeroProcess | undefined, surroundings: Surroundings, now: EpochMs): Decision<MeroProcess> {
  if (!process) return nothing('there is no such process');
  if (isHalon(process)) return nothing("it is Halon's own: its state follows from its node");
  if (process.state.is === 'unknown') return nothing('its state is unknown already');
  return moved(
    process,
    ['forgotten'],
    { because: 'an operator reset it: its state is unknown until its host reports it' },
    surroundings,
    now,
  )!;
}

/** The moves that an operator may set, each by the state that it leads to. */
const settable = {
  unknown: ['forgotten'],
  starting: ['starting'],
  online: ['online'],
  quiescing: ['quiescing'],
  stopping: ['stopping', 'stopping by itself'],
  offline: ['stopped', 'resync absent', 'exited unmanaged'],
  failed: ['failed'],
} as const satisfies Record<ProcessStateName, readonly ProcessMove[]>;

const isState = (text: string): text is ProcessStateName => Object.hasOwn(settable, text);
const refuse = (because: string): Refused => ({ does: 'refuse', because });

/**
 * `mero update`: sets the state of a process as an operator knows it. The reason of a failure may follow a colon. A
 * move that is not in the table is refused.
 */
export function updateProcess(
  process: MeroProcess,
  text: string,
  surroundings: Surroundings,
  now: EpochMs,
): Decision<MeroProcess> | Refused {
  const { fid, state } = process;
  if (isHalon(process)) return refuse(`${fid} is Halon's own process: its state follows from its node`);
  const [is = '', ...rest] = text.split(':');
  if (!isState(is)) return refuse(`${fid}: the state of a process is one of ${Object.keys(settable).join(', ')}`);
  if (state.is === is) return nothing(`${fid} is ${is} already`);
  const move = (settable[is] as readonly ProcessMove[]).find(
    (one) => canMove(state.is, one) && !(one === 'exited unmanaged' && isManaged(process)),
  );
  if (!move) return refuse(`${fid} is ${state.is}: it cannot become ${is}`);
  const reason = rest.join(':').trim() || 'set by an operator';
  return moved(process, [move], { because: `an operator set it to ${is}`, reason, forGood: true }, surroundings, now)!;
}

/** The same for one of its services: the service has failed by itself, or does what its process does. */
export function updateService(process: MeroProcess, service: string, text: string): Decision<MeroProcess> | Refused {
  const isFailed = text === 'failed';
  if (!isFailed && text !== 'online') return refuse(`${service} does what its process does: set it to failed or to online`);
  if (!isFailed && process.state.is !== 'online')
    return refuse(`${service} belongs to a process that is ${process.state.is}: it cannot become online`);
  const was = process.services.some(({ fid, failed }) => fid === service && failed === true);
  if (was === isFailed) return nothing(`${service} is ${text} already`);
  const services = process.services.map(({ failed, ...one }) => ({
    ...one,
    ...((one.fid === service ? isFailed : failed === true) && { failed: true as const }),
  }));
  return write<MeroProcess, never>({ ...process, services }, `an operator set service ${service} to ${text}`);
}
