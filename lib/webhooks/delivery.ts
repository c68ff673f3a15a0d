import * as z from 'zod';
import { refOf } from '../core/ref.ts';
import { dayMs, EpochMs, hourMs, minuteMs, secondMs } from '../core/time.ts';

/** An event on its way to a webhook, as the bus carries it. */
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
 * The outcome of an attempt: the status that was answered, or why there was none. `final`: no later attempt can have
 * another outcome.
 */
export type Outcome = { readonly status?: number; readonly because: string; readonly delivered?: true; readonly final?: true };

/** The delivery of an event to a webhook that subscribes to it: how often it was attempted, and the last outcome. */
export const Delivery = z.strictObject({
  webhook: z.string(),
  event: Envelope,
  status: z.enum(['pending', 'delivered', 'dead']),
  /** Counts replays: messages of an earlier round have no effect. */
  round: z.int().nonnegative(),
  /** When this round began. */
  since: EpochMs,
  /** Attempts of this round. */
  attempts: z.int().nonnegative(),
  last: z.strictObject({ at: EpochMs, status: z.int().optional(), because: z.string() }).optional(),
  nextAt: EpochMs.optional(),
});
export type Delivery = z.infer<typeof Delivery>;

/** How long a delivery can be viewed and replayed after its last change: as long as dead letters are stored. */
export const storedForMs = 14 * dayMs;
/** The longest time of one attempt, from the resolution of the name to the head of the answer. */
export const attemptMs = 10 * secondMs;
/**
 * A delivery is given up when the next attempt would come later than this after the first. It survives an outage of a
 * target of a night and a morning.
 */
export const givenUpAfterMs = dayMs;
/**
 * The first pause and the longest. Each pause is twice as long as the one before, so that a restart is bridged in
 * seconds and a dead target costs a dozen calls a day.
 */
const pause = { firstMs: 10 * secondMs, maxMs: 4 * hourMs } as const;

/** The pause after a failed attempt, a quarter more or less by chance; `random` is in [0, 1). */
export const pauseMs = (attempt: number, random: number): number =>
  Math.round(Math.min(pause.maxMs, pause.firstMs * 2 ** (attempt - 1)) * (0.75 + random / 2));

/**
 * The pause of all deliveries to a target that failed so often in a row: its deliveries must not delay those of other
 * targets.
 */
export const targetPauseMs = (failures: number): number => Math.min(15 * minuteMs, 15 * secondMs * 2 ** (failures - 1));

/**
 * The place of a delivery among those of its webhook: by the time of its event, then by the id of the event. It has no
 * slash.
 */
export const placeOf = ({ time, id }: Pick<Envelope, 'time' | 'id'>): string =>
  `${String(Date.parse(time)).padStart(14, '0')}.${encodeURIComponent(id)}`;
/** The place that sorts after all deliveries of events before a moment. */
export const placeAt = (at: number): string => String(at).padStart(14, '0');

/** The delivery of an event to a webhook, by the place of the event. */
export const deliveryRef = refOf('delivery', Delivery, (webhook: string, place: string) => `${webhook}/${place}`);
