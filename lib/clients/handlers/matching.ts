import type { AdminCaller } from '../../access/verify-admin.ts';
import { Refusal } from '../../api/problem.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Shell } from '../../runtime/shell.ts';
import { BadQuery } from '../../search/language/bad-query.ts';
import { fieldNamed } from '../../search/language/fields.ts';
import { parse } from '../../search/language/parse.ts';
import type { Query, Term } from '../../search/language/query.ts';
import type { Fleet } from '../../search/reads/fleet.ts';
import type { Answer } from '../../search/segment/search.ts';
import { among } from '../../search/systems/document.ts';
import { searchable, type Wanted } from '../reads/search.ts';

/**
 * The query of a text, whose ages count back from `at`. Throws a {@link Refusal} that points at a field of the call for
 * one that cannot be read, or that asks for what is not indexed.
 */
export function readQuery(text: string, at: EpochMs, pointer: string): Query {
  const query = parsedQuery(text, at, pointer);
  const why = notIndexed(query);
  if (why !== undefined) throw badQuery(why, pointer);
  return query;
}

/** The same, whatever it asks for. Throws a {@link Refusal} for one that cannot be read. */
export function parsedQuery(text: string, at: EpochMs, pointer: string): Query {
  try {
    return parse(text, at);
  } catch (error) {
    if (error instanceof BadQuery) throw badQuery(error.message, pointer, error.didYouMean);
    throw error;
  }
}

/**
 * The refusal of a query. `pointer` names the field of the call; `didYouMean` is the whole query as it was perhaps
 * meant.
 */
export const badQuery = (detail: string, pointer: string, didYouMean?: string): Refusal =>
  new Refusal('bad-query', detail, { errors: [{ pointer, detail }], didYouMean });

function notIndexed(query: Query): string | undefined {
  if (query.op === 'all') return undefined;
  if (query.op === 'not') return notIndexed(query.of);
  if (query.op !== 'term') return query.of.map(notIndexed).find((one) => one !== undefined);
  const why = whyNot(query);
  return why && `column ${query.at}: ${why}; leave the term out`;
}

/** Why a term is refused rather than finding nothing; undefined for one that is searched. */
function whyNot({ field, test }: Term): string | undefined {
  if (field.startsWith('custom.')) return 'this version of Muster stores no custom values';
  if (field === 'kind' && !(test.is === 'glob' && test.any.every((kind) => kind === 'system')))
    return 'only client systems are searched here, and GET /api/v1/find finds other things';
  const states = fieldNamed('status')?.field.others ?? [];
  const other = field === 'status' && test.is === 'glob' && test.any.find((word) => states.some(({ value }) => value === word));
  return other ? `${other} is no status of a client system, but one of things that GET /api/v1/find finds` : undefined;
}

/**
 * Searches the parts of the index that the caller may see, each by the map of its zone: no count betrays another. To
 * leave a zone out is not to reach for it.
 */
export async function matching(shell: Shell, fleet: Fleet, { reached: _reached, ...caller }: AdminCaller, wanted: Wanted): Promise<Answer> {
  const { search } = await searchable(shell, fleet, caller, asksStatus(wanted));
  return search({ ...wanted, query: among(wanted.query, shell.now()) });
}

/** Whether an answer depends on the status of client systems. */
const asksStatus = ({ query, facets = [] }: Wanted): boolean => facets.some(({ field }) => field === 'status') || names(query, 'status');

function names(query: Query, field: string): boolean {
  if (query.op === 'all') return false;
  if (query.op === 'term') return query.field === field;
  return query.op === 'not' ? names(query.of, field) : query.of.some((one) => names(one, field));
}
