import { readAddress } from '../../../core/address.ts';
import type { Fqdn } from '../../../core/ids.ts';
import type { PooledHost, PooledHostIn } from './pooled-host.ts';

/**
 * The facts that decide whether a host may be watched where it asks: its name, where it asks to be watched, and the
 * network address that it calls from.
 */
type Watched = { readonly fqdn: Fqdn; readonly watch: string; readonly source: string };

/**
 * Whether a host asks to be watched at its own address: under the name that it joins by, or at the address that it
 * calls from. Every node and every client system of the zone connects there, and takes whatever answers there for the
 * host.
 */
export function isOwnWatch({ fqdn, watch, source }: Watched): boolean {
  const host = hostIn(watch);
  const at = isNumber(host) ? readAddress(host) : undefined;
  if (at === undefined) return !isNumber(host) && (host === fqdn || (host === 'localhost' && isLoopback(readAddress(source))));
  const from = readAddress(source);
  return at === from || (isLoopback(at) && isLoopback(from));
}

/**
 * Whether a host that waits asks to be watched at an address that is not its own. A host whose address is not known is
 * checked when it calls.
 */
export const isForeignWatch = (host: Watched): boolean => readAddress(host.source) !== undefined && !isOwnWatch(host);

/** Whether an operator must allow the address at which a host asks to be watched, and has not yet. */
export const needsAnyWatch = (host: PooledHost): boolean => isForeignWatch(host) && !(host.standing === 'admitted' && host.as.anyWatch);

/**
 * Whether an operator's admission of a host holds for its present request: under the name that the operator saw, and
 * watched at its own address or where the operator allowed it.
 */
export const isAdmittedAs = (admitted: PooledHostIn<'admitted'>, asking: Watched): boolean =>
  admitted.fqdn === asking.fqdn && (isOwnWatch(asking) || (admitted.as.anyWatch === true && admitted.watch === asking.watch));

/** The text for an operator about a host whose watch address is not its own. */
export const foreignWatch = ({ watch, source }: Watched): string =>
  `it asks to be watched at ${watch}, which is neither its name nor ${source}, the source of its calls: if that is right, admit it with --any-watch`;

/** Names are equal in either case, and with or without the dot of the root behind them (RFC 1034, 3.1). */
const hostIn = (watch: string): string => watch.slice(0, watch.lastIndexOf(':')).toLowerCase().replace(/\.$/, '');

/**
 * Whether resolvers read a host as an address. They also read fewer numbers than four, and octal and hexadecimal ones
 * (https://url.spec.whatwg.org/#ends-in-a-number-checker): a host named `10.0.0.0x5` would be watched at 10.0.0.5 under
 * its own name.
 */
const isNumber = (host: string): boolean => /(^|\.)(\d+|0x[0-9a-f]*)$/.test(host);

/** 127.0.0.0/8 (RFC 1122, 3.2.1.3) and ::1: a caller at any of these addresses is on this machine. */
const isLoopback = (address: bigint | undefined): boolean => address === 1n || (address !== undefined && address >> 24n === 0xffff7fn);
