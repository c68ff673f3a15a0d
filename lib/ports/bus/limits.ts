import { MusterError } from '../../core/errors.ts';
import type { Envelope } from './bus.ts';

/** An event that no bus will ever take: it becomes a dead letter. */
export class Unpublishable extends MusterError {
  override readonly name = 'Unpublishable';
  constructor(code: 'bus.too-large' | 'bus.refused', message: string, options?: ErrorOptions) {
    super(code, message, 'never', options);
  }
}

/** Events in one call of EventBridge, from its quotas. */
export const entriesMax = 10;

/**
 * The largest entry, and the largest sum of the entries of one call, in bytes. EventBridge takes 1 MB since January
 * 2026, and took 256 KB before. An event may become a message, so this is a little below the limit of our queues,
 * because an entry is larger than its detail.
 */
export const entryBytesMax = 256 * 1024 - 1;

/** The `source` that rules match. */
export const sourceOfEvents = 'muster';

/** An event as it is sent, and its size by EventBridge's rule: source, type and detail in UTF-8. */
export type Entry = { readonly event: Envelope; readonly detail: string; readonly bytes: number };

/**
 * The events as they are sent. Throws {@link Unpublishable} naming the first that EventBridge might refuse for its
 * size, so that every bus has the same limit.
 */
export const admitEvents = (events: readonly Envelope[], source: string = sourceOfEvents): readonly Entry[] =>
  events.map((event) => {
    const detail = JSON.stringify(event);
    const bytes = Buffer.byteLength(source) + Buffer.byteLength(event.type) + Buffer.byteLength(detail);
    if (bytes > entryBytesMax)
      throw new Unpublishable(
        'bus.too-large',
        `event ${event.id} (${event.type}) takes ${bytes} B on the bus; the limit is ${entryBytesMax} B`,
      );
    return { event, detail, bytes };
  });
