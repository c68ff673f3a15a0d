import { write } from '../core/decision.ts';
import { Conflict, Later, MusterError } from '../core/errors.ts';
import { plusMs } from '../core/time.ts';
import type { Envelope } from '../ports/bus/bus.ts';
import { ownerOf } from '../ports/table/keys.ts';
import { type FeedImage, historyForMs, type Key, type Row } from '../ports/table/table.ts';
import { keepAudit } from './audit.ts';
import { contentOf } from './content.ts';
import { putAside } from './dead.ts';
import type { FeedFunction } from './function.ts';
import type { Shell } from './shell.ts';

/** One published event as stored in the history. */
export type HistoryEntry = {
  readonly seq: number;
  readonly type: string;
  readonly version: number;
  readonly at: number;
  readonly because: string;
  readonly by: string;
  /** The actor, if any. */
  readonly who?: string;
  readonly data: object;
};

/** The published parts of a committed row: its last events, and their fields in the history. */
export type Conclusions = Pick<Row, 'key' | 'at' | 'by' | 'because' | 'actor' | 'events'>;

/**
 * Reads the feed: the events of each committed row go to the bus, then into the row's history; the actions of people
 * and automation go into the audit. Repeats are harmless. Throws for transient and unexpected failures, and then gets
 * all images again. An image that can never be published becomes a `dead#` row, and the rest continues.
 */
export const onFeed = (): FeedFunction => ({
  on: 'feed',
  handle: async (images, shell) => {
    try {
      await goOut(images, shell);
    } catch (error) {
      if (!isPoison(error)) throw error;
      for (const image of images) await goOutOrAside(image, shell);
    }
    await keepAudit(shell, images);
  },
});

/**
 * Publishes the events of committed rows and stores them in the history. Throws {@link Later} for transient failures,
 * {@link Poison} for events that can never be published.
 */
export async function goOut(images: readonly { readonly row: Conclusions }[], shell: Shell): Promise<void> {
  await shell.bus.publish(images.flatMap((image) => envelopesOf(image, shell.settings.deployment)));
  await Promise.all(images.map((image) => keepHistory(shell, image)));
  for (const { row } of images)
    if (row.events.length > 0) shell.log('info', 'feed.published', { row: row.key.pk, events: row.events.length });
}

/** One image by itself, to separate an unpublishable one from its neighbours. */
async function goOutOrAside(image: FeedImage, shell: Shell): Promise<void> {
  try {
    await goOut([image], shell);
  } catch (error) {
    if (!isPoison(error)) throw error;
    const { key, at, by, because, actor, events, rev } = image.row;
    const body = JSON.stringify({ key, at, by, because, ...(actor && { actor }), events } satisfies Conclusions);
    const id = deadLetterIdOf(key, rev);
    await putAside(shell, { id, queue: 'feed', via: 'feed', body, sentAt: at, receives: 1 }, error.code, error.message);
  }
}

/**
 * The id of the image's dead letter. Keys are percent-encoded, and gateways decode a path before we see it, so the id
 * must contain no `%`.
 */
const deadLetterIdOf = ({ pk, sk }: Key, rev: number): string => `${pk}#${sk}@${rev}`.replaceAll('%', '=');

/** Only an error with `retry` `never` can never succeed: a fault of ours may be fixed while the feed waits. */
const isPoison = (error: unknown): error is MusterError => error instanceof MusterError && error.retry === 'never';

/** The events of one committed row as CloudEvents; `id` is the row and the event's number, the same on every repeat. */
export function envelopesOf({ row }: { readonly row: Conclusions }, deployment: string): Envelope[] {
  const { noun, id } = ownerOf(row.key);
  return row.events.map((event) => ({
    specversion: '1.0',
    id: `${noun}/${id}#${event.seq}`,
    source: `muster/${deployment}`,
    type: event.type,
    subject: `${noun}/${id}`,
    time: new Date(row.at).toISOString(),
    dataschema: `muster:${event.type}:${event.version}`,
    datacontenttype: 'application/json',
    eventseq: event.seq,
    data: event.data,
  }));
}

/** Stores a row for each event, once. Throws {@link Later} when a row neither exists nor could be made. */
async function keepHistory(shell: Shell, { row }: { readonly row: Conclusions }): Promise<void> {
  const { noun, id } = ownerOf(row.key);
  for (const { seq, type, version, data } of row.events) {
    const ref = { noun: 'history', id: `${noun}:${id}/${seq}` };
    const { at, because, by, actor } = row;
    const entry: HistoryEntry = { seq, type, version, at, because, by, ...(actor && { who: actor.who }), data };
    const put = contentOf(ref, undefined, write(entry, because, { expiresAt: plusMs(at, historyForMs) }), {
      by,
      at,
      exact: true,
    });
    try {
      await shell.table.commit([{ put: put!, readRev: 0 }]);
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      // An earlier delivery made the row, unless the table only refused because it was busy with the row.
      if (!(await shell.table.read(put!.key))) throw new Later('row.busy', `history of ${noun} ${id}: ${error.message}`, { cause: error });
    }
  }
}
