import { fence, type Names } from './names.ts';
import { compareBytes } from './texts.ts';

type Unordered = Pick<Names, 'count' | 'hosts' | 'domainOf'>;

/** Numbers below this are exact. */
const exact = 2 ** 53;
/** Fewer entries are put in their places one by one. */
const insertBelow = 24;

/**
 * The entries of names in the order of their names: by host, then by domain, then by entry. Sorts numbers, which hold
 * the next few characters of a host and a place, because that is several times as fast as comparing hosts.
 */
export function orderNames(names: Unordered): Uint32Array {
  const order = Uint32Array.from({ length: names.count }, (_, entry) => entry);
  const sorter = new NameSorter(names, startsOf(names));
  sorter.sort(order, 0, order.length, 0);
  return order;
}

/** Where every host begins. */
export function startsOf({ count, hosts }: Pick<Names, 'count' | 'hosts'>): Uint32Array {
  const starts = new Uint32Array(count);
  for (let at = 0, entry = 0; entry < count; at++) if (hosts[at] === fence) starts[entry++] = at + 1;
  return starts;
}

/** Orders two entries by host, domain and entry; `starts` has where their hosts begin. */
export function compareEntries({ hosts, domainOf }: Unordered, starts: Uint32Array, a: number, b: number): number {
  const hostOrder = compareHosts(hosts, starts[a] ?? 0, hosts, starts[b] ?? 0);
  return hostOrder || (domainOf[a] ?? 0) - (domainOf[b] ?? 0) || a - b;
}

/** Orders two hosts, which end at their fences. */
export function compareHosts(a: Uint8Array, aFrom: number, b: Uint8Array, bFrom: number): number {
  for (let at = 0; ; at++) {
    const [one, other] = [a[aFrom + at] ?? fence, b[bFrom + at] ?? fence];
    if (one === fence || other === fence) return one === other ? 0 : one === fence ? -1 : 1;
    if (one !== other) return one - other;
  }
}

/** Orders two names as entries are: by host, then by domain. */
export function compareNames(a: string, b: string): number {
  const [aBytes, bBytes] = [Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8')];
  const [aDot, bDot] = [hostLength(aBytes), hostLength(bBytes)];
  return compareBytes(aBytes, 0, aDot, bBytes, 0, bDot) || compareBytes(aBytes, aDot, aBytes.length, bBytes, bDot, bBytes.length);
}

function hostLength(name: Uint8Array): number {
  const dot = name.indexOf(0x2e);
  return dot === -1 ? name.length : dot;
}

class NameSorter {
  readonly #names: Unordered;
  readonly #starts: Uint32Array;
  /** A number from 1 for each byte that hosts have, in their order; 0 is the end. */
  readonly #codes = new Uint8Array(256);
  readonly #radix: number;
  readonly #keys: Float64Array;
  readonly #moved: Uint32Array;

  constructor(names: Unordered, starts: Uint32Array) {
    this.#names = names;
    this.#starts = starts;
    for (const byte of names.hosts) this.#codes[byte] = 1;
    this.#codes[fence] = 0;
    let radix = 1;
    for (let byte = 0; byte < fence; byte++) if (this.#codes[byte] === 1) this.#codes[byte] = radix++;
    this.#radix = Math.max(2, radix);
    this.#keys = new Float64Array(names.count);
    this.#moved = new Uint32Array(names.count);
  }

  /** Sorts entries whose hosts have the same first `depth` bytes. */
  sort(order: Uint32Array, from: number, to: number, depth: number): void {
    if (to - from < insertBelow) this.#insert(order, from, to);
    else this.#byKeys(order, from, to, depth);
  }

  #byKeys(order: Uint32Array, from: number, to: number, depth: number): void {
    const places = 2 ** Math.ceil(Math.log2(to - from));
    const characters = Math.floor(Math.log2(exact / places) / Math.log2(this.#radix) - 1e-9);
    const isEnded = this.#radix ** (characters - 1);
    for (let n = from; n < to; n++) this.#keys[n] = this.#keyOf(order[n] ?? 0, depth, characters) * places + (n - from);
    this.#keys.subarray(from, to).sort();
    this.#moved.set(order.subarray(from, to), from);
    for (let n = from; n < to; n++) order[n] = this.#moved[from + ((this.#keys[n] ?? 0) % places)] ?? 0;
    for (let n = from; n < to; ) {
      const key = Math.floor((this.#keys[n] ?? 0) / places);
      const first = n;
      for (n += 1; n < to && Math.floor((this.#keys[n] ?? 0) / places) === key; ) n += 1;
      if (n - first === 1) continue;
      // The last character of the key is the end of the host: these hosts are the same.
      if (key % this.#radix === 0 && isEnded >= 1) this.#byDomain(order, first, n);
      else this.sort(order, first, n, depth + characters);
    }
  }

  #keyOf(entry: number, depth: number, characters: number): number {
    let at = (this.#starts[entry] ?? 0) + depth;
    let key = 0;
    for (let n = 0; n < characters; n++) {
      const code = this.#codes[this.#names.hosts[at] ?? fence] ?? 0;
      key = key * this.#radix + code;
      if (code !== 0) at += 1;
    }
    return key;
  }

  #byDomain(order: Uint32Array, from: number, to: number): void {
    const entries = exact / 2 ** 32;
    const keys = this.#keys.slice(from, to);
    if (this.#names.count > entries) order.subarray(from, to).sort((a, b) => compareEntries(this.#names, this.#starts, a, b));
    else {
      for (let n = from; n < to; n++) keys[n - from] = (this.#names.domainOf[order[n] ?? 0] ?? 0) * entries + (order[n] ?? 0);
      keys.sort();
      for (let n = from; n < to; n++) order[n] = (keys[n - from] ?? 0) % entries;
    }
  }

  #insert(order: Uint32Array, from: number, to: number): void {
    for (let n = from + 1; n < to; n++) {
      const entry = order[n] ?? 0;
      let at = n;
      for (; at > from && compareEntries(this.#names, this.#starts, order[at - 1] ?? 0, entry) > 0; at--) order[at] = order[at - 1] ?? 0;
      order[at] = entry;
    }
  }
}
