import { type Decision, nothing, write } from '../../../core/decision.ts';
import type { ActionNumber } from '../../../core/ids.ts';
import type { EpochMs } from '../../../core/time.ts';
import { actsMax, type ContentDone, type Desired, type DesiredContent, type DesiredExport, type DesiredSeat } from '../desired.ts';

/**
 * Records an order about processes of the node: its agent compares the revision of what it should do, and asks anew.
 */
export const decideOrder = (desired: Desired | undefined, because: string): Decision<Desired> =>
  write<Desired, never>({ release: [], ...desired, orders: (desired?.orders ?? 0) + 1 }, because);

/** Has the agent offer the systems of its server for adoption, for this order; without one it need not any more. */
export function decideAdopt(desired: Desired | undefined, order: string | undefined): Decision<Desired> {
  const { adopt: _before, ...rest } = desired ?? { release: [] };
  const because = order === undefined ? 'the systems of its server were taken' : 'its systems are to be adopted';
  return write<Desired, never>({ ...rest, ...(order !== undefined && { adopt: order }) }, because);
}

/**
 * Has the agent take its part of an order to act on client systems, which it does until a moment at the latest. Nothing
 * changes where as many wait already as a row may have.
 */
export function decideAct(
  desired: Desired | undefined,
  { number, until }: { readonly id: string; readonly number: ActionNumber; readonly until: EpochMs },
  now: EpochMs,
): Decision<Desired> {
  const { act: before = [], ...rest } = desired ?? { release: [] };
  const act = before.filter((one) => one.until >= now && one.number !== number);
  if (act.length >= actsMax) return nothing(`${act.length} orders wait for its agent`);
  return write<Desired, never>({ ...rest, act: [...act, { number, until }] }, `its part of action ${number} is to be taken`);
}

/** The agent has taken its part of an order, or has none. */
export function decideActed(desired: Desired | undefined, number: ActionNumber): Decision<Desired> {
  const { act: before = [], ...rest } = desired ?? { release: [] };
  const act = before.filter((one) => one.number !== number);
  if (act.length === before.length) return nothing('it does not wait');
  return write<Desired, never>({ ...rest, ...(act.length > 0 && { act }) }, `its part of action ${number} was taken`);
}

/** Tells the agent that common content is open on its node until a moment; without a seat it is not any more. */
export function decideSeat(desired: Desired | undefined, seat: DesiredSeat | undefined): Decision<Desired> {
  const { seat: before, ...rest } = desired ?? { release: [] };
  if (before?.epoch === seat?.epoch && before?.until === seat?.until) return nothing('its agent was told already');
  const because = seat ? `common content is edited there, epoch ${seat.epoch}` : 'common content is not edited there any more';
  return write<Desired, never>({ ...rest, ...(seat && { seat }) }, because);
}

/** Has the agent read the common content of its server and store it; without an order it need not any more. */
export function decideExport(desired: Desired | undefined, order: DesiredExport | undefined): Decision<Desired> {
  const { export: before, ...rest } = desired ?? { release: [] };
  if (before?.order === order?.order) return nothing('its agent was told already');
  const because = order ? 'its common content is to be read' : 'its common content need not be read any more';
  return write<Desired, never>({ ...rest, ...(order && { export: order }) }, because);
}

/** Has the agent have a revision of common content, unless it has, or is to have, that or a later one. */
export function decideContent(desired: Desired | undefined, content: DesiredContent): Decision<Desired> {
  const before = desired?.content;
  // Each order has another name, so that a report about one that was forgotten is none about the next.
  if (before && before.generation === content.generation && before.revision >= content.revision)
    return nothing(`its agent was told of revision ${before.revision} already`);
  return write<Desired, never>({ release: [], ...desired, content }, `it is to have revision ${content.revision}`);
}

/** Records what became of an order to have a revision. */
export function decideContentDone(desired: Desired | undefined, order: string, done: ContentDone): Decision<Desired> {
  const { content, ...rest } = desired ?? { release: [] };
  if (content?.order !== order) return nothing('another order came since');
  if (content.done) return nothing('that is known already');
  const because = `revision ${content.revision} ${done.is === 'applied' ? 'is on it' : 'could not be applied'}`;
  return write<Desired, never>({ ...rest, content: { ...content, done } }, because);
}

/** Forgets what became of a revision on a node, so that its agent gets another order. */
export function decideForgetContent(desired: Desired | undefined, revision: number): Decision<Desired> {
  const { content, ...rest } = desired ?? { release: [] };
  if (content?.revision !== revision || content.done?.is === 'applied') return nothing('it has not failed');
  return write<Desired, never>(rest, `revision ${revision} is tried again`);
}
