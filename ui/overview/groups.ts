import { isBad, type LiveEvent, nameOf } from '../live/event.ts';

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
  const last: string[] = [];
  for (let n = events.length - 1; n >= 0; n--) {
    const event = events[n]!;
    const { id, time, type, because, who, subject } = event;
    const near = groups.length - among;
    const at = groups.findIndex(
      (group, g) =>
        g >= near &&
        group.type === type &&
        withoutNames(group.because) === withoutNames(because) &&
        Date.parse(last[g]!) - Date.parse(time) < togetherMs,
    );
    const group = groups[at];
    if (group === undefined) {
      if (groups.length === most) break;
      groups.push({ id, time, type, because, who, isBad: isBad(event), n: 1, names: [nameOf(event)], subject });
      last.push(time);
      continue;
    }
    group.n++;
    last[at] = time;
    const name = nameOf(event);
    if (group.names.length < namesMax && !group.names.includes(name)) group.names = [...group.names, name];
  }
  return groups;
}

/** A reason without what differs from one subject to the next: ids, numbers and fingerprints. */
const withoutNames = (because: string | undefined): string | undefined => because?.replace(/\b[\da-f]{8,}\b|\d+/g, '#');
