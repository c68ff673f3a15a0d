import type { RunningService } from '../../events/reported/process.ts';
import { type Decision, nothing, write } from '../core/decision.ts';
import type { NodeId } from '../core/ids.ts';
import type { EpochMs } from '../core/time.ts';
import { heardAfter } from './heard.ts';
import { dueAt, holdsItsOwn, moved, started, unregistered } from './move.ts';
import { instanceOf, type Service } from './service.ts';

/**
 * What the table of a node says of one service: `entry` is what runs of it, or undefined where nothing does. Whose
 * table it is, and how it came: the agent was asked for it, it has started again, or with it its kernel or all that it
 * had.
 */
export type TableSaid = {
  readonly type: 'table';
  readonly node: NodeId;
  readonly incarnation: number;
  /** The number of the table among the agent's words; those before it are in it. */
  readonly seq: number;
  readonly back: 'no' | 'same kernel' | 'anew';
  /** When it came. */
  readonly at: EpochMs;
  readonly entry: RunningService | undefined;
};

/**
 * One that runs on as the instance on record is as the table says. One that does not was started again with its node if
 * that was away, has failed if it was not, and is registered no more if it was to stop.
 */
export function resync(service: Service, table: TableSaid, now: EpochMs): Decision<Service> {
  const { heard, state } = service;
  const said = forOne(service, table);
  if (
    heard &&
    heard.node === said.node &&
    (heard.incarnation > said.incarnation || (heard.incarnation === said.incarnation && heard.seq >= said.seq))
  )
    return nothing('it was heard of since');
  if (said.entry && said.back !== 'anew' && said.entry.instance === instanceOf(service)) return onShown(service, said.entry, said, now);
  const also = { heard: heardAfter(heard, said) };
  // What was ordered since is not in it.
  if (state.is === 'starting' && !service.running && service.since >= said.at) return nothing('it is being started since');
  if (service.stopping) return unregistered(service, 'its node does not show it, and it was to stop');
  if (said.back !== 'no')
    return started(
      service,
      { because: `its node is back, and it is to run (it was ${state.is})`, also: { ...also, ...anew }, ended: hasEnded(said) },
      now,
    );
  if (state.is === 'failed') return nothing('it has failed, as it is on record');
  // Of one whose process nobody has said yet the agent may not have been told.
  if (state.is === 'starting' && !service.running) return nothing('it is being started');
  if (state.is === 'stopping') return unregistered(service, 'its node does not show it any more, and it was about to end');
  return moved(service, 'failed', { because: 'its node does not show it', reason: 'exited', also, ended: true }, now)!;
}

/**
 * What has begun since its node is back did not go with it: to that the first table of a boot is one like any other.
 */
const forOne = ({ heard }: Service, said: TableSaid): TableSaid =>
  heard?.node === said.node && heard.incarnation === said.incarnation && said.back === 'anew' ? { ...said, back: 'no' } : said;

/** Nothing of it runs any more, of whichever instance. */
const hasEnded = ({ back, entry }: TableSaid): boolean => back === 'anew' || entry === undefined;

/** With its node it has all its attempts again. */
const anew = { attempts: 0 } as const;

function onShown(before: Service, entry: RunningService, said: TableSaid, now: EpochMs): Decision<Service> {
  const { pid, born, state } = entry;
  const service = holdsItsOwn(before);
  const { running } = service;
  const heardNow = { heard: heardAfter(service.heard, said) };
  const isSame = service === before && running?.pid === pid && (running.born ?? born) === (born ?? running.born);
  if (service.accepted && running?.pid !== pid)
    return started(service, { because: `its node shows it with pid ${pid}, perhaps as it was ordered before`, also: heardNow }, now);
  // What another life has said that it runs with ended with that.
  const { drift, ...asOrdered } = service;
  const shown = running !== undefined && running.pid !== pid ? asOrdered : service;
  const also = { ...heardNow, running: { pid, ...(born !== undefined && { born }) } };
  const move = state === service.state.is ? undefined : state === 'online' ? 'online' : state === 'stopping' ? 'stopping' : undefined;
  const because = `its node shows it ${state}, with pid ${pid}`;
  const next = move && moved(shown, move, { because, also }, now);
  if (next) return next;
  if (isSame) return nothing(`it runs with pid ${pid}; on record it is ${service.state.is}`);
  return write<Service, never>({ ...shown, ...also }, because, { wakeAt: dueAt(service) });
}
