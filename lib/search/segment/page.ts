import { type Bitmap, each, eachDown, firstOf, has, ordinalsOf } from './bitmap.ts';
import { idAt, placeOfId } from './ids.ts';
import { compareNames } from './name-order.ts';
import { placesOfWhole } from './name-places.ts';
import { firstName, isFirst, ownerOf } from './names.ts';
import { numberAt } from './numbers.ts';
import type { Segment } from './segment.ts';
import { nameField } from './term.ts';
import { compareTexts } from './texts.ts';

/**
 * The order of answers: by id, by first name, or by a field of numbers; documents of the same key by id, and documents
 * without one last. `down` turns the order of keys and of ids around.
 */
export type Order = { readonly by: string; readonly down: boolean };
/** The order by id. */
export const byId = 'id';

/** A place in an order, behind a document that may be gone meanwhile; its id, and its key unless the order is by id. */
export type Position = { readonly id: string; readonly key?: string | number };

/** A document of an answer: its position, and its first name if it has one. */
export type Row = { readonly position: Position; readonly name: string | undefined };

/** Orders two positions. */
export function comparePositions({ down }: Order, a: Position, b: Position): number {
  const keys = compareKeys(a.key, b.key);
  if (a.key === undefined || b.key === undefined) if (keys !== 0) return keys;
  const order = keys || compareTexts(a.id, b.id);
  return down ? -order : order;
}

function compareKeys(a: string | number | undefined, b: string | number | undefined): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareNames(a, b);
  return a === b ? 0 : a === undefined ? 1 : b === undefined ? -1 : typeof a === 'number' ? -1 : 1;
}

/** The first rows of a segment behind a position, of some documents: at most `count`. */
export function rowsOf(segment: Segment, among: Bitmap, order: Order, after: Position | undefined, count: number): readonly Row[] {
  return ordinalsIn(segment, among, order, after, count).map((ordinal) => ({
    position: positionOf(segment, order, ordinal),
    name: firstName(segment.names, ordinal),
  }));
}

function ordinalsIn(segment: Segment, among: Bitmap, order: Order, after: Position | undefined, count: number): readonly number[] {
  const isAfter = (ordinal: number): boolean =>
    after === undefined || comparePositions(order, positionOf(segment, order, ordinal), after) > 0;
  const sorted = (ordinals: readonly number[]): number[] =>
    ordinals
      .map((ordinal) => ({ ordinal, position: positionOf(segment, order, ordinal) }))
      .filter(({ position }) => after === undefined || comparePositions(order, position, after) > 0)
      .sort((a, b) => comparePositions(order, a.position, b.position))
      .slice(0, count)
      .map(({ ordinal }) => ordinal);
  if (order.by === byId) return alongIds(segment, among, order, after, count);
  if (among.count <= sortedMax) return sorted([...ordinalsOf(among)]);
  return order.by === nameField
    ? alongNames(segment, among, order, after, count, isAfter)
    : leading(segment, among, order, after, count, isAfter);
}

/** So many documents are sorted rather than looked for along the order of all names. */
const sortedMax = 256;

function positionOf({ ids, names, numbers }: Segment, { by }: Order, ordinal: number): Position {
  const id = idAt(ids, ordinal);
  if (by === byId) return { id };
  const column = numbers.get(by);
  const key = by === nameField ? firstName(names, ordinal) : column && numberAt(column, ordinal);
  return key === undefined ? { id } : { id, key };
}

function alongIds({ ids, size }: Segment, among: Bitmap, { down }: Order, after: Position | undefined, count: number): number[] {
  const place = after === undefined ? 0 : placeOfId(ids, Buffer.from(after.id, 'hex'));
  if (!down) return firstOf(among, count, after !== undefined && place < size && idAt(ids, place) === after.id ? place + 1 : place);
  const found: number[] = [];
  if (count > 0) eachDown(among, (ordinal) => found.push(ordinal) < count, after === undefined ? size : place);
  return found;
}

/** Goes along the order of names from the position on, then takes what has no name. */
function alongNames(
  segment: Segment,
  among: Bitmap,
  order: Order,
  after: Position | undefined,
  count: number,
  isAfter: (ordinal: number) => boolean,
): readonly number[] {
  const { names } = segment;
  const found: number[] = [];
  const [from, to] = typeof after?.key === 'string' ? placesOfWhole(names, after.key) : [0, names.count];
  const isNamed = after === undefined || after.key !== undefined;
  const visit = (place: number): void => {
    const entry = names.order[place] ?? 0;
    const ordinal = ownerOf(names, entry);
    // Names of the position's own document, and of others that are named alike, differ in their ids.
    const isAlike = after !== undefined && place >= from && place < to;
    if (has(among, ordinal) && isFirst(names, entry) && (!isAlike || isAfter(ordinal))) found.push(ordinal);
  };
  if (isNamed && order.down) for (let place = to - 1; place >= 0 && found.length < count; place--) visit(place);
  else if (isNamed) for (let place = from; place < names.count && found.length < count; place++) visit(place);
  if (found.length < count && names.owners)
    found.push(...nameless(segment, among, order.down, count - found.length, isNamed ? () => true : isAfter));
  return found;
}

function nameless({ names }: Segment, among: Bitmap, down: boolean, count: number, isAfter: (ordinal: number) => boolean): number[] {
  const found: number[] = [];
  const visit = (ordinal: number): boolean => {
    if (firstName(names, ordinal) === undefined && isAfter(ordinal)) found.push(ordinal);
    return found.length < count;
  };
  if (down) eachDown(among, visit);
  else each(among, visit);
  return found;
}

/**
 * The documents whose numbers come first. What lies behind the last of those that are kept is not looked at closely.
 */
function leading(
  segment: Segment,
  among: Bitmap,
  order: Order,
  after: Position | undefined,
  count: number,
  isAfter: (ordinal: number) => boolean,
): readonly number[] {
  const column = segment.numbers.get(order.by);
  const last = order.down ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const keyOf = (ordinal: number): number => (column && numberAt(column, ordinal)) ?? last;
  const cut = (all: readonly number[]): number[] =>
    all
      .map((ordinal) => ({ ordinal, position: positionOf(segment, order, ordinal) }))
      .sort((a, b) => comparePositions(order, a.position, b.position))
      .slice(0, count)
      .map(({ ordinal }) => ordinal);
  let best: number[] = [];
  let bound = last;
  const begin = after === undefined ? undefined : typeof after.key === 'number' ? after.key : last;
  each(among, (ordinal) => {
    const key = keyOf(ordinal);
    if (order.down ? key < bound : key > bound) return true;
    // Only a key that is the position's own needs its id to be compared.
    if (begin !== undefined && (key === begin ? !isAfter(ordinal) : order.down ? key > begin : key < begin)) return true;
    best.push(ordinal);
    if (best.length < 4 * count + 64) return true;
    best = cut(best);
    bound = keyOf(best.at(-1) ?? ordinal);
    return true;
  });
  return cut(best);
}
