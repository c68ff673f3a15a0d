import * as z from 'zod';

/** A network: the first address of it, as the 128 bits of an IPv6 address, and how many of them all its addresses share. */
export type Network = { readonly address: bigint; readonly bits: number };

/** Where IPv4 addresses lie among those of IPv6 (RFC 4291, 2.5.5.2): one network is compared in one way, whichever way an address is written. */
const mapped = 0xffffn << 32n;
const mappedBits = 96;

/** Reads `10.0.0.0/8` or `2001:db8::/32`; undefined for what is no network. Bits behind the prefix count for nothing. */
export function readNetwork(text: string): Network | undefined {
  const [written = '', length = '', ...more] = text.split('/');
  const address = readAddress(written);
  const isIpv4 = !written.includes(':');
  if (address === undefined || more.length > 0 || !/^\d{1,3}$/.test(length) || Number(length) > (isIpv4 ? 32 : 128)) return undefined;
  const bits = Number(length) + (isIpv4 ? mappedBits : 0);
  return { address: prefixOf(address, bits), bits };
}

/** A network as text, checked. */
export const Cidr = z
  .string()
  .max(50)
  .refine((text) => readNetwork(text) !== undefined, 'a network such as 10.0.0.0/8 or 2001:db8::/32');

/** Whether an address lies in a network; one that is none lies in no network. An IPv4 address may be written as IPv6 (`::ffff:10.0.0.1`). */
export function isInside({ address, bits }: Network, text: string): boolean {
  const read = readAddress(text);
  return read !== undefined && prefixOf(read, bits) === address;
}

/** The 128 bits of an address, an IPv4 one mapped into IPv6; undefined for what is none. */
export function readAddress(text: string): bigint | undefined {
  if (!text.includes(':')) {
    const ipv4 = readIpv4(text);
    return ipv4 === undefined ? undefined : mapped | ipv4;
  }
  return readIpv6(text);
}

const prefixOf = (address: bigint, bits: number): bigint => {
  const rest = BigInt(128 - bits);
  return (address >> rest) << rest;
};

/** Four numbers without leading zeros, which some read as octal. */
function readIpv4(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) return undefined;
  return parts.reduce((address, part) => (address << 8n) | BigInt(part), 0n);
}

/** Eight groups (RFC 4291, 2.2): `::` stands for those of zeros once, the last two may be written as IPv4. */
function readIpv6(text: string): bigint | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [before, after] = halves.map((half, n) => groupsOf(half, n === halves.length - 1)) as [Groups, Groups?];
  if (!before || (halves.length === 2 && !after)) return undefined;
  const given = before.length + (after?.length ?? 0);
  if (halves.length === 1 ? given !== 8 : given > 7) return undefined;
  const groups = [...before, ...Array<bigint>(8 - given).fill(0n), ...(after ?? [])];
  return groups.reduce((address, group) => (address << 16n) | group, 0n);
}

type Groups = readonly bigint[] | undefined;

function groupsOf(text: string, isLast: boolean): Groups {
  if (text === '') return [];
  const parts = text.split(':');
  const ipv4 = isLast && parts.at(-1)!.includes('.') ? readIpv4(parts.at(-1)!) : undefined;
  const hex = ipv4 === undefined ? parts : parts.slice(0, -1);
  if (!hex.every((part) => /^[0-9a-f]{1,4}$/i.test(part))) return undefined;
  return [...hex.map((part) => BigInt(`0x${part}`)), ...(ipv4 === undefined ? [] : [ipv4 >> 16n, ipv4 & 0xffffn])];
}
