import type { Envelope } from '../../events/envelope.ts';

/** A published event, and its place in the stream, if it came by the stream: `<feed offset>.<n>`. */
export type LiveEvent = Envelope & { readonly place?: string };

/** The noun of an event: what it begins with, such as `node`. */
export const nounOf = ({ type }: Pick<LiveEvent, 'type'>): string => type.slice(0, type.indexOf('.'));

/** Whether it is news of something that went wrong. */
export const isBad = ({ type }: Pick<LiveEvent, 'type'>): boolean =>
  /\.(lost|failed|disrupted|crowded|recovery-late|banned|suspected|quarantined|silent|refused|expired|duplicated)$/.test(type);

/** The first label of the name of what an event is about, or its id where it has no name. */
export function nameOf({ data, subject }: Pick<LiveEvent, 'data' | 'subject'>): string {
  const name = data['fqdn'] ?? data['host'] ?? (subject.startsWith('zone/') ? data['zone'] : undefined);
  return typeof name === 'string' ? name.split('.')[0]! : subject.slice(subject.indexOf('/') + 1).slice(0, 16);
}
