import { readAddress } from '../../core/address.ts';

/** The longest URL that is accepted. */
export const urlCharactersMax = 2_000;

/** A target as configured: its URL, and the address if the URL has one instead of a name. */
export type Target = { readonly url: URL; readonly address?: string };

/** Targets other than public ones that may be called: loopback, over http too, for trials and tests. */
export type TargetOptions = { readonly loopback: boolean };

/**
 * A URL as a target, or why it is refused. Only https is accepted; plain http where loopback is allowed, and then only
 * to loopback, see {@link refusalOf}. The addresses of a name are not checked yet.
 */
export function readTarget(text: string, { loopback }: TargetOptions): Target | string {
  if (text.length > urlCharactersMax) return `the URL has more than ${urlCharactersMax} characters`;
  if (!URL.canParse(text)) return 'it is not a URL';
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(loopback && url.protocol === 'http:')) return 'it is not an https address';
  if (url.username !== '' || url.password !== '') return 'it has a user name or password: remove it, deliveries are signed instead';
  if (url.hash !== '') return 'it has a fragment, which is never sent';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isAddress = readAddress(host) !== undefined;
  const refused = isAddress ? refusalOf(url, [host], { loopback }) : undefined;
  return refused ?? { url, ...(isAddress && { address: host }) };
}

/**
 * Why nothing is sent to a URL whose name resolves to these addresses: one address that is not public is enough.
 * Undefined when all of them may be called.
 */
export function refusalOf(
  { protocol }: Pick<URL, 'protocol'>,
  addresses: readonly string[],
  { loopback }: TargetOptions,
): string | undefined {
  if (addresses.length === 0) return 'its name has no address';
  const kinds = addresses.map((address) => ({ address, kind: kindOf(address) }));
  const refused = kinds.find(({ kind }) => kind !== 'public' && !(loopback && kind === 'loopback'));
  if (refused) return `${refused.address} is not public: ${refused.kind}`;
  if (protocol === 'http:' && kinds.some(({ kind }) => kind !== 'loopback')) return 'http is only for loopback: use https';
  return undefined;
}

/**
 * The IPv4 networks that are not public (IANA's registry of special purposes, RFC 6890 and later), and the same of the
 * IPv6 addresses that are handed out (2000::/3). The order does not matter: any match refuses.
 */
const special: readonly (readonly [network: string, kind: string])[] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'shared by carriers'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local, with cloud metadata'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'documentation'],
  ['192.88.99.0/24', 'reserved'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'benchmarks'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  ['::1/128', 'loopback'],
  ['fe80::/10', 'link-local'],
  ['fc00::/7', 'private'],
  ['2001::/23', 'reserved'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', 'a tunnel to an IPv4 address'],
  ['3fff::/20', 'documentation'],
];

/**
 * The kind of an address: `public` if anybody may have it. An IPv4 address has the same kind when it is written as
 * IPv6.
 */
export function kindOf(text: string): string {
  const address = readAddress(text);
  if (address === undefined) return 'no address';
  const known = special.find(([network]) => isWithin(address, network));
  if (known) return known[1];
  // Every other IPv6 address is reserved, multicast, or maps an IPv4 address in some other way.
  return isIpv4(address) || address >> 125n === 1n ? 'public' : 'not handed out';
}

const isIpv4 = (address: bigint): boolean => address >> 32n === 0xffffn;

function isWithin(address: bigint, network: string): boolean {
  const [written, length] = network.split('/') as [string, string];
  const bits = Number(length) + (written.includes(':') ? 0 : 96);
  const rest = BigInt(128 - bits);
  return address >> rest === readAddress(written)! >> rest;
}
