import * as z from 'zod';
import { Moment } from '../api/moment.ts';
import { listOf, paged } from '../api/page.ts';
import { route } from '../api/route.ts';

const LetterFailure = z.strictObject({ code: z.string(), reason: z.string(), at: Moment });

/** A dead letter as the API and the CLI list it. */
export const DeadLetterView = z.strictObject({
  id: z.string(),
  status: z.enum(['dead', 'redriven']),
  /** Where it is given back to; `feed` is an image of a row whose events could not go out. */
  queue: z.enum(['heartbeats', 'reports', 'webhooks', 'feed']),
  via: z.enum(['door', 'bus', 'feed']),
  /** When the message was first sent. */
  sentAt: Moment,
  /** How often it died: once, and once more for each time it was given back in vain. */
  deaths: z.int(),
  /** How often it was received over all that. */
  receives: z.int(),
  first: LetterFailure,
  last: LetterFailure,
  /** The length of the whole message. */
  bytes: z.int(),
  /** Only its beginning is kept, so that it cannot be given back. */
  cut: z.boolean(),
  /** The latest time it was given back, and the call that did. */
  redriven: z.strictObject({ at: Moment, by: z.string(), attempt: z.int() }).optional(),
  /** When it is forgotten. */
  expiresAt: Moment,
});

export type DeadLetterView = z.infer<typeof DeadLetterView>;

/** A dead letter with the message as it came. */
export const DeadLetterWhole = DeadLetterView.extend({ message: z.string() });

export type DeadLetterWhole = z.infer<typeof DeadLetterWhole>;

/**
 * The id of a dead letter. It has no sign that a path would be cut at, nor one that a gateway which decodes it would
 * change, and is no `.` or `..`, which every client takes out of a path.
 */
export const LetterId = z
  .string()
  .regex(
    /^(?!\.{1,2}$)[\w.~=#@:!*'()-]{1,300}$/,
    "the id of a dead letter is 1 to 300 letters, digits or .~=#@:!*'()_-, as the list shows it",
  );

/** The code of an error, as logs and dead letters name it. */
export const FailureCode = z.string().regex(/^[a-z0-9.-]{1,64}$/, 'a code is 1 to 64 lower-case letters, digits, dots or hyphens');

/** Where dead letters come from, and are given back to. */
export const LetterQueue = DeadLetterView.shape.queue;

/**
 * So many letters one call gives back or drops at the most: each is a read, a message and a write, and a door has 20 s.
 */
export const lettersMax = 100;

const letter = z.strictObject({ id: LetterId });
const results = z.strictObject({
  /** `busy`: not done now, and may be when the order is given again; any other that is not done will not be. */
  results: z.array(z.strictObject({ id: z.string(), done: z.boolean(), busy: z.literal(true).optional(), because: z.string() })),
  next: z.string().optional(),
});
/** Which letters an order is about: those named, or all dead ones of a code, some at a time. */
const chosen = {
  ids: z.array(LetterId).min(1).max(lettersMax).optional(),
  code: FailureCode.optional(),
  queue: LetterQueue.optional(),
  /** With a code: where the call before left off. */
  cursor: paged.cursor,
};
type Chosen = { readonly [N in keyof typeof chosen]?: unknown };
const isOneChoice = ({ ids, code, queue, cursor }: Chosen): boolean =>
  ids === undefined ? code !== undefined : code === undefined && queue === undefined && cursor === undefined;
const oneChoice = { error: 'either ids are wanted, or a code, with a queue and a cursor if need be' };

/** What operators do with dead letters. */
export const adminDeadLetterRoutes = {
  listDeadLetters: route({
    method: 'GET',
    path: '/api/v1/dead-letters',
    summary:
      'Messages that were put aside, by what became of them, queue or code of the latest error; a page may be short while more follow',
    scope: 'read',
    query: z.strictObject({
      status: DeadLetterView.shape.status.optional(),
      queue: LetterQueue.optional(),
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
    summary: 'One of them, with its message',
    scope: 'read',
    params: letter,
    reply: DeadLetterWhole,
    statuses: [200],
    errors: ['unknown-dead-letter'],
  }),
  redriveDeadLetters: route({
    method: 'POST',
    path: '/api/v1/dead-letters/redrive',
    summary: `Give dead letters back to where they came from, those named or all of a code, ${lettersMax} a call; safe to repeat`,
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
    summary: `Drop dead letters, those named or all of a code, ${lettersMax} a call; their messages are gone`,
    scope: 'operate',
    body: z.strictObject(chosen).refine(isOneChoice, oneChoice),
    reply: results,
    statuses: [200],
    errors: ['bad-cursor'],
  }),
} as const;
