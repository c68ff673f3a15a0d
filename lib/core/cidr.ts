import * as z from 'zod';
import { readAddress } from './address.ts';

/**
 * A network: its first address, as the 128 bits of an IPv6 address, and how many leading bits all its addresses share.
 */
export type Network = { readonly address: bigint; readonly bits: number };

/** The bits that all IPv4 addresses share among those of IPv6. */
const mappedBits = 96;

/** Reads `10.0.0.0/8` or `2001:db8::/32`; undefined if the text is no network. Bits behind the prefix are ignored. */
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

/**
 * Whether an address is in a network; a text that is no address is in none. An IPv4 address may be written as IPv6
 * (`::ffff:10.0.0.1`).
 */
export function isInside({ address, bits }: Network, text: string): boolean {
  const read = readAddress(text);
  return read !== undefined && prefixOf(read, bits) === address;
}

const prefixOf = (address: bigint, bits: number): bigint => {
  const rest = BigInt(128 - bits);
  return (address >> rest) << rest;
};
