import type { Envelope } from '../../events/envelope.ts';

/** A published event, and its place in the stream, if it came by the stream: `<feed offset>.<n>`. */
export type LiveEvent = Envelope & { readonly place?: string };

/** The noun of an event: what it begins with, such as `node`. */
export const nounOf = ({ type }: Pick<LiveEvent, 'type'>): string => type.slice(0, type.indexOf('.'));

/** Whether it is news of something that went wrong. */
export const isBad = ({ type }: Pick<LiveEvent, 'type'>): boolean =>
  /\.(lost|failed|disrupted|crowded|recovery-late|banned|suspected|quarantined|silent|refused|expired|duplicated)$/.test(type);

type About = Pick<LiveEvent, 'type' | 'data' | 'subject'>;

/**
 * The first label of the name of what an event is about, or its id where it has no name. What has changed on a server
 * is named besides it.
 */
export function nameOf({ type, data, subject }: About): string {
  const name = data['fqdn'] ?? data['host'] ?? (subject.startsWith('zone/') ? data['zone'] : undefined);
  const about = typeof name === 'string' ? name.split('.')[0]! : subject.slice(subject.indexOf('/') + 1).slice(0, 16);
  const changed = changedBy({ type, data });
  return changed === undefined ? about : `${changed} on ${about}`;
}

type Thing = { readonly number: number; readonly name?: string };

/** The first thing that an event of a server names, and how many more; undefined where any may have changed. */
function changedBy({ type, data }: Omit<About, 'subject'>): string | undefined {
  const things = type === 'system.changed' ? data['systems'] : type === 'content.changed' ? data['things'] : undefined;
  if (!Array.isArray(things) || things.length === 0) return undefined;
  const { number, name = String(number) } = things[0] as Thing;
  const first = type === 'system.changed' ? name.split('.')[0]! : name;
  return things.length === 1 ? first : `${first} and ${things.length - 1} more`;
}

/** Who caused an event, unless that is the node whose name it has. */
export const otherThanNode = ({ who, data }: Pick<LiveEvent, 'who' | 'data'>): string | undefined =>
  who === `node:${String(data['node'])}` ? undefined : who;
