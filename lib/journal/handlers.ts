import type { AdminCall, AdminCaller } from '../access/verify-admin.ts';
import { isEverywhere, seesZone, visibleData } from '../access/zones-of-caller.ts';
import { Refusal } from '../api/problem.ts';
import { EpochMs, minuteMs, plusMs } from '../core/time.ts';
import { cursorAt, positionOf } from '../runtime/cursors.ts';
import { inParts } from '../runtime/in-parts.ts';
import type { Answer } from '../runtime/on-route.ts';
import type { Shell } from '../runtime/shell.ts';
import { foundZone } from '../zones/reads/found.ts';
import { type JournalEnd, journalForMs, ofNoZone } from './journal.ts';
import { type PartRead, pageOf, wantsTypes } from './page.ts';
import { lastOf, type Place, type Position, positionIn, positionText } from './position.ts';
import { journalEnds, journalParts, journalRows, placeSince } from './reads.ts';
import { cursorCharsMax } from './routes.ts';

/** The most rows of a part that one page reads: a filter that matches few gives short pages with `more`. */
const rowsMax = 100;
/** Parts that are read at once. */
const partsAtOnce = 10;
/** By how much the clocks of two functions may differ. */
const skewMs = minuteMs;
const signature = 'changes';

/**
 * The events of the caller's zones since a cursor or a moment; without either, the cursor of now. A zone that the
 * cursor does not know, such as one that was created since, is read from the moment with which the reader began.
 */
export async function listChanges({ query, caller }: AdminCall<'listChanges'>, shell: Shell): Promise<Answer> {
  const { limit, type } = query;
  const at = shell.now();
  const from = await positionFrom(query, shell);
  const { ends, ended } = await endsFor(query.zones, from, caller, shell);
  const parts = await inParts([...ends], partsAtOnce, async ([part, end]) => ({
    part,
    end,
    place: await placeFrom(from, part, end, shell),
  }));
  const behind = parts.filter(({ end, place }) => end.n > place.n);
  const reads = await inParts(behind, partsAtOnce, ({ part, place }) => readFrom(shell, part, place));
  const page = pageOf(reads, { limit, wants: wantsTypes(type?.split(',') ?? []) });
  const items = page.events.map((event) => ({ ...event, data: visibleData(caller, event.type, event.data) }));
  // A part that is not asked for now keeps its place, so that it is not read twice later. So does one that had ended a
  // moment ago, and has had a row since, which this reader has read.
  const before = [...from.places].filter(([part, place]) => lastOf(place) > (ended.get(part)?.n ?? -1));
  const places = new Map([...before, ...parts.map(({ part, place }) => [part, place] as const), ...page.places]);
  const next = await cursorOf({ at, begun: from.begun, places }, shell);
  return { status: 200, body: { items, next, more: page.more } };
}

/** Where to read from; `now`: from the ends of all parts. */
type From = Pick<Position, 'begun' | 'places'> & { readonly now?: true };

async function positionFrom({ after, since }: AdminCall<'listChanges'>['query'], shell: Shell): Promise<From> {
  if (after !== undefined && since !== undefined)
    throw new Refusal('invalid', '/since: give after or since, not both', {
      errors: [{ pointer: '/since', detail: 'give after or since, not both' }],
    });
  const cursor = await positionOf(shell, after, signature);
  if (cursor === undefined && since === undefined) return { begun: plusMs(shell.now(), -skewMs), places: new Map(), now: true };
  const position = cursor === undefined ? beginning(EpochMs.parse(Date.parse(since ?? ''))) : positionIn(cursor);
  if (position.at < plusMs(shell.now(), -journalForMs)) throw expired();
  return position;
}

const beginning = (at: EpochMs): Position => ({ at, begun: at, places: new Map() });

const expired = (): Refusal =>
  new Refusal(
    'changes-expired',
    'events of that time are no longer in the journal, which has those of the last 24 h: load anew what you show, and start again without after',
  );

async function placeFrom({ begun, places, now }: From, part: string, end: JournalEnd, shell: Shell): Promise<Place> {
  if (now) return { n: end.n, k: 0 };
  return places.get(part) ?? placeSince(shell, part, end, begun);
}

async function readFrom(shell: Shell, part: string, from: Place): Promise<PartRead> {
  const read = await journalRows(shell, part, from.n, rowsMax);
  // The end has moved on, and so there is a row.
  if (!read || read.rows.length === 0) throw expired();
  return { part, from, ...read };
}

/**
 * The ends of the parts that the call is about: of the zones that it names, or of all that the caller sees; and those
 * parts of which no row is left. The index of parts may be late, so that parts which the cursor knows are asked for
 * whatever it shows. Throws a {@link Refusal} for a zone that does not exist, or that the caller does not see.
 */
async function endsFor(zones: string | undefined, { places }: From, caller: AdminCaller, shell: Shell): ReturnType<typeof journalEnds> {
  const named = zones === undefined ? undefined : [...new Set(zones.split(','))];
  for (const zone of named ?? [])
    if (!seesZone(caller, zone === ofNoZone ? undefined : zone)) throw new Refusal('unknown-zone', `no zone is called ${zone}`);
  const all = async (): Promise<Iterable<string>> =>
    isEverywhere(caller) ? new Set([...(await journalParts(shell)), ...places.keys()]) : caller.zones;
  const found = await journalEnds(shell, named ?? [...(await all())]);
  // A zone that is deleted has its events for as long as others.
  for (const zone of named ?? [])
    if (!found.ends.has(zone) && !found.ended.has(zone) && zone !== ofNoZone) await foundZone(shell, zone, caller);
  return found;
}

async function cursorOf(position: Position, shell: Shell): Promise<string> {
  const cursor = await cursorAt(shell, positionText(position), signature);
  if (cursor.length <= cursorCharsMax) return cursor;
  const detail = `a cursor for ${position.places.size} zones is too long: name fewer in zones`;
  throw new Refusal('invalid', `/zones: ${detail}`, { errors: [{ pointer: '/zones', detail }] });
}
