import * as z from 'zod';
import { Moment } from '../api/moment.ts';
import { listOf, paged } from '../api/page.ts';
import { route } from '../api/route.ts';

const DeadLetterFailure = z.strictObject({ code: z.string(), reason: z.string(), at: Moment });

/** A dead letter as the API and the CLI list it. */
export const DeadLetterView = z.strictObject({
  id: z.string(),
  status: z.enum(['dead', 'redriven']),
  /** The queue that it is given back to; `feed` is an image of a row whose events could not be published. */
  queue: z.enum(['heartbeats', 'reports', 'webhooks', 'feed']),
  via: z.enum(['door', 'bus', 'feed']),
  /** When the message was first sent. */
  sentAt: Moment,
  /** How often it died: once, and once more each time it was given back and failed again. */
  deaths: z.int(),
  /** How often it was received in all these deaths. */
  receives: z.int(),
  first: DeadLetterFailure,
  last: DeadLetterFailure,
  /** The length of the whole message. */
  bytes: z.int(),
  /** Only its beginning is stored, so it cannot be given back. */
  cut: z.boolean(),
  /** The last time that it was given back, and the call that did it. */
  redriven: z.strictObject({ at: Moment, by: z.string(), attempt: z.int() }).optional(),
  /** When it is deleted. */
  expiresAt: Moment,
});

export type DeadLetterView = z.infer<typeof DeadLetterView>;

/** A dead letter with the message as it came. */
export const DeadLetterWhole = DeadLetterView.extend({ message: z.string() });

export type DeadLetterWhole = z.infer<typeof DeadLetterWhole>;

/**
 * The id of a dead letter. It has no character at which a path would be cut, and none that a gateway which decodes it
 * would change. It is not `.` or `..`, which every client takes out of a path.
 */
export const DeadLetterId = z
  .string()
  .regex(
    /^(?!\.{1,2}$)[\w.~=#@:!*'()-]{1,300}$/,
    "the id of a dead letter is 1 to 300 letters, digits or .~=#@:!*'()_-, as the list shows it",
  );

/** The code of an error, as logs and dead letters name it. */
export const FailureCode = z.string().regex(/^[a-z0-9.-]{1,64}$/, 'a code is 1 to 64 lower-case letters, digits, dots or hyphens');

/** Where dead letters come from, and are given back to. */
export const DeadLetterQueue = DeadLetterView.shape.queue;

/**
 * How many dead letters one call gives back or drops at the most: each is a read, a message and a write, and a handler
 * has 20 s.
 */
export const deadLettersMax = 100;

const byId = z.strictObject({ id: DeadLetterId });
const results = z.strictObject({
  /** `busy`: not done now, but it may be when the order is given again; any other that is not done will not be. */
  results: z.array(z.strictObject({ id: z.string(), done: z.boolean(), busy: z.literal(true).optional(), because: z.string() })),
  next: z.string().optional(),
});
/** Which dead letters an order is about: those named, or all dead ones of a code, some at a time. */
const chosen = {
  ids: z.array(DeadLetterId).min(1).max(deadLettersMax).optional(),
  code: FailureCode.optional(),
  queue: DeadLetterQueue.optional(),
  /** With a code: where the call before stopped. */
  cursor: paged.cursor,
};
type Chosen = { readonly [N in keyof typeof chosen]?: unknown };
const isOneChoice = ({ ids, code, queue, cursor }: Chosen): boolean =>
  ids === undefined ? code !== undefined : code === undefined && queue === undefined && cursor === undefined;
const oneChoice = { error: 'give either ids, or a code, optionally with a queue and a cursor' };

/** Routes about dead letters, for operators. */
export const adminDeadLetterRoutes = {
  listDeadLetters: route({
    method: 'GET',
    path: '/api/v1/dead-letters',
    summary: 'Dead letters, by status, queue or code of the latest error; a page may be short while more follow',
    scope: 'read',
    query: z.strictObject({
      status: DeadLetterView.shape.status.optional(),
      queue: DeadLetterQueue.optional(),
      code: FailureCode.optional(),
      ...paged,
    }),
    reply: listOf(DeadLetterView),
    statuses: [200],
    errors: ['bad-cursor'],
  }),
  getDeadLetter: route({
    method: 'GET',
    path: '/api/v1/dead-letters/{id}',
    summary: 'One dead letter, with its message',
    scope: 'read',
    params: byId,
    reply: DeadLetterWhole,
    statuses: [200],
    errors: ['unknown-dead-letter'],
  }),
  redriveDeadLetters: route({
    method: 'POST',
    path: '/api/v1/dead-letters/redrive',
    summary: `Give dead letters back to where they came from: those named, or all of a code, ${deadLettersMax} a call. Safe to repeat`,
    scope: 'operate',
    body: z
      .strictObject({
        ...chosen,
        /** Also those that were given back and have not died since: their queue may have lost them. */
        again: z.boolean().default(false),
      })
      .refine(isOneChoice, oneChoice),
    reply: results,
    statuses: [200],
    errors: ['bad-cursor'],
  }),
  dropDeadLetters: route({
    method: 'POST',
    path: '/api/v1/dead-letters/drop',
    summary: `Drop dead letters: those named, or all of a code, ${deadLettersMax} a call. Their messages are lost`,
    scope: 'operate',
    body: z.strictObject(chosen).refine(isOneChoice, oneChoice),
    reply: results,
    statuses: [200],
    errors: ['bad-cursor'],
  }),
} as const;
