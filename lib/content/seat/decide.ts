import type { Published } from '../../../events/catalogue.ts';
import { type Decision, type Grace, graced, nothing, type Tick, write } from '../../core/decision.ts';
import type { NodeId, ZoneName } from '../../core/ids.ts';
import { type EpochMs, earlier, minuteMs, plusMs, secondMs } from '../../core/time.ts';
import {
  aheadMax,
  clocksMs,
  type Editor,
  editorsMax,
  grantMs,
  idleMs,
  noteMs,
  readMs,
  renewMs,
  type Seat,
  type Seated,
  type Via,
} from './seat.ts';

type SeatEvent = Extract<Published, { type: `seat.${string}` }>;
type Decided = Decision<Seat, SeatEvent>;

/** How the node that is the seat is now: `silent` may be heard again; `gone` is no seat any more, and why. */
export type SeatNode = { readonly is: 'up' | 'silent' } | { readonly is: 'gone'; readonly because: string };

/** A node that can become the seat. */
export type Candidate = Pick<Seated, 'node' | 'fqdn' | 'generation'>;

/**
 * Somebody wants to edit common content. `changes`: a call that changes something follows. `seatNode`: how the present
 * seat is; `candidates`: nodes that can become the seat, the one with the least load first.
 */
export type EditIntent = {
  readonly zone: ZoneName;
  readonly who: string;
  readonly via: Via;
  readonly by: string;
  readonly changes: boolean;
  readonly seatNode: SeatNode | undefined;
  readonly candidates: readonly Candidate[];
};

/** `granted`: common content may be edited at the seat; `later`: not yet, and from when on it may be. */
export type Edited =
  | { readonly is: 'granted'; readonly seated: Seated; readonly epoch: number }
  | { readonly is: 'later'; readonly until: EpochMs; readonly why: string };

type DecidedEdit = Decided & { readonly edited: Edited };

/** Common content is edited nowhere yet. */
const none: Seat = { epoch: 0 };

/**
 * Lets somebody edit: at the seat, or at the node that becomes the seat because nobody edits. Another node than the
 * last becomes the seat only once nothing can be open there any more.
 */
export function decideEdit(seat: Seat | undefined, intent: EditIntent, now: EpochMs): DecidedEdit {
  const before = seat ?? none;
  const { seated } = before;
  const { seatNode } = intent;
  const { reading } = before;
  if (reading && reading.until > now) return later(nothing('its content is read'), beingRead(reading, now));
  if (seated && seatNode?.is === 'silent') return later(nothing('the seat is not heard'), silence(seated, now));
  if (seated && seatNode?.is !== 'gone') return entered(before, seated, intent, { now, events: [] });
  const lost = seated && seatNode?.is === 'gone' ? lose(before, seated, intent.zone, seatNode.because) : undefined;
  const free = lost?.next ?? before;
  const elected = elect(free, intent, now);
  if ('why' in elected) return later(lost ? write(lost.next, lost.because, { events: [lost.event] }) : nothing(elected.why), elected);
  const event: SeatEvent = { type: 'seat.elected', version: 1, data: aboutOf(elected.next, elected.seated, intent.zone) };
  return entered(elected.next, elected.seated, intent, { now, events: [...(lost ? [lost.event] : []), event] });
}

const later = (decision: Decided, { until, why }: { readonly until: EpochMs; readonly why: string }): DecidedEdit => ({
  ...decision,
  edited: { is: 'later', until, why },
});

const silence = ({ fqdn }: Seated, now: EpochMs) => ({
  until: plusMs(now, renewMs),
  why: `common content is edited on ${fqdn}, which is not heard now: either it is heard again soon, or another becomes the seat`,
});

const beingRead = ({ fqdn, until }: NonNullable<Seat['reading']>, now: EpochMs) => ({
  until: earlier(until, plusMs(now, readMs)) ?? until,
  why: `the common content of ${fqdn} is being read, to be the next revision: it can be edited again in some minutes`,
});

