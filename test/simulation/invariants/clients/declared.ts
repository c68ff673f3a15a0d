import { Problem, problems, problemTypeOf } from '../../../../lib/api/problem.ts';
import type { Route } from '../../../../lib/api/route.ts';
import { contract } from '../../../../lib/contract.ts';
import { adminScopes } from '../../../../lib/identity/rights.ts';
import type { Answered } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';
import { onceEach } from '../once.ts';
import { knowsNoRoute, metOld } from '../versions.ts';

/** What every route may answer, whatever it declares. */
const always = [
  'malformed-json',
  'too-large',
  'unsupported-media-type',
  'unknown-field',
  'invalid',
  'in-progress',
  'idempotency-mismatch',
  'busy',
  'rate-limited',
];

/** What every route that asks for a scope may answer besides. */
const ofBearers = ['sign-in-needed', 'bearer-invalid', 'insufficient-scope'];

/** Programs are written against the contract. */
export const declared: Invariant = {
  name: 'every-answer-is-declared',
  says: 'every answer has a status, a problem type and a body that its route declares in the contract',
  begin: ({ violated, world }) => {
    const isOld = metOld(world);
    return {
      answered: (call) => {
        // The version before has no route that came with this one.
        if (knowsNoRoute(call) && isOld()) return;
        const wrong = wronglyAnswered(call);
        if (wrong) violated(`${call.method} ${call.path} was answered ${call.status} ${call.body.slice(0, 300)}: ${wrong}`);
      },
    };
  },
};

const routes: readonly Route[] = Object.values(contract);
const segmentsOf = new Map(routes.map((route) => [route, route.path.split('/')]));
/** Routes by method and number of segments. */
const shapes = Map.groupBy(routes, (route) => `${route.method} ${segmentsOf.get(route)!.length}`);

/** The route of the contract that a call is made to; undefined when there is none. */
export const routeOf = onceEach(({ method, path }: Pick<Answered, 'method' | 'path'>): Route | undefined => {
  const given = path.split('/');
  const matches = (route: Route): boolean => {
    const wanted = segmentsOf.get(route)!;
    return wanted.every((one, n) => one === given[n] || one.startsWith('{'));
  };
  // A path without parameters is meant before one with them.
  const found = (shapes.get(`${method} ${given.length}`) ?? []).filter(matches);
  return found.find((route) => !route.path.includes('{')) ?? found[0];
});

/** Bodies that are as a route declares them: most answers have been given before. */
const good = new Map<Route, Set<string>>();
/** How many of a route are remembered, of some hundred characters at the most. */
const goodMost = { bodies: 2_000, characters: 500 };

/** What is wrong with the body of an answer; undefined for a good one. */
function wrongIn(route: Route, body: string): string | undefined {
  const known = good.get(route) ?? new Set<string>();
  if (known.has(body)) return undefined;
  const read = route.reply?.safeParse(route.replyType === undefined ? JSON.parse(body) : body);
  if (read && !read.success) return `its body is not as declared: ${read.error.message}`;
  if (known.size < goodMost.bodies && body.length <= goodMost.characters) good.set(route, known.add(body));
  return undefined;
}

function wronglyAnswered(call: Answered): string | undefined {
  const route = routeOf(call);
  if (!route) return 'there is no such route';
  if (call.status >= 400) return wronglyRefused(route, call);
  if (!route.statuses.includes(call.status)) return `it declares ${route.statuses.join(', ')}`;
  if (call.status === 204 || call.status === 304) return call.body === '' ? undefined : 'such an answer has no body';
  return wrongIn(route, call.body);
}

function wronglyRefused({ errors, scope }: Route, { status, body, headers }: Answered): string | undefined {
  const read = Problem.safeParse(JSON.parse(body));
  if (!read.success || headers['content-type'] !== 'application/problem+json') return 'it is no problem';
  const type = problemTypeOf(read.data) as keyof typeof problems;
  const declared = [...always, ...errors, ...(adminScopes.some((one) => one === scope) ? ofBearers : [])];
  if (!declared.includes(type)) return `it declares ${errors.join(', ')}`;
  if (problems[type][0] !== status || read.data.status !== status) return `${type} is ${problems[type][0]}`;
  return status === 503 && headers['retry-after'] === undefined ? 'it does not say when to try again' : undefined;
}
