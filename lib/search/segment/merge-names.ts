import { type Column, entriesAtOnce, gone } from './merge-ids.ts';
import { keptTexts } from './merge-keywords.ts';
import { compareEntries } from './name-order.ts';
import { blockSize, domainColumn, fence, type Names, ownerOf } from './names.ts';
import { mergeTexts, type Texts, textsIn } from './texts.ts';

/**
 * The merged names of several segments; `sources` has the segment of each document. Yields now and then how many
 * entries it has handled since.
 */
export function* mergeNames(inputs: readonly Column<Names>[], sources: Uint8Array): Generator<number, Names> {
  const { texts, places } = yield* mergeTexts(inputs.map(({ column }) => column.domains));
  const writer = new Writer(inputs, places, texts);
  for (let ordinal = 0; ordinal < sources.length; ordinal++) {
    writer.take(sources[ordinal] ?? 0, ordinal);
    if ((ordinal + 1) % entriesAtOnce === 0) yield entriesAtOnce;
  }
  const written = yield* writer.written(sources.length);
  const order = yield* mergeOrders(
    inputs.map(({ column }, n) => ({ order: column.order, entries: writer.entries[n] ?? new Uint32Array(0) })),
    written,
    writer.starts,
  );
  return { ...written, order };
}

/**
 * Copies the names of documents, which come in their new order, so that each input is read from its first to its last.
 */
class Writer {
  /** The new entry of each entry of each input, or {@link gone}. */
  readonly entries: readonly Uint32Array[];
  /** Where the host of each new entry begins. */
  readonly starts: Uint32Array;
  readonly #inputs: readonly Column<Names>[];
  readonly #places: readonly Uint32Array[];
  readonly #domains: Texts;
  readonly #heads: { entry: number; at: number }[];
  readonly #hosts: Uint8Array;
  readonly #domainOf: Uint32Array;
  readonly #owners: Uint32Array;
  readonly #counts: Uint32Array;
  #count = 0;
  #length = 1;
  #isOneEach = true;

  constructor(inputs: readonly Column<Names>[], places: readonly Uint32Array[], domains: Texts) {
    const entries = inputs.reduce((sum, { column }) => sum + column.count, 0);
    this.#inputs = inputs;
    this.#places = places;
    this.#domains = domains;
    this.#heads = inputs.map(() => ({ entry: 0, at: 1 }));
    this.entries = inputs.map(({ column }) => new Uint32Array(column.count).fill(gone));
    this.starts = new Uint32Array(entries);
    this.#hosts = new Uint8Array(inputs.reduce((sum, { column }) => sum + column.hosts.length, 1));
    this.#hosts[0] = fence;
    this.#domainOf = new Uint32Array(entries);
    this.#owners = new Uint32Array(entries);
    this.#counts = new Uint32Array(textsIn(domains));
  }

  /** Copies the names of the next document of an input, which passes over those that are gone. */
  take(source: number, ordinal: number): void {
    const [input, head] = [this.#inputs[source], this.#heads[source]];
    if (!input || !head) return;
    const { column: names, ordinals } = input;
    for (; head.entry < names.count; head.entry++) {
      const now = ordinals[ownerOf(names, head.entry)] ?? gone;
      if (now !== gone && now > ordinal) return;
      if (now === ordinal) this.#begin(source, names, head.entry, ordinal);
      for (let byte = names.hosts[head.at] ?? fence; byte !== fence; byte = names.hosts[++head.at] ?? fence)
        if (now === ordinal) this.#hosts[this.#length++] = byte;
      head.at += 1;
      if (now === ordinal) this.#hosts[this.#length++] = fence;
    }
  }

  #begin(source: number, names: Names, from: number, ordinal: number): void {
    const entry = this.#count++;
    const domain = this.#places[source]?.[names.domainOf[from] ?? 0] ?? 0;
    this.#domainOf[entry] = domain;
    this.#counts[domain] = (this.#counts[domain] ?? 0) + 1;
    this.#owners[entry] = ordinal;
    this.#isOneEach &&= entry === ordinal;
    this.starts[entry] = this.#length;
    (this.entries[source] ?? this.starts)[from] = entry;
  }

  /** What was copied of this many documents, without its order. Yields as {@link mergeNames}. */
  *written(documents: number): Generator<number, Omit<Names, 'order'>> {
    const count = this.#count;
    const kept = new Uint32Array(this.#counts.length);
    for (let domain = 1; domain < kept.length; domain++) kept[domain] = (kept[domain - 1] ?? 0) + (this.#counts[domain - 1] ? 1 : 0);
    const domains = keptTexts(this.#domains, this.#counts);
    const domainOf = domainColumn(textsIn(domains), count);
    for (let entry = 0; entry < count; entry++) {
      domainOf[entry] = kept[this.#domainOf[entry] ?? 0] ?? 0;
      if (entry % entriesAtOnce === 0) yield entriesAtOnce / 8;
    }
    const hosts = this.#hosts.slice(0, this.#length);
    yield entriesAtOnce;
    const blocks = new Uint32Array(Math.ceil(count / blockSize));
    for (let block = 0; block < blocks.length; block++) blocks[block] = this.starts[block * blockSize] ?? 0;
    const owners = this.#isOneEach && count === documents ? undefined : this.#owners.slice(0, count);
    return { count, hosts, blocks, domains, domainOf, owners };
  }
}

/** The order of names of one input, and the new entry of each of its entries. */
type Ordered = { readonly order: Uint32Array; readonly entries: Uint32Array };

function* mergeOrders(inputs: readonly Ordered[], names: Omit<Names, 'order'>, starts: Uint32Array): Generator<number, Uint32Array> {
  const merged = new Uint32Array(names.count);
  const heads = inputs.map(() => -1);
  const entries = inputs.map(() => gone);
  const advance = (n: number): void => {
    const { order = merged, entries: now = merged } = inputs[n] ?? {};
    let head = (heads[n] ?? 0) + 1;
    while (head < order.length && now[order[head] ?? 0] === gone) head += 1;
    heads[n] = head;
    entries[n] = head < order.length ? (now[order[head] ?? 0] ?? gone) : gone;
  };
  for (let n = 0; n < inputs.length; n++) advance(n);
  for (let place = 0; place < merged.length; place++) {
    let [best, least] = [-1, gone];
    for (let n = 0; n < entries.length; n++) {
      const entry = entries[n] ?? gone;
      if (entry !== gone && (least === gone || compareEntries(names, starts, entry, least) < 0)) [best, least] = [n, entry];
    }
    merged[place] = least;
    advance(best);
    if ((place + 1) % entriesAtOnce === 0) yield entriesAtOnce * 2;
  }
  return merged;
}
