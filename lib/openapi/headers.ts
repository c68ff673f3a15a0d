import { directHeader } from '../api/direct.ts';
import { takesIdempotencyKey } from '../api/idempotency-key.ts';
import type { Route } from '../api/route.ts';
import { versionHeader, vouchedHeader } from '../api/version.ts';
import { clientHeaders } from '../clients/routes.ts';
import type { contract } from '../contract.ts';
import { adminScopes } from '../identity/rights.ts';
import type { Schema } from './schemas.ts';

type RouteName = keyof typeof contract;
type Header = { readonly name: string; readonly description: string; readonly schema: Schema };

const text: Schema = { type: 'string' };
const seconds: Schema = { type: 'integer', minimum: 0 };

const token: Header = {
  name: clientHeaders.token,
  description: 'The membership token, opaque: send it with the next call',
  schema: text,
};
const next: Header = { name: clientHeaders.next, description: 'Seconds until the next call', schema: seconds };
const watch: Header = { name: clientHeaders.watch, description: 'What to watch: host:port;every=seconds, a TCP connect', schema: text };
const knock: Header = {
  name: clientHeaders.knock,
  description: '1 when the token that was sent is no longer valid: the next call should be a knock, which brings another',
  schema: { const: '1' },
};
const lost: Header = {
  name: clientHeaders.lost,
  description: 'For how many seconds the client has not heard its node; sent until its watch succeeds again or the node changes',
  schema: { type: 'integer', minimum: 1 },
};

const boot: Header = {
  name: clientHeaders.boot,
  description: 'The boot of the daemon, as its knocks name it',
  schema: text,
};

const direct: Header = {
  name: directHeader,
  description:
    'An address beside this one for heartbeats of nodes, or for status checks of client systems; in every answer of a deployment that has it',
  schema: text,
};

const vouched: Header = { name: vouchedHeader, description: '1: another system vouches for the node', schema: text };
const version: Header = { name: versionHeader, description: 'The version of this Muster', schema: text };

const site: Header = {
  name: 'Sec-Fetch-Site',
  description: 'What a browser says of the page that calls: no script can set it, and only the page of this deployment may call',
  schema: { const: 'same-origin' },
};
const cookie: Header = { name: 'Set-Cookie', description: 'The session of the browser, which no script can read', schema: text };
const location: Header = { name: 'Location', description: 'Where the browser goes on', schema: text };

/**
 * Headers of the client protocol and of browsers' sessions, which the contract leaves to its handlers: those that a
 * call may send, and those that its answers may carry, by status.
 */
const ofRoute: Partial<
  Record<RouteName, { readonly sent?: readonly Header[]; readonly answered: Readonly<Record<number, readonly Header[]>> }>
> = {
  heartbeat: { answered: { 200: [direct] } },
  desired: { answered: { 200: [version, vouched], 304: [version, vouched] } },
  knock: { answered: { 200: [next, token, watch, direct] } },
  systemStatus: { sent: [token, lost, boot], answered: { 200: [next, token, knock, direct] } },
  beginSession: { sent: [site], answered: { 201: [cookie] } },
  endSession: { sent: [site], answered: { 200: [cookie] } },
  renewSession: { sent: [site], answered: { 200: [cookie] } },
  beginAtIssuer: { sent: [site], answered: { 302: [location, cookie] } },
  returnFromIssuer: { answered: { 302: [location, cookie] } },
  orphan: { sent: [token, boot], answered: { 200: [token, watch, next, knock], 204: [next, knock] } },
};

const etag: Header = { name: 'ETag', description: 'The version of the resource in the answer', schema: text };
const ifMatch: Header = {
  name: 'If-Match',
  description: 'The ETag that was read: refused as version-conflict when it is no longer the newest',
  schema: text,
};
const ifNoneMatch: Header = {
  name: 'If-None-Match',
  description: 'The ETag that was read: answered 304 while it is still the newest',
  schema: text,
};
const ifNoneYet: Header = {
  name: 'If-None-Match',
  description: '*: refused as version-conflict when one exists already',
  schema: { const: '*' },
};
const idempotencyKey: Header = {
  name: 'Idempotency-Key',
  description: 'Any text of the caller. For a day, the same call with the same key is made only once, and gets the same answer',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
};

/** The headers that a call of a route may send, as parameters. */
export const headersSent = (name: RouteName, route: Route): Schema[] =>
  [
    ...(ofRoute[name]?.sent ?? []),
    ...(route.etag && ['PATCH', 'PUT', 'DELETE'].includes(route.method) ? [ifMatch] : []),
    ...(route.etag && route.method === 'PUT' ? [ifNoneYet] : []),
    ...(route.statuses.includes(304) ? [ifNoneMatch] : []),
    ...(takesIdempotencyKey(route) ? [idempotencyKey] : []),
  ].map((header) => ({ ...header, in: 'header', required: false }));

/** The headers of a success, by name. */
export const headersAnswered = (name: RouteName, route: Route, status: number): Record<string, Schema> =>
  byName([...(ofRoute[name]?.answered[status] ?? []), ...(route.etag ? [etag] : []), ...(status === 204 ? [retryAfter] : [])]);

/** The header that every answer has, as a component of the document. */
export const requestId = {
  description: 'The name of this call: the `instance` of its problem, and its id in the log',
  schema: text,
} as const;

const retryAfter: Header = { name: 'Retry-After', description: 'Seconds after which to try again', schema: seconds };
const generation: Header = {
  name: 'muster-generation',
  description: 'With must-rejoin: the generation to name as flushed',
  schema: seconds,
};

const challenge: Header = {
  name: 'WWW-Authenticate',
  description: 'Bearer, with the fault of the token, or the scope that the call needs (RFC 6750)',
  schema: text,
};

/** Whether a route needs a bearer token. */
export const isForBearers = ({ scope }: Route): boolean => (adminScopes as readonly string[]).includes(scope);

/** The headers of refusals of this status, by name. */
export function headersRefused(route: Route, status: number): Record<string, Schema> | undefined {
  if ((status === 401 || status === 403) && isForBearers(route)) return byName([challenge]);
  if (status === 503 || status === 429) return byName([retryAfter]);
  if (status === 412) return byName([etag]);
  if (status === 409) return byName([retryAfter, ...(route.scope === 'node' ? [generation] : [])]);
  return undefined;
}

const byName = (headers: readonly Header[]): Record<string, Schema> =>
  Object.fromEntries(headers.map(({ name, description, schema }) => [name, { description, schema }]));
