import * as z from 'zod';
import { Moment } from '../api/moment.ts';
import { Fingerprint } from '../core/ids.ts';
import { perCallMax, selectedMax } from './rows/selected.ts';

export { perCallMax, selectedMax } from './rows/selected.ts';

/** The longest query, in characters: a longer one does not fit into an address, whatever it is encoded as. */
export const queryTextMax = 1_200;
/** The longest cursor of an order by a query, in characters: it names the fingerprints of the next call. */
const cursorMax = 16_000;

/**
 * What a search found, by which an order for the same query is held against it: how many match, the SHA-256 of their
 * fingerprints in base64url, and when, since ages in a query count back from then.
 */
export const Expect = z.strictObject({ total: z.int().min(0).max(selectedMax), digest: z.string().regex(/^[\w-]{43}$/), at: Moment });
export type Expect = z.infer<typeof Expect>;

const chosen = {
  /** At most 200 client systems a call. */
  systems: z.array(Fingerprint).min(1).max(perCallMax).optional(),
  /** Those that match this query, 200 a call. The first call only compares them with `expect`. */
  query: z.string().min(1).max(queryTextMax).optional(),
  /** As the search answered: the order is refused unless the same client systems match. */
  expect: Expect.optional(),
  /** `next` of the previous answer; the rest of the call is the same. */
  cursor: z.string().max(cursorMax).optional(),
};

/** How an order names its client systems: by their fingerprints, or by a query. */
export type Choice = {
  readonly systems?: readonly Fingerprint[] | undefined;
  readonly query?: string | undefined;
  readonly expect?: Expect | undefined;
  readonly cursor?: string | undefined;
};

/** How many of these fields a body has. */
const countOf = (body: object, ...names: readonly string[]): number =>
  Object.entries(body).filter(([name, value]) => value !== undefined && names.includes(name)).length;

/** The body of an order about client systems that are named, or match a query. */
export const orderOn = <T extends z.ZodRawShape>(fields: T) =>
  z
    .strictObject({ ...chosen, ...fields })
    .refine((body) => countOf(body, 'systems', 'where', 'query') === 1, { error: 'either systems or query', path: ['query'] })
    .refine((body) => countOf(body, 'query') === countOf(body, 'expect'), {
      error: 'a query needs expect, and nothing else does',
      path: ['expect'],
    });

/**
 * The result for each client system. `busy`: nothing changed, and the call can be repeated. `full`: its zone has no
 * room for it. `duplicate`: another key reported its machine id or name first, or the name names no machine, so it is
 * accepted only with `duplicates`.
 */
const Result = z.strictObject({
  fp: z.string(),
  done: z.boolean(),
  busy: z.literal(true).optional(),
  full: z.literal(true).optional(),
  duplicate: z.literal(true).optional(),
  because: z.string(),
});

/** The answer to an order about client systems. */
export const Results = z.strictObject({
  results: z.array(Result),
  /** The cursor of the next call; absent when there is nothing left. */
  next: z.string().optional(),
  /** Of an order by a query: how many client systems the next calls are for. */
  left: z.int().optional(),
});
