import { lookup } from 'node:dns/promises';
import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Outbound, Posted, Posting } from './outbound.ts';
import { readTarget, refusalOf, type Target, type TargetOptions } from './target.ts';

/** Resolves a name to all its addresses; throws when it has none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

const allAddresses: Resolve = async (name) => (await lookup(name, { all: true })).map(({ address }) => address);

/**
 * Calls over the network. A name is resolved once a call, and the connection goes to the addresses that were checked,
 * so a name server that answers differently the next time gains nothing. `resolve` is the system's unless given.
 */
export const httpsOutbound = (options: TargetOptions, resolve: Resolve = allAddresses): Outbound => calling(options, askedOnce(resolve));

const calling = (options: TargetOptions, resolve: Resolve): Outbound => ({
  post: async (posting) => {
    const signal = AbortSignal.timeout(posting.timeoutMs);
    const target = readTarget(posting.url, options);
    if (typeof target === 'string') return { failed: target };
    const addresses = await within(signal, addressesOf(target, resolve)).catch((error: unknown) => reasonFor(error, posting));
    if (typeof addresses === 'string') return { failed: addresses };
    const refused = refusalOf(target.url, addresses, options);
    return refused === undefined ? send(posting, target.url, addresses, signal) : { failed: refused };
  },
  refuses: async (url) => {
    const target = readTarget(url, options);
    if (typeof target === 'string') return target;
    const addresses = await addressesOf(target, resolve).catch(() => undefined);
    return addresses && refusalOf(target.url, addresses, options);
  },
});

/**
 * Shares a resolution that is already under way. The system resolves four names at a time, and each may take half a
 * minute: a batch for one target whose name hangs must leave room for the names of others.
 */
function askedOnce(resolve: Resolve): Resolve {
  const asking = new Map<string, ReturnType<Resolve>>();
  return (name) => {
    const known = asking.get(name);
    if (known) return known;
    const asked = resolve(name).finally(() => asking.delete(name));
    asking.set(name, asked);
    return asked;
  };
}

const addressesOf = async ({ url, address }: Target, resolve: Resolve): Promise<readonly string[]> =>
  address === undefined ? resolve(url.hostname) : [address];

/** The result of `work`; rejects when the time is up before. */
const within = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  new Promise((done, failed) => {
    signal.addEventListener('abort', () => failed(signal.reason as Error), { once: true });
    work.then(done, failed);
  });

/** Sends, and hangs up as soon as the head of an answer is there: its body is neither read nor waited for. */
function send(posting: Posting, url: URL, addresses: readonly string[], signal: AbortSignal): Promise<Posted> {
  return new Promise((resolve) => {
    const request = (url.protocol === 'https:' ? overHttps : overHttp)(url, {
      method: 'POST',
      // A connection of its own: one in a pool could have another address for the same name.
      agent: false,
      lookup: only(addresses),
      signal,
      headers: { ...posting.headers, 'content-length': Buffer.byteLength(posting.body) },
    });
    const end = (posted: Posted): void => {
      resolve(posted);
      request.destroy();
    };
    request.on('response', ({ statusCode = 0 }) => end({ status: statusCode }));
    request.on('upgrade', ({ statusCode = 101 }) => end({ status: statusCode }));
    request.on('error', (error) => end({ failed: reasonFor(error, posting) }));
    request.on('close', () => resolve({ failed: 'the target closed the connection without an answer' }));
    request.end(posting.body);
  });
}

/** Resolves any name to these addresses only. */
const only =
  (addresses: readonly string[]): LookupFunction =>
  (_name, { all }, done) => {
    const known = addresses.map((address) => ({ address, family: isIP(address) }));
    if (all) done(null, known);
    else done(null, known[0]!.address, known[0]!.family);
  };

/** Why there was no answer, by the code of the failure. Text from the target is never repeated. */
function reasonFor(error: unknown, { timeoutMs }: Posting): string {
  const { name, code } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError' || name === 'AbortError') return `no answer within ${timeoutMs / 1000} s`;
  if (error instanceof AggregateError && typeof code !== 'string') return 'no connection to any address of the target';
  return typeof code === 'string' ? `no answer: ${code}` : `no answer: ${name}`;
}
