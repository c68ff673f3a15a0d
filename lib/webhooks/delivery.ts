import * as z from 'zod';
import { refOf } from '../core/ref.ts';
import { dayMs, EpochMs, hourMs, minuteMs, secondMs } from '../core/time.ts';

/** An event on its way to somebody, as the bus carries it. */
export const Envelope = z.looseObject({
  id: z.string().min(1).max(400),
  type: z.string().min(1).max(100),
  subject: z.string().min(1).max(400),
  time: z.iso.datetime(),
  eventseq: z.int().nonnegative(),
  data: z.looseObject({}),
});
export type Envelope = z.infer<typeof Envelope>;

/**
 * What an attempt came to: the status that was answered, or why there was none; `final` when no other can come to
 * anything else.
 */
export type Outcome = { readonly status?: number; readonly because: string; readonly delivered?: true; readonly final?: true };

/** An event and a webhook that asked for it: how often it was tried, and what that came to. */
export const Delivery = z.strictObject({
  webhook: z.string(),
  event: Envelope,
  status: z.enum(['pending', 'delivered', 'dead']),
  /** Counts replays: what is left of an earlier round does nothing any more. */
  round: z.int().nonnegative(),
  /** When this round began. */
  since: EpochMs,
  /** Attempts of this round. */
  attempts: z.int().nonnegative(),
  last: z.strictObject({ at: EpochMs, status: z.int().optional(), because: z.string() }).optional(),
  nextAt: EpochMs.optional(),
});
export type Delivery = z.infer<typeof Delivery>;

/**
 * How long a delivery can be looked at and replayed after the last that happened to it: as long as dead letters are
 * kept.
 */
export const keptForMs = 14 * dayMs;
/** One attempt, from the name's resolution to the answer's head. */
export const attemptMs = 10 * secondMs;
/**
 * A delivery is given up when the next attempt would come later than this after the first: a target's outage of a night
 * and a morning is bridged.
 */
export const givenUpAfterMs = dayMs;
/**
 * The first pause and the longest: twice as long each time, so that a restart is over in seconds and a dead target
 * costs a dozen calls a day.
 */
const pause = { firstMs: 10 * secondMs, maxMs: 4 * hourMs } as const;

/**
 * How long after an attempt that failed the next one comes, a quarter more or less by chance; `random` is in [0, 1).
 */
export const pauseMs = (attempt: number, random: number): number =>
  Math.round(Math.min(pause.maxMs, pause.firstMs * 2 ** (attempt - 1)) * (0.75 + random / 2));

/**
 * For how long nothing else is sent to a target that failed so often in a row: what waits for it must not keep others
 * waiting.
 */
export const standOffMs = (failures: number): number => Math.min(15 * minuteMs, 15 * secondMs * 2 ** (failures - 1));

/**
 * Where a delivery stands among those of its webhook: by the time of its event, then by the event's id. Without a
 * slash.
 */
export const placeOf = ({ time, id }: Pick<Envelope, 'time' | 'id'>): string =>
  `${String(Date.parse(time)).padStart(14, '0')}.${encodeURIComponent(id)}`;
/** The place before which all deliveries of events before a moment stand. */
export const placeAt = (at: number): string => String(at).padStart(14, '0');

/** The delivery of an event to a webhook, by the place of the event. */
export const deliveryRef = refOf('delivery', Delivery, (webhook: string, place: string) => `${webhook}/${place}`);
