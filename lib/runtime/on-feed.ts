import { MusterError } from '../core/errors.ts';
import type { Envelope } from '../ports/bus/bus.ts';
import { ownerOf, subjectOf } from '../ports/table/keys.ts';
import type { Actor, Key, Row } from '../ports/table/table.ts';
import { keepAudit } from './audit.ts';
import { putAside } from './dead.ts';
import type { DeadLetter } from './dead-letter.ts';
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

/**
 * The published parts of a committed row: its last events, their fields in the history, and the zone that the row
 * belonged to, if any.
 */
export type Conclusions = Pick<Row, 'key' | 'at' | 'by' | 'because' | 'actor' | 'events'> & { readonly zone?: string | undefined };

/** Keeps what was published for readers that ask later. The runtime knows no noun, and is handed this. */
export type Recorder = {
  /** The zone that a row belongs to; undefined for a row of none. */
  readonly zoneOf: (row: Pick<Row, 'key' | 'body'>) => string | undefined;
  /** Keeps the events once, however often it is called. Throws Later for transient failures. */
  readonly keep: (shell: Shell, published: readonly Conclusions[]) => Promise<void>;
};

/**
 * Reads the feed: the events of each committed row go to the bus, then to the recorder; the actions of people and
 * automation go into the audit. Repeats are harmless. Throws for transient and unexpected failures, and then gets all
 * images again. An image that can never be published becomes a `dead#` row, and the rest continues.
 */
export const onFeed = (recorder: Recorder): FeedFunction => ({
  on: 'feed',
  handle: async (images, shell) => {
    const all = images.map(({ row }) => ({ rev: row.rev, conclusions: conclusionsOf(row, recorder) }));
    try {
      await goOut(
        all.map(({ conclusions }) => conclusions),
        shell,
        recorder,
      );
    } catch (error) {
      if (!isPoison(error)) throw error;
      for (const { rev, conclusions } of all) await goOutOrAside(conclusions, rev, shell, recorder);
    }
    await recorder.keep(
      shell,
      images.flatMap(({ row }) => givenBack(row) ?? []),
    );
    await keepAudit(shell, images);
  },
});

/**
 * What a dead letter of the feed concluded, once it has been given back: the function that gives it back puts it on the
 * bus, and may write no history.
 */
function givenBack({ key, body }: Row): Conclusions | undefined {
  if (subjectOf(key).noun !== 'dead') return undefined;
  const letter = body as DeadLetter;
  return letter.status === 'redriven' && letter.via === 'feed' ? (JSON.parse(letter.message) as Conclusions) : undefined;
}

function conclusionsOf(row: Row, { zoneOf }: Recorder): Conclusions {
  const { key, at, by, because, actor, events } = row;
  const zone = zoneOf(row);
  return { key, at, by, because, ...(actor && { actor }), events, ...(zone !== undefined && { zone }) };
}

/**
 * Publishes the events of committed rows, and then has them kept: what a reader finds later has been published. Throws
 * Later for transient failures, {@link Poison} for events that can never be published.
 */
async function goOut(all: readonly Conclusions[], shell: Shell, recorder: Recorder): Promise<void> {
  await putOnBus(all, shell);
  await recorder.keep(shell, all);
  for (const { key, events } of all) if (events.length > 0) shell.log('info', 'feed.published', { row: key.pk, events: events.length });
}

/**
 * Puts the events of commits on the bus. Throws Later for transient failures, {@link Poison} for events that can never
 * be published.
 */
export const putOnBus = (all: readonly Conclusions[], shell: Shell): Promise<void> =>
  shell.bus.publish(all.flatMap((row) => envelopesOf({ row }, shell.settings.deployment)));

/** One commit by itself, to separate an unpublishable one from its neighbours. */
async function goOutOrAside(conclusions: Conclusions, rev: number, shell: Shell, recorder: Recorder): Promise<void> {
  try {
    await goOut([conclusions], shell, recorder);
  } catch (error) {
    if (!isPoison(error)) throw error;
    const { key, at } = conclusions;
    const id = deadLetterIdOf(key, rev);
    await putAside(
      shell,
      { id, queue: 'feed', via: 'feed', body: JSON.stringify(conclusions), sentAt: at, receives: 1 },
      error.code,
      error.message,
    );
    // The row has changed, whether or not its events can be published.
    await recorder.keep(shell, [{ ...conclusions, events: [] }]);
  }
}

/**
 * The id of the image's dead letter. Keys are percent-encoded, and gateways decode a path before we see it, so the id
 * must contain no `%`.
 */
const deadLetterIdOf = ({ pk, sk }: Key, rev: number): string => `${pk}#${sk}@${rev}`.replaceAll('%', '=');

/** Only an error with `retry` `never` can never succeed: a fault of ours may be fixed while the feed waits. */
const isPoison = (error: unknown): error is MusterError => error instanceof MusterError && error.retry === 'never';

/** What of a commit is in the envelopes of its events; the history has it, too. */
type Concluding = Pick<Row, 'key' | 'at' | 'because' | 'events'> & { readonly actor?: Pick<Actor, 'who'> };

/** The events of one committed row as CloudEvents; `id` is the row and the event's number, the same on every repeat. */
export function envelopesOf({ row }: { readonly row: Concluding }, deployment: string): Envelope[] {
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
    because: row.because,
    ...(row.actor && { who: row.actor.who }),
    data: event.data,
  }));
}
