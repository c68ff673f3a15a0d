import { takesIdempotencyKey } from '../api/idempotency-key.ts';
import { Problem, type ProblemType, problems } from '../api/problem.ts';
import type { Route } from '../api/route.ts';
import { contract } from '../contract.ts';
import { type AdminScope, adminScopes } from '../identity/rights.ts';
import { examples } from './examples.ts';
import { headersAnswered, headersRefused, headersSent, isForBearers, requestId } from './headers.ts';
import { type Schema, Schemas } from './schemas.ts';

type RouteName = keyof typeof contract;

const scopes: Readonly<Record<AdminScope, string>> = {
  read: 'look at everything',
  operate: 'accept, unregister, edit; let nodes leave or drop them; start, stop and ask services of types that take no command',
  execute: 'put types of services; start and configure services of types that take a command; brings operate',
  admin: 'change settings of the deployment; let others sign in',
  security: 'ban; make and revoke API keys; replace the keys of tokens',
  report: 'report what happens on nodes, and vouch for those of which an administrator has said so',
};

/** The contract as an OpenAPI 3.1 document. Takes some milliseconds: keep it where it is asked for often. */
export function openApi(): object {
  const schemas = new Schemas();
  const problem = schemas.answered(Problem);
  const operations = (Object.entries(contract) as [RouteName, Route][]).map(
    ([name, route]) => [route, operationOf(name, route, schemas, problem)] as const,
  );
  const paths = Object.fromEntries(
    [...Map.groupBy(operations, ([{ path }]) => path)].map(([path, methods]) => [
      path,
      Object.fromEntries(methods.map(([{ method }, operation]) => [method.toLowerCase(), operation])),
    ]),
  );
  return {
    openapi: '3.1.0',
    info: { title: 'Muster', version: '1', license: { name: 'Apache-2.0', identifier: 'Apache-2.0' }, description },
    servers: [{ url: '/', description: 'The deployment that gave you this document' }],
    tags: [
      { name: 'nodes', description: 'The agent protocol' },
      { name: 'client systems', description: 'The client system protocol: every answer is one byte, or a name' },
      { name: 'administration', description: 'The API for operators and automation' },
    ],
    paths,
    components: { schemas: sorted(schemas.components), headers: { RequestId: requestId }, securitySchemes },
  };
}

const description = `Machines call in; Muster knows who is there, and gives every client system a node to live on.

Unknown fields are refused, with a pointer. Every refusal is problem+json with a stable type; answers may gain fields. Lists give
pages with an opaque cursor \`next\`, which belongs to its query; a page may be short while more follow. Bodies have at most 64 KiB, and may
be left out where every field may. HEAD is answered wherever GET is. Every answer names its call by X-Request-Id.

The embedded host answers on loopback only, and has one address more: GET /api/v1/events is the stream of published events
(server-sent events, resumable by Last-Event-ID); their shapes are in the AsyncAPI document.`;

const scopesTold = adminScopes.map((scope) => `- \`${scope}\`: ${scopes[scope]}`).join('\n');

/** How callers prove who they are; docs/security.md has the signature's one profile. */
const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: `An API key, a session, or an access token of the deployment's OpenID Connect issuer, with scopes, each in some zones or in all:\n${scopesTold}`,
  },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'signature',
    description:
      'An HTTP message signature (RFC 9421) by the Ed25519 key of the machine, with the headers `signature-input` and `content-digest`, over method, path, query and digest',
  },
  membership: {
    type: 'apiKey',
    in: 'header',
    name: 'muster-token',
    description: 'The membership token that a knock brought, and each answer renews; without one that holds, an answer comes from the row',
  },
};

/**
 * What a route asks of its callers. An empty object stands for those who show nothing, where some deployments let them
 * in.
 */
function securityOf({ scope, method }: Route): readonly object[] {
  if (scope === 'anyone') return [];
  if (scope === 'node') return [{ signature: [] }];
  if (scope === 'client') return [method === 'GET' ? { membership: [] } : { signature: [] }, {}];
  return [{ bearer: [scope] }];
}

