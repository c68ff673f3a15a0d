import type { Refusal } from '../../api/problem.ts';
import { badQuery } from '../../clients/handlers/matching.ts';
import type { Query, Term } from '../../search/language/query.ts';
import { ThingKind } from './routes.ts';
import { fieldsOf, statusesOf } from './things.ts';

/**
 * The kinds of things that a query asks for: those of a `kind:` that all of it depends on. Throws a {@link Refusal} for
 * a query without one, one for client systems, and one with a field that a kind does not have.
 */
export function kindsAsked(query: Query): ReadonlySet<ThingKind> {
  const terms = query.op === 'and' ? query.of : [query];
  const named = terms.find((one): one is Term => one.op === 'term' && one.field === 'kind');
  if (!named) throw atColumn(1, 'it is not said what is searched for; write kind:node, kind:service, kind:process or kind:host before it');
  if (named.test.is !== 'glob') throw atColumn(named.at, 'a kind is missing; write one or several, such as kind:node,service');
  const kinds = new Set(named.test.any.map((kind) => kindOf(kind, named)));
  for (const term of termsOf(query)) refuseMissing(term, kinds);
  return kinds;
}

function kindOf(kind: string, { at }: Term): ThingKind {
  const read = ThingKind.safeParse(kind);
  if (!read.success) throw atColumn(at, `client systems are found by themselves; leave kind:${kind} out, or ask GET /api/v1/systems/find`);
  return read.data;
}

function refuseMissing({ field, at, test }: Term, kinds: ReadonlySet<ThingKind>): void {
  const without = [...kinds].find((kind) => !fieldsOf[kind].includes(field));
  if (without !== undefined) throw atColumn(at, `${field} is no field of a ${without}; it has ${fieldsOf[without].join(', ')}`);
  if (field !== 'status' || test.is !== 'glob') return;
  const statuses = [...new Set([...kinds].flatMap((kind) => statusesOf[kind]))];
  const never = test.any.find((word) => !statuses.includes(word));
  if (never !== undefined) throw atColumn(at, `${never} is no status of a ${[...kinds].join(' or ')}; it has ${statuses.join(', ')}`);
}

const termsOf = (query: Query): readonly Term[] => {
  if (query.op === 'all') return [];
  if (query.op === 'term') return [query];
  return query.op === 'not' ? termsOf(query.of) : query.of.flatMap(termsOf);
};

const atColumn = (column: number, text: string): Refusal => badQuery(`column ${column}: ${text}`, '/q');
