import { isBad, type LiveEvent, nameOf, otherThanNode } from '../live/event.ts';

/** Events of one type with one reason that came together: one line of the feed. */
export type Group = {
  /** The id of its newest event, and when it came. */
  readonly id: string;
  readonly time: string;
  readonly type: string;
  readonly because: string | undefined;
  readonly who: string | undefined;
  readonly isBad: boolean;
  readonly n: number;
  /** The names of the first few, the newest first. */
  readonly names: readonly string[];
  /** What the newest is about, such as `node/…`. */
  readonly subject: string;
};

/** Events of a group are no further apart than this. */
const togetherMs = 15_000;
/** Among how many lines above an event looks for its group: causes and effects come mixed. */
const among = 6;
const namesMax = 3;

/**
 * The feed, the newest first: at most `most` lines, each a group of events. A node that is lost moves thousands of
 * client systems for one reason, and that is one line.
 */
export function grouped(events: readonly LiveEvent[], most: number): Group[] {
  const groups: { -readonly [K in keyof Group]: Group[K] }[] = [];
  /** What the events of each group have in common, and when its oldest came, in ms. */
  const last: { readonly kind: string; at: number }[] = [];
  for (let n = events.length - 1; n >= 0; n--) {
    const event = events[n]!;
    const { kind, at } = factsOf(event);
    const near = Math.max(0, groups.length - among);
    let found = groups.length - 1;
    while (found >= near && !(last[found]!.kind === kind && last[found]!.at - at < togetherMs)) found--;
    const group = found < near ? undefined : groups[found];
    if (group === undefined) {
      if (groups.length === most) break;
      groups.push(groupOf(event));
      last.push({ kind, at });
      continue;
    }
    group.n++;
    last[found]!.at = at;
    if (group.names.length === namesMax) continue;
    const name = nameOf(event);
    if (!group.names.includes(name)) group.names = [...group.names, name];
  }
  return groups;
}

const groupOf = (event: LiveEvent): Group => {
  const { id, time, type, because, subject } = event;
  return { id, time, type, because, who: otherThanNode(event), isBad: isBad(event), n: 1, names: [nameOf(event)], subject };
};

type Facts = { readonly kind: string; readonly at: number };
/** The feed is grouped anew as often as events come, and most of them are those of before. */
const known = new WeakMap<LiveEvent, Facts>();

function factsOf(event: LiveEvent): Facts {
  const before = known.get(event);
  if (before) return before;
  const { type, because, time } = event;
  const facts = { kind: `${type} ${because === undefined ? '' : withoutNames(because)}`, at: Date.parse(time) };
  known.set(event, facts);
  return facts;
}

/** A reason without what differs from one subject to the next: ids, numbers and fingerprints. */
const withoutNames = (because: string): string => because.replace(/\b[\da-f]{8,}\b|\d+/g, '#');
