import type { LiveEvent } from '../live/event.ts';
import type { NodeState } from '../map/slot-map.tsx';
import type { ZoneMap } from '../map/slots.ts';

/** How far back one can go. */
export const replayMs = 3_600_000;

/** What a node is after an event of this type. */
const statusAfter: Readonly<Record<string, string>> = {
  'node.joined': 'joining',
  'node.activated': 'up',
  'node.recovered': 'up',
  'node.readmitted': 'joining',
  'node.suspected': 'suspect',
  'node.lost': 'down',
  'node.dropped': 'dropped',
  'node.departing': 'leaving',
  'node.quarantined': 'quarantined',
};
/** What a node was before an event of this type, as far as that can be told. */
const statusBefore: Readonly<Record<string, string>> = {
  'node.suspected': 'up',
  'node.lost': 'suspect',
  'node.departing': 'up',
  'node.activated': 'joining',
};

/**
 * How the nodes were at a moment (ISO 8601): by their last event before it, else by their first one after it, else as
 * they are now. `events` are in order.
 */
export function statesAt(at: string, events: readonly LiveEvent[], now: ReadonlyMap<string, NodeState>): Map<string, NodeState> {
  const states = new Map(now);
  const decided = new Set<string>();
  for (const { type, time, subject, because = '' } of events) {
    if (!subject.startsWith('node/')) continue;
    const node = subject.slice('node/'.length);
    if (time <= at) {
      const status = statusAfter[type];
      if (status !== undefined) states.set(node, { status, because });
      if (status !== undefined) decided.add(node);
    } else if (!decided.has(node)) {
      const status = statusBefore[type];
      if (status !== undefined) states.set(node, { status, because: `before: ${because}` });
      decided.add(node);
    }
  }
  return states;
}

/** A map that this page has had, and from when on. */
export type KeptMap = { readonly at: string; readonly map: ZoneMap };

/** Adds a map to those that are kept, unless it is the one of before; 300 are kept, an hour of a busy zone. */
export function kept(maps: readonly KeptMap[], map: ZoneMap, at: string): readonly KeptMap[] {
  const last = maps.at(-1);
  if (last !== undefined && last.map.zone === map.zone && last.map.version === map.version) return maps;
  return [...maps.filter((one) => one.map.zone === map.zone), { at, map }].slice(-300);
}

/** That slots of the zone went to other nodes: when, and the version that the map had then. */
export type Moved = { readonly at: string; readonly version: number };

/** When slots of a zone went to other nodes, by its events: each change of an owner is one. */
export const movesIn = (zone: string, events: readonly LiveEvent[]): readonly Moved[] =>
  events.flatMap(({ type, time, data }) =>
    type === 'zone.rebalanced' && data['zone'] === zone && typeof data['mapVersion'] === 'number'
      ? [{ at: time, version: data['mapVersion'] }]
      : [],
  );

/** Whether slots were where a map has them at a moment: none moved between the two. */
const isOf = ({ map }: KeptMap, at: string, moves: readonly Moved[]): boolean =>
  moves.every((move) => (move.at <= at ? map.version >= move.version : map.version < move.version));

/**
 * The map that holds for a moment: of those that the page has had, the last one before it, or the first one after it.
 * Undefined when slots were elsewhere then than any of them says. Muster itself keeps no maps of the past.
 */
export function mapAt(at: string, maps: readonly KeptMap[], moves: readonly Moved[]): ZoneMap | undefined {
  const some = maps.filter((one) => isOf(one, at, moves));
  return (some.findLast((one) => one.at <= at) ?? some[0])?.map;
}

/** A part of the hour, in ms since 1970. */
export type Span = { readonly from: number; readonly to: number };

/** The parts of an hour of which no map is known, in order. */
export function gapsIn({ from, to }: Span, maps: readonly KeptMap[], moves: readonly Moved[]): readonly Span[] {
  const times = [from, ...moves.map(({ at }) => Date.parse(at)).filter((at) => at > from && at < to), to];
  const gaps: Span[] = [];
  for (const [n, begins] of times.slice(0, -1).entries()) {
    if (mapAt(new Date(begins).toISOString(), maps, moves) !== undefined) continue;
    const before = gaps.at(-1);
    const gap = { from: begins, to: times[n + 1]! };
    if (before?.to === begins) gaps[gaps.length - 1] = { from: before.from, to: gap.to };
    else gaps.push(gap);
  }
  return gaps;
}

const clockText = (ms: number): string => new Date(ms).toLocaleTimeString('en-GB');

/** Gaps in words: `before 12:03:41, and 12:10:05 to 12:12:30`. */
export const gapsText = (gaps: readonly Span[], hour: Span): string =>
  gaps.map(({ from, to }) => (from === hour.from ? `before ${clockText(to)}` : `${clockText(from)} to ${clockText(to)}`)).join(', and ');