type Elected = { readonly next: Seat; readonly seated: Seated } | { readonly until: EpochMs; readonly why: string };

/**
 * The node with changes that the others lack, if it can be the seat; else the one on which content may still be open,
 * so that nobody waits; else the first of the candidates.
 */
function elect(seat: Seat, { zone, candidates }: EditIntent, now: EpochMs): Elected {
  const open = seat.before && plusMs(seat.before.until, clocksMs) > now ? seat.before : undefined;
  const wanted = [...(seat.ahead ?? []), ...(open ? [open] : [])];
  const chosen = wanted.flatMap((place) => candidates.find(isAt(place)) ?? [])[0] ?? candidates[0];
  if (!chosen) return { until: plusMs(now, renewMs), why: `no Uyuni server of zone ${zone} is up, and has the last revision` };
  if (open && !isAt(open)(chosen))
    return { until: plusMs(open.until, clocksMs), why: `common content may still be open on ${open.fqdn}, which was the seat before` };
  const { before: _over, seated: _none, ...rest } = seat;
  const { node, fqdn, generation } = chosen;
  const seated: Seated = { node, fqdn, generation, since: now, until: plusMs(now, grantMs), editors: [] };
  return { next: { ...rest, epoch: seat.epoch + 1, seated }, seated };
}

const isAt =
  ({ node, generation }: Pick<Candidate, 'node' | 'generation'>) =>
  (one: Pick<Candidate, 'node' | 'generation'>): boolean =>
    one.node === node && one.generation === generation;

type Entering = { readonly now: EpochMs; readonly events: readonly SeatEvent[] };

/** The seat with this editor, whose grant lasts for a while. */
function entered(seat: Seat, seated: Seated, { zone, who, via, by, changes }: EditIntent, { now, events }: Entering): DecidedEdit {
  const known = seated.editors.find(isOf({ who, via, by }));
  if (!known && seated.editors.length >= editorsMax)
    return later(nothing('too many edit'), { until: plusMs(now, idleMs), why: `${editorsMax} people edit in zone ${zone} already` });
  const editor: Editor = known ? { ...known, at: now } : { who, via, by, since: now, at: now };
  const others = seated.editors.filter((one) => one !== known);
  const until = seated.until - now < renewMs ? plusMs(now, grantMs) : seated.until;
  const next: Seated = { ...seated, until, editors: [...others, editor] };
  const ahead = changes ? withAhead(seat.ahead, seated, now) : seat.ahead;
  const edited: Edited = { is: 'granted', seated: next, epoch: seat.epoch };
  const isKnown = known && now - known.at < noteMs && until === seated.until && ahead === seat.ahead;
  if (isKnown) return { ...nothing(`${who} edits on ${seated.fqdn}`), edited: { ...edited, seated } };
  const entry: SeatEvent = {
    type: 'seat.entered',
    version: 1,
    data: { ...aboutOf(seat, seated, zone), who, via, editors: next.editors.length },
  };
  const decision: Decided = write(
    { ...seat, seated: next, ...(ahead && { ahead }) },
    events.length > 0 ? `elected, because ${who} edits` : `${who} edits`,
    { events: [...events, ...(known ? [] : [entry])], wakeAt: wakeOf(next) },
  );
  return { ...decision, edited };
}

/** Whether it is this editor; what is left out may be any. */
const isOf =
  ({ who, via, by }: { readonly [name in 'who' | 'via' | 'by']?: Editor[name] | undefined }) =>
  (one: Editor): boolean =>
    one.who === (who ?? one.who) && one.via === (via ?? one.via) && one.by === (by ?? one.by);

/** When something can be so by itself: a grant is to be renewed, or an editor has been idle for too long. */
const wakeOf = ({ until, editors }: Seated): EpochMs =>
  editors.map(({ at }) => plusMs(at, idleMs)).reduce((first, one) => (one < first ? one : first), plusMs(until, -renewMs));

