import * as z from 'zod';
import { Envelope } from '../../events/envelope.ts';
import { Fingerprint, ZoneName } from '../core/ids.ts';
import { refOf } from '../core/ref.ts';
import { dayMs, EpochMs, hourMs } from '../core/time.ts';

/** The part of the journal for things of no zone. No zone can have this name. */
export const ofNoZone = '-';

/** A part of the journal: that of a zone, or {@link ofNoZone}. */
export const JournalPart = z.union([ZoneName, z.literal(ofNoZone)]);
export type JournalPart = z.infer<typeof JournalPart>;

/** How long everything in the journal can be read, at the least; a cursor is good for as long. */
export const journalForMs = dayMs;
/** How long its rows are stored: a reader that is within {@link journalForMs} never meets one that ends. */
export const rowsForMs = journalForMs + 6 * hourMs;
/**
 * How long the end of a part is stored after its last row. Numbers begin anew after it, and no cursor of before is good
 * by then.
 */
export const endForMs = 30 * dayMs;

const Count = z.int().positive();

/** An event as it was published. */
export const JournalEvent = Envelope.extend({ data: z.custom<object>((data) => typeof data === 'object' && data !== null) });
export type JournalEvent = z.infer<typeof JournalEvent>;

/** What one batch published of a zone. Rows of a part are numbered from 1 on without gaps. */
export const JournalRow = z.strictObject({
  n: Count,
  /** When it was published. It never goes back from one row to the next. */
  at: EpochMs,
  events: z.array(JournalEvent),
  /** The client systems whose rows were committed, with or without events. One may be named again. */
  systems: z.array(Fingerprint),
});
export type JournalRow = z.infer<typeof JournalRow>;

/** The end of a part: the number and the time of its last row. */
export const JournalEnd = z.strictObject({ n: Count, at: EpochMs });
export type JournalEnd = z.infer<typeof JournalEnd>;

/** A row of a part, and the end of a part. */
export const journalRef = refOf('journal', JournalRow, (part: string, n: number) => `${part}/${n}`);
export const journalEndRef = refOf('journal-end', JournalEnd);
