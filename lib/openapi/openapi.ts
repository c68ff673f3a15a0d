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
  number: 'reserve numbers for actions of Uyuni servers, and record what they stand for, as a gateway does',
  edit: 'edit the common content of a zone, in turn with others, as a gateway does for people',
  operate: 'accept, unregister, edit; let nodes leave or drop them; start, stop and ask services of types that take no command',
  execute: 'put types of services; start and configure services of types that take a command; brings operate',
  admin: 'change settings of the deployment; let others sign in',
  security: 'ban; make and revoke API keys; replace the keys of tokens',
  report: 'report what happens on nodes, and vouch for nodes for which an administrator allows it',
};

/** The contract as an OpenAPI 3.1 document. It takes some milliseconds: callers that need it often must cache it. */
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

const description = `Machines call in. Muster keeps track of the machines that are up, and assigns every client system to a node.

Unknown fields are refused, with a pointer. Every refusal is problem+json with a stable type; answers may gain fields. Lists give
pages with an opaque cursor \`next\`, which belongs to its query; a page may be short while more follow. Bodies have at most 64 KiB.
They may be left out when every field is optional. Every GET also answers HEAD. Every answer names its call in X-Request-Id.

The embedded host answers on loopback only. It has one more address: GET /api/v1/events streams published events
(server-sent events, resumable by Last-Event-ID). The AsyncAPI document has their shapes.`;

const scopesText = adminScopes.map((scope) => `- \`${scope}\`: ${scopes[scope]}`).join('\n');

/** How callers prove who they are; docs/security.md has the signature's one profile. */
const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: `An API key, a session, or an access token of the deployment's OpenID Connect issuer, with scopes, each in some zones or in all:\n${scopesText}`,
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
    description:
      'The membership token that a knock brought and that each answer renews. Without a valid token, the answer comes from the row',
  },
};

/**
 * The security requirements of a route. An empty object stands for callers without credentials, whom some deployments
 * let in.
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

/** The header that names the call in every answer. */
const named = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } } as const;

const descriptions: Readonly<Record<number, string>> = {
  200: 'Done',
  201: 'Created',
  202: 'Accepted, and under way',
  204: 'Not yet',
  302: 'Elsewhere',
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

/**
 * The problems by which a call can be refused: those that its route declares, and those that every handler of its kind
 * checks.
 */
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