const aboutOf = ({ epoch }: Seat, { node, fqdn }: Pick<Seated, 'node' | 'fqdn'>, zone: ZoneName) => ({ zone, node, fqdn, epoch });

/** The nodes that are ahead, with this one first; the same list where that is so since a short time ago. */
function withAhead(ahead: Seat['ahead'] = [], { node, fqdn, generation }: Candidate, now: EpochMs): NonNullable<Seat['ahead']> {
  const [first] = ahead;
  if (first && isAt({ node, generation })(first) && now - first.at < noteMs) return ahead;
  return [{ node, fqdn, generation, at: now }, ...ahead.filter((one) => one.node !== node)].slice(0, aheadMax);
}

/** The seat without its node; common content may be open there until the last grant has run out. */
function unseated({ seated: _over, before: _older, ...rest }: Seat, { node, fqdn, generation, until }: Seated): Seat {
  return { ...rest, before: { node, fqdn, generation, epoch: rest.epoch, until } };
}

function lose(seat: Seat, seated: Seated, zone: ZoneName, why: string) {
  const event: SeatEvent = {
    type: 'seat.lost',
    version: 1,
    data: { ...aboutOf(seat, seated, zone), editors: seated.editors.length, isAhead: isAhead(seat, seated), why },
  };
  return { next: unseated(seat, seated), event, because: `lost: ${why}` };
}

const isAhead = ({ ahead }: Seat, seated: Seated): boolean => ahead?.some(isAt(seated)) ?? false;

/** These editors leave, for this reason; the seat ends with the last of them. */
function left(seat: Seat, seated: Seated, zone: ZoneName, { leaving, why }: { readonly leaving: readonly Editor[]; readonly why: string }) {
  const editors = seated.editors.filter((one) => !leaving.includes(one));
  const about = aboutOf(seat, seated, zone);
  const events: SeatEvent[] = leaving.map(({ who, via }, n) => {
    const rest = seated.editors.length - n - 1;
    return { type: 'seat.left', version: 1, data: { ...about, who, via, editors: rest, why } };
  });
  if (editors.length > 0) return { next: { ...seat, seated: { ...seated, editors } }, events };
  const ended: SeatEvent = { type: 'seat.ended', version: 1, data: { ...about, isAhead: isAhead(seat, seated) } };
  return { next: unseated(seat, seated), events: [...events, ended] };
}

/** Who does not edit any more: one editor, or all of them without `who`; and why, in words about them and by itself. */
export type Leaving = {
  readonly zone: ZoneName;
  readonly who?: string | undefined;
  readonly via?: Via | undefined;
  readonly by?: string | undefined;
  readonly because: string;
  readonly why: string;
};

/** Editors have finished, or are ended by an operator. */
export function decideLeave(seat: Seat | undefined, { zone, who, via, by, because, why }: Leaving): Decided {
  const seated = seat?.seated;
  if (!seat || !seated) return nothing('nobody edits common content');
  const leaving = seated.editors.filter(isOf({ who, via, by }));
  if (leaving.length === 0) return nothing(`${who} does not edit common content`);
  const { next, events } = left(seat, seated, zone, { leaving, why });
  return write(next, because, { events, ...(next.seated && { wakeAt: wakeOf(next.seated) }) });
}

/**
 * A server has reported that common content was changed on it: what the others do not have, if it is the seat, or was
 * the last, since servers report a while after the change.
 */
export function decideChanged(seat: Seat | undefined, { node }: { readonly node: NodeId }, now: EpochMs): Decided {
  const place = [seat?.seated, seat?.before].find((one) => one?.node === node);
  if (!seat || !place) return nothing('it is not the seat');
  const ahead = withAhead(seat.ahead, place, now);
  if (ahead === seat.ahead) return nothing('that was noted a moment ago');
  return write({ ...seat, ahead }, `common content was changed on ${place.fqdn}`, { ...(seat.seated && { wakeAt: wakeOf(seat.seated) }) });
}

