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

/** The map of a moment: the last one before it, else the first that the page has had. */
export const mapAt = (at: string, maps: readonly KeptMap[]): KeptMap | undefined => maps.findLast((one) => one.at <= at) ?? maps[0];
