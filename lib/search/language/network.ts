import { readAddress } from '../../core/address.ts';
import { readNetwork } from '../../core/cidr.ts';
import type { AddressRange } from './query.ts';
import { isSlip, type Slip } from './range.ts';

const expected = 'an address, a network such as 10.0.0.0/8, or a range such as 10.0.0.1..10.0.0.9';
const bitsOf = { 4: 32, 6: 128 } as const;
/** What IPv4 addresses have before their 32 bits where they are mapped into IPv6 (RFC 4291, 2.5.5.2). */
const mapped = 0xffffn;

/**
 * Reads an address, a network, a range of addresses, or the beginning of an IPv4 address (`10.1.*`). Bits behind the
 * prefix of a network are ignored.
 */
export function readAddresses(text: string): AddressRange | Slip {
  const [first = '', second, ...more] = text.split('..');
  if (second !== undefined) return more.length > 0 ? none(text) : readBetween(first, second, text);
  const address = readAddress(text);
  if (address !== undefined) return rangeOf(address, address);
  const network = readNetwork(text);
  if (network) return rangeOf(network.address, network.address | ((1n << BigInt(128 - network.bits)) - 1n));
  return readBeginning(text) ?? none(text);
}

function readBetween(first: string, second: string, text: string): AddressRange | Slip {
  const [from, to] = [readAddress(first), readAddress(second)];
  if (from === undefined) return none(first);
  if (to === undefined) return none(second);
  if (rangeOf(from, from).version !== rangeOf(to, to).version) return { problem: `${text} mixes IPv4 and IPv6`, expected };
  if (from > to) return { problem: `${text} ends before it begins`, expected, meant: `${second}..${first}` };
  return rangeOf(from, to);
}

/** `10.1.*` and `10.1.*.*`: the addresses of 10.1.0.0/16. */
function readBeginning(text: string): AddressRange | undefined {
  const [, begin = ''] = /^((?:\d{1,3}\.){1,3})\*(?:\.\*){0,2}$/.exec(text) ?? [];
  const bytes = begin.split('.').slice(0, -1);
  if (begin === '' || text.split('.').length > 4) return undefined;
  const network = `${[...bytes, '0', '0', '0'].slice(0, 4).join('.')}/${bytes.length * 8}`;
  const read = readAddresses(network);
  return isSlip(read) ? undefined : read;
}

/** A range of 128-bit addresses, which is of IPv4 if all of it is mapped. */
function rangeOf(from: bigint, to: bigint): AddressRange {
  if (from >> 32n !== mapped || to >> 32n !== mapped) return { version: 6, from, to };
  return { version: 4, from: from & 0xffff_ffffn, to: to & 0xffff_ffffn };
}

function none(text: string): Slip {
  return { problem: text === '' ? 'an address is missing' : `${text} is no address and no network`, expected, meant: meantBy(text) };
}

function meantBy(text: string): string | undefined {
  const dashed = text.split('-');
  if (dashed.length === 2 && dashed.every((one) => readAddress(one) !== undefined)) return dashed.join('..');
  const [, zoneless] = /^(fe80:[0-9a-f:]*)%\w+$/i.exec(text) ?? [];
  if (zoneless !== undefined && readAddress(zoneless) !== undefined) return zoneless;
  const begun = text.replace(/\.$/, '');
  return /^\d{1,3}(\.\d{1,3}){0,2}$/.test(begun) && readBeginning(`${begun}.*`) ? `${begun}.*` : undefined;
}

/** Addresses as they are written: one, a network, or a range. What it gives is read as the same range again. */
export function addressesText({ version, from, to }: AddressRange): string {
  if (from === to) return addressText(version, from);
  const size = to - from + 1n;
  const isNetwork = (size & (size - 1n)) === 0n && from % size === 0n;
  if (!isNetwork) return `${addressText(version, from)}..${addressText(version, to)}`;
  return `${addressText(version, from)}/${bitsOf[version] - (size.toString(2).length - 1)}`;
}

function addressText(version: 4 | 6, address: bigint): string {
  if (version === 4) return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 0xffn).join('.');
  const groups = [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((shift) => ((address >> shift) & 0xffffn).toString(16));
  const text = groups.join(':');
  // The longest run of zeros is written as `::` (RFC 5952, 4.2), the first of several; one group alone is not.
  const runs = [...text.matchAll(/(?<![0-9a-f])0(?::0(?![0-9a-f]))+/g)].map(({ 0: run, index }) => ({
    at: index,
    end: index + run.length,
  }));
  const longest = runs.reduce((best, run) => (run.end - run.at > best.end - best.at ? run : best), { at: 0, end: 0 });
  if (longest.end === 0) return text;
  return `${text.slice(0, longest.at).replace(/:$/, '')}::${text.slice(longest.end).replace(/^:/, '')}`;
}