/** An operator says that what was changed on a node is on all others of the zone. */
export function decideSynced(seat: Seat | undefined, { node }: { readonly node: NodeId }): Decided {
  const ahead = seat?.ahead?.filter((one) => one.node !== node);
  if (!seat || !ahead || ahead.length === seat.ahead?.length) return nothing('nothing is known to have been changed there alone');
  const { ahead: _before, ...rest } = seat;
  const because = 'what was changed there is on the other servers';
  return write({ ...rest, ...(ahead.length > 0 && { ahead }) }, because, { ...(seat.seated && { wakeAt: wakeOf(seat.seated) }) });
}

/** Time passes: grants are renewed while somebody edits, idle editors leave, and a seat that is gone is lost. */
export type SeatTick = Tick & { readonly zone: ZoneName; readonly seatNode: SeatNode | undefined };

/** What time alone does to a seat. */
export function decideTick(seat: Seat | undefined, { zone, seatNode, ...grace }: SeatTick, now: EpochMs): Decided {
  const seated = seat?.seated;
  if (!seat || !seated) return nothing('nobody edits common content');
  if (seatNode?.is === 'gone') {
    const { next, event, because } = lose(seat, seated, zone, seatNode.because);
    return write(next, because, { events: [event] });
  }
  const idle = seated.editors.filter((one) => isIdle(one, grace, now));
  const why = `nothing was heard for ${idleMs / minuteMs} minutes`;
  const { next, events } = idle.length > 0 ? left(seat, seated, zone, { leaving: idle, why }) : { next: seat, events: [] };
  if (!next.seated) return write(next, why, { events });
  const isDue = seatNode?.is === 'up' && next.seated.until - now <= renewMs;
  const renewed = isDue ? { ...next.seated, until: plusMs(now, grantMs) } : next.seated;
  // A seat that is silent is looked at again soon, as its grant may run out.
  const wakeAt = seatNode?.is === 'silent' ? plusMs(now, silentAgainMs) : wakeOf(renewed);
  if (renewed === seated) return nothing(seatNode?.is === 'silent' ? 'the seat is not heard' : 'its grant lasts', wakeAt);
  return write({ ...next, seated: renewed }, idle.length > 0 ? why : 'somebody edits', { events, wakeAt });
}

/** How soon a silent seat is looked at again, in ms. */
const silentAgainMs = 5 * secondMs;

const isIdle = ({ at }: Editor, grace: Grace, now: EpochMs): boolean => graced(plusMs(at, idleMs), grace) <= now;

/** The content of a node is to be read, by an order; until when at the latest. */
export type Reading = NonNullable<Seat['reading']>;

/** Who edits besides the one that has the content read; more than one has to be asked. */
export const othersAt = (seat: Seat | undefined, by: string): readonly string[] =>
  (seat?.seated?.editors ?? []).filter((one) => one.who !== by).map(({ who }) => who);

/** Ends all editing, because the content of a node is read as the next revision. */
export function decideReading(seat: Seat | undefined, zone: ZoneName, reading: Reading): Decided {
  const before = seat ?? none;
  const why = `the content of ${reading.fqdn} is read as the next revision`;
  const { seated } = before;
  if (!seated) return write({ ...before, reading }, why);
  const { next, events } = left(before, seated, zone, { leaving: seated.editors, why });
  return write({ ...next, reading }, why, { events });
}

/** The content was read, or could not be. What was changed on that node is then on its way to the others. */
export function decideRead(seat: Seat | undefined, { order, isDone }: { readonly order: string; readonly isDone: boolean }): Decided {
  const reading = seat?.reading;
  if (!seat || reading?.order !== order) return nothing('it is not read');
  const { reading: _over, ahead: before, ...rest } = seat;
  const ahead = isDone ? before?.filter(({ node }) => node !== reading.node) : before;
  return write(
    { ...rest, ...(ahead && ahead.length > 0 && { ahead }) },
    `the content of ${reading.fqdn} ${isDone ? 'was read' : 'could not be read'}`,
  );
}
