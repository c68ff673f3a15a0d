/**
 * The prefix of IPv4 addresses mapped into IPv6 (RFC 4291, 2.5.5.2): both notations of an address read as the same
 * number.
 */
const mapped = 0xffffn << 32n;

/** The 128 bits of an address, an IPv4 address mapped into IPv6; undefined if the text is no address. */
export function readAddress(text: string): bigint | undefined {
  if (!text.includes(':')) {
    const ipv4 = readIpv4(text);
    return ipv4 === undefined ? undefined : mapped | ipv4;
  }
  return readIpv6(text);
}

/**
 * The source that a caller's address counts as: an IPv4 address, or the /64 of an IPv6 address, because a host chooses
 * freely among its addresses there. A text that is no address is a source by itself.
 */
export function sourceOf(text: string): string {
  const address = readAddress(text);
  if (address === undefined) return text.slice(0, 50);
  const isIpv4 = address >> 32n === 0xffffn;
  return isIpv4 ? String(address & 0xffff_ffffn) : `${(address >> 64n).toString(16)}/64`;
}

/** The source that a caller's address counts as, as people write it: an IPv4 address, or the /64 of an IPv6 address. */
export function sourceText(text: string): string {
  const address = readAddress(text);
  if (address === undefined) return text.slice(0, 50);
  if (address >> 32n === 0xffffn) return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 0xffn).join('.');
  const groups = [112n, 96n, 80n, 64n].map((shift) => ((address >> shift) & 0xffffn).toString(16));
  return `${groups.join(':')}::/64`;
}

/** The bits of an address that name its network: the most that one site usually has; for IPv6 see RFC 6177. */
const networkBits = { ipv4: 24n, ipv6: 48n };

/**
 * The network of an address, as people write it: a /24 of IPv4, a /48 of IPv6; `no known network` for a text that is no
 * address.
 */
export function networkOf(text: string): string {
  const address = readAddress(text);
  if (address === undefined) return 'no known network';
  if (address >> 32n === 0xffffn) {
    const bytes = [24n, 16n, 8n].map((shift) => (address >> shift) & 0xffn);
    return `${bytes.join('.')}.0/${networkBits.ipv4}`;
  }
  const groups = [112n, 96n, 80n].map((shift) => ((address >> shift) & 0xffffn).toString(16));
  return `${groups.join(':')}::/${networkBits.ipv6}`;
}

/** Whether a text is an address of IPv4: four numbers of 0 to 255 between dots. */
export const isIpv4 = (text: string): boolean => readIpv4(text) !== undefined;

/** Four numbers without leading zeros, which some read as octal. */
function readIpv4(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) return undefined;
  return parts.reduce((address, part) => (address << 8n) | BigInt(part), 0n);
}

/** Eight groups (RFC 4291, 2.2): `::` replaces groups of zeros once, and the last two may be written as IPv4. */
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