function operationOf(name: RouteName, route: Route, schemas: Schemas, problem: Schema): object {
  return {
    operationId: name,
    summary: route.summary,
    tags: [route.scope === 'node' ? 'nodes' : route.scope === 'client' ? 'client systems' : 'administration'],
    security: securityOf(route),
    ...parametersOf(name, route, schemas),
    ...(route.body && {
      requestBody: {
        required: !route.body.safeParse({}).success,
        content: { 'application/json': { schema: schemas.sent(route.body), ...exampleOf(examples[name]?.body) } },
      },
    }),
    responses: { ...successesOf(name, route, schemas), ...refusalsOf(route, problem) },
  };
}

function parametersOf(name: RouteName, route: Route, schemas: Schemas): { parameters?: Schema[] } {
  const parameters = [
    ...fieldsOf(route.params && schemas.sent(route.params), 'path'),
    ...fieldsOf(route.query && schemas.sent(route.query), 'query'),
    ...headersSent(name, route),
  ];
  return parameters.length > 0 ? { parameters } : {};
}

function fieldsOf(object: Schema | undefined, where: 'path' | 'query'): Schema[] {
  const { properties = {}, required = [] } = (object ?? {}) as { properties?: Record<string, Schema>; required?: string[] };
  return Object.entries(properties).map(([name, schema]) => ({ name, in: where, required: required.includes(name), schema }));
}

/** What names the call in every answer. */
const named = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } } as const;

const descriptions: Readonly<Record<number, string>> = {
  200: 'Done',
  201: 'Made',
  202: 'Taken, and on its way',
  204: 'Not yet',
  304: 'Unchanged',
};

function successesOf(name: RouteName, route: Route, schemas: Schemas): Record<string, object> {
  return Object.fromEntries(
    [...route.statuses].sort().map((status) => {
      const headers = headersAnswered(name, route, status);
      const bodyless = status === 204 || status === 304 || !route.reply;
      return [
        String(status),
        {
          description: descriptions[status] ?? 'Done',
          headers: { ...headers, ...named },
          ...(!bodyless && {
            content: {
              [route.replyType ?? 'application/json']: { schema: schemas.answered(route.reply!), ...exampleOf(examples[name]?.reply) },
            },
          }),
        },
      ];
    }),
  );
}

function refusalsOf(route: Route, problem: Schema): Record<string, object> {
  const byStatus = Map.groupBy(refusalsPossible(route), (type) => problems[type][0]);
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, types]) => {
        const headers = headersRefused(route, status);
        const type = { enum: types.map((slug) => `urn:muster:problem:${slug}`) };
        const means = types.map((slug) => `\`${slug}\`: ${problems[slug][1]}`).join('\n\n');
        return [
          String(status),
          {
            description: means,
            headers: { ...headers, ...named },
            content: { 'application/problem+json': { schema: { ...problem, properties: { type } } } },
          },
        ];
      }),
  );
}

/** What a call can be refused for: what its route says, and what every door of its kind checks. */
export function refusalsPossible(route: Route): ProblemType[] {
  const checked: ProblemType[] = [
    ...(isForBearers(route) ? (['sign-in-needed', 'bearer-invalid', 'insufficient-scope'] as const) : []),
    ...(route.body ? (['malformed-json', 'too-large', 'unsupported-media-type', 'content-encoding'] as const) : []),
    'unknown-field',
    ...(route.body || route.query || route.params ? (['invalid'] as const) : []),
    ...(takesIdempotencyKey(route) ? (['invalid', 'in-progress', 'idempotency-mismatch'] as const) : []),
    'rate-limited',
    'malformed-call',
    'misdirected',
    'unexpected',
    'busy',
  ];
  return [...new Set([...route.errors, ...checked])];
}

const exampleOf = (example: unknown): { example?: unknown } => (example === undefined ? {} : { example });

const sorted = (schemas: Readonly<Record<string, Schema>>): Record<string, Schema> =>
  Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
