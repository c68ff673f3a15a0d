import { readAddress } from '../../../core/address.ts';
import type { Fqdn } from '../../../core/ids.ts';
import type { PooledHost, PooledHostIn } from './pooled-host.ts';

/**
 * What tells whether a host may be watched where it says: its name, where it asks to be watched, and the network
 * address that it calls from.
 */
type Watched = { readonly fqdn: Fqdn; readonly watch: string; readonly source: string };

/**
 * Whether a host asks to be watched where it is itself: under the name that it joins by, or at the address that it
 * calls from. Every node of the zone, and every client system of it, is made to connect there, and believes of the host
 * what answers there.
 */
export function isOwnWatch({ fqdn, watch, source }: Watched): boolean {
  const host = hostIn(watch);
  const at = isNumber(host) ? readAddress(host) : undefined;
  if (at === undefined) return !isNumber(host) && (host === fqdn || (host === 'localhost' && isLoopback(readAddress(source))));
  const from = readAddress(source);
  return at === from || (isLoopback(at) && isLoopback(from));
}

/**
 * Whether a host that waits asks to be watched where it is not. One whose address is not known is judged when it calls.
 */
export const isForeignWatch = (host: Watched): boolean => readAddress(host.source) !== undefined && !isOwnWatch(host);

/** Whether an operator must say that a host may be watched where it asks, and has not yet. */
export const needsAnyWatch = (host: PooledHost): boolean => isForeignWatch(host) && !(host.standing === 'admitted' && host.as.anyWatch);

/**
 * Whether an operator's word for a host holds for it as it asks now: under the name that was seen, and watched where it
 * is itself or where the operator allowed it.
 */
export const standsFor = (admitted: PooledHostIn<'admitted'>, asking: Watched): boolean =>
  admitted.fqdn === asking.fqdn && (isOwnWatch(asking) || (admitted.as.anyWatch === true && admitted.watch === asking.watch));

/** What an operator is told of such a host. */
export const foreignWatch = ({ watch, source }: Watched): string =>
  `it asks to be watched at ${watch}, which is not its name and not ${source}, from where it calls: if that is right, admit it with --any-watch`;

/** Names are the same in either case and with the dot of the root behind them (RFC 1034, 3.1). */
const hostIn = (watch: string): string => watch.slice(0, watch.lastIndexOf(':')).toLowerCase().replace(/\.$/, '');

/**
 * Whether resolvers take a host for an address, as they do also of fewer numbers than four, and of octal and
 * hexadecimal ones (https://url.spec.whatwg.org/#ends-in-a-number-checker): a host that was called `10.0.0.0x5` would
 * be watched at 10.0.0.5 under its own name.
 */
const isNumber = (host: string): boolean => /(^|\.)(\d+|0x[0-9a-f]*)$/.test(host);

/**
 * 127.0.0.0/8 (RFC 1122, 3.2.1.3) and ::1: whoever calls from this machine is on it, whichever of its addresses that
 * is.
 */
const isLoopback = (address: bigint | undefined): boolean => address === 1n || (address !== undefined && address >> 24n === 0xffff7fn);
