import { begin } from './automaton.ts';
import { type Bitmap, each } from './bitmap.ts';
import { matches, type NameMatch, verdicts } from './name-match.ts';
import { blockSize, entriesOf, fence, hostEnd, hostStart, type Names } from './names.ts';
import { textAt, textsIn } from './texts.ts';

/** Visits each entry that a scan finds, ascending. */
type Visit = (entry: number) => void;

/** Names that pass by their domain, whatever their host is. */
export function scanDomains({ domainOf, count }: Names, { verdict }: NameMatch, visit: Visit): void {
  for (let entry = 0; entry < count; entry++) if (verdict[domainOf[entry] ?? 0] === verdicts.all) visit(entry);
}

/** The entries whose hosts must be read; undefined if there are more than `most`. */
export function entriesToRead({ domainOf, count }: Names, { verdict }: NameMatch, most: number): Uint32Array | undefined {
  const entries = new Uint32Array(most);
  let filled = 0;
  for (let entry = 0; entry < count && filled <= most; entry++)
    if (verdict[domainOf[entry] ?? 0] === verdicts.host) entries[filled++] = entry;
  return filled <= most ? entries.subarray(0, filled) : undefined;
}

/** Names that pass, among some entries. */
export function scanEntries(names: Names, match: NameMatch, entries: Uint32Array, visit: Visit): void {
  for (const entry of entries) if (matches(match, names, entry)) visit(entry);
}

/** Names that pass, of some documents. */
export function scanDocuments(names: Names, match: NameMatch, documents: Bitmap, visit: Visit): void {
  each(documents, (ordinal) => {
    const [from, to] = entriesOf(names, ordinal);
    for (let entry = from; entry < to; entry++) if (matches(match, names, entry)) visit(entry);
    return true;
  });
}

/** Names that pass, from an entry on: reads every host once. */
export function scanAll(names: Names, match: NameMatch, visit: Visit, from = 0): void {
  const { needs, verdict, verifiesAll } = match;
  const { accepts } = match.automaton;
  const reader = new HostReader(names, match, hostStart(names, from));
  for (let entry = from; entry < names.count; entry++) {
    const domain = names.domainOf[entry] ?? 0;
    const states = reader.next(verdict[domain] === verdicts.host);
    if (verdict[domain] === verdicts.all) visit(entry);
    else if ((states & ((needs[domain] ?? 0) | accepts)) === 0) continue;
    else if (!(reader.isOdd || verifiesAll || needs[domain] === -1) || matches(match, names, entry, reader.start)) visit(entry);
  }
}

/** Reads hosts one behind the other. Its place is a field, so that a step gives the states alone. */
class HostReader {
  /** Where the last host begins. */
  start = 0;
  /** Whether the last host has more than ASCII: its states then say nothing. */
  isOdd = false;
  #at: number;
  readonly #hosts: Uint8Array;
  readonly #takes: Int32Array;
  readonly #loops: number;

  constructor({ hosts }: Names, { automaton }: NameMatch, at: number) {
    this.#at = at;
    this.#hosts = hosts;
    this.#takes = automaton.takes;
    this.#loops = automaton.loops;
  }

  /** The states after the next host, and every state of one that is odd; none if it is only passed over. */
  next(isRead: boolean): number {
    const [hosts, takes, loops] = [this.#hosts, this.#takes, this.#loops];
    let at = this.#at;
    this.start = at;
    let states = isRead ? begin : 0;
    let byte = hosts[at] ?? fence;
    while (byte < 0x80 && states !== 0) {
      states = ((states & (takes[byte] ?? 0)) << 1) | (states & loops);
      byte = hosts[++at] ?? fence;
    }
    this.isOdd = byte !== fence && states !== 0;
    while (byte !== fence) byte = hosts[++at] ?? fence;
    this.#at = at + 1;
    return this.isOdd ? -1 : states;
  }
}

/** A search for bytes reads several gigabytes a second, and a hit costs as much as a scan of so many bytes. */
const bytesPerHit = 300;
/** A literal of so many bytes may be rare. */
const literalMin = 3;

/**
 * Names that pass and must have this literal in their host: looks for its bytes, and reads the hosts that have it. Goes
 * on as {@link scanAll} where there are many of these.
 */
export function scanLiteral(names: Names, match: NameMatch, literal: string, visit: Visit): void {
  const hosts = Buffer.from(names.hosts.buffer, names.hosts.byteOffset, names.hosts.length);
  const key = Buffer.from(literal, 'utf8');
  let [hits, done] = [0, 0];
  for (let found = hosts.indexOf(key); found !== -1; ) {
    const entry = entryAt(names, found, done);
    const start = hostStart(names, entry);
    const end = hostEnd(names, start);
    if (matches(match, names, entry, start)) visit(entry);
    done = entry + 1;
    hits += 1;
    const isFrequent = hits % 256 === 0 && hits * bytesPerHit > end;
    if (isFrequent) scanAll(names, match, visit, done);
    found = isFrequent ? -1 : hosts.indexOf(key, end);
  }
}

/**
 * The literal by which hosts can be looked for: one that passing names have, and that no domain whose hosts must be
 * read has in it. Undefined if there is none.
 */
export function literalFor(names: Names, match: NameMatch, literals: readonly string[]): string | undefined {
  const parts = literals.flatMap((literal) => literal.split('.')).filter(({ length }) => length >= literalMin);
  const domains = Array.from({ length: textsIn(names.domains) }, (_, n) => n).filter((n) => match.verdict[n] !== verdicts.none);
  const inHosts = parts.filter((part) => !domains.some((domain) => textAt(names.domains, domain).includes(part)));
  return inHosts.reduce<string | undefined>((best, part) => (part.length > (best?.length ?? 0) ? part : best), undefined);
}

/** The entry whose host has the byte at `at`; it is `from` or behind it. */
function entryAt({ blocks, hosts }: Names, at: number, from: number): number {
  let [low, high] = [Math.floor(from / blockSize), blocks.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((blocks[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  let entry = low * blockSize;
  for (let byte = blocks[low] ?? 0; byte < at; byte++) if (hosts[byte] === fence) entry += 1;
  return entry;
}
