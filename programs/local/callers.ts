import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { Refusal } from '../../lib/api/problem.ts';
import { isIpv4 } from '../../lib/core/address.ts';
import { isIn, isLoopback, type Listening, plainAddress } from './listening.ts';

/**
 * The network address of a caller, for a call that came in by an accepted way. Throws a {@link Refusal} for any other
 * call.
 */
export type Callers = (incoming: Pick<IncomingMessage, 'headers' | 'socket'> & Partial<Pick<IncomingMessage, 'rawHeaders'>>) => string;

/** How many different `host` headers are remembered as good: callers use a handful. */
const hostsMax = 100;

/**
 * Checks how calls come in. A page in a browser can reach any address under a name of its own, so this host answers
 * only to its own names, and only to pages of its own (https://fetch.spec.whatwg.org/#origin-header). Where a proxy
 * ends TLS, its calls must have come by https, and the last address that it names is the caller's. Only the proxy is
 * trusted in this, and callers beyond this machine cannot bypass it.
 */
export function callersOf({ tls, proxies, names }: Listening): Callers {
  const known = new Set<string>();
  const isOurs = (host: string | undefined): boolean => {
    if (host === undefined) return false;
    if (known.has(host)) return true;
    const called = nameIn(host);
    const isName = !isNoAddress(called) && (isLoopbackName(host) || names.some((name) => matches(called, name)));
    if (isName && known.size < hostsMax) known.add(host);
    return isName;
  };
  return ({ headers, rawHeaders = [], socket }) => {
    wantOneHost(rawHeaders);
    if (!isOurs(headers.host)) throw notOurs(headers.host);
    if (headers.origin !== undefined && !isOurs(/^https?:\/\/(.*)$/.exec(headers.origin)?.[1]))
      throw new Refusal('cross-site', `pages of ${headers.origin} may not call this server`);
    const peer = plainAddress(socket.remoteAddress);
    if (tls || !proxies) return peer;
    const isDirect = headers['x-forwarded-for'] === undefined && isLoopback(peer) && isLoopbackName(headers.host!);
    return isDirect ? peer : throughProxy(headers, isIn(proxies, peer));
  };
}

function throughProxy(headers: IncomingMessage['headers'], isTrusted: boolean): string {
  if (!isTrusted) throw misdirected('this server is reached through its proxy only');
  // Only the last entry is the proxy's own; the caller may have written those before it.
  const source = plainAddress(last(headers['x-forwarded-for']));
  if (last(headers['x-forwarded-proto']) !== 'https') throw misdirected('the proxy does not report that the call came by https');
  if (isIP(source) === 0) throw misdirected('the proxy does not name the caller');
  return source;
}

/**
 * Throws a {@link Refusal} for a call that names its host twice, because node:http uses the first and a proxy perhaps
 * the last. Every call is looked at, and most have no other name of four letters.
 */
function wantOneHost(rawHeaders: readonly string[]): void {
  let hosts = 0;
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = rawHeaders[n];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) throw new Refusal('malformed-call', 'the call has more than one host header');
}

/** Whether a name has the form of an address, with numbers that no address has (RFC 9112, 3.2). */
const isNoAddress = (name: string): boolean => /^[\d.]+$/.test(name) && !isIpv4(name);

const last = (header: string | string[] | undefined): string =>
  String(header ?? '')
    .split(',')
    .at(-1)!
    .trim();

const isLoopbackName = (host: string): boolean => /^(127(\.\d{1,3}){3}|localhost|\[::1\])(:\d+)?$/i.test(host);

/** The name in a `host` header, without its port, an address of IPv6 without its brackets. */
const nameIn = (host: string): string =>
  host
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();

/** A name with an asterisk stands for any one label in its place, as in a certificate (RFC 9525, 6.3). */
const matches = (name: string, pattern: string): boolean =>
  name === pattern || (pattern.startsWith('*.') && name.includes('.') && name.slice(name.indexOf('.')) === pattern.slice(1));

/** The refusal of a call to a host that this is not. */
const notOurs = (host = ''): Refusal =>
  isNoAddress(nameIn(host))
    ? new Refusal('malformed-call', `there is no address ${nameIn(host)}`)
    : misdirected(`this server does not answer as ${host}`);

const misdirected = (detail: string): Refusal => new Refusal('misdirected', detail);
