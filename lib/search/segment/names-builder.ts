import { Growing, GrowingBytes } from './growing.ts';
import { orderNames } from './name-order.ts';
import { blockSize, domainColumn, fence, type Names } from './names.ts';
import { compareTexts, packTexts } from './texts.ts';

/** Collects the names of documents, document by document in their order. */
export class NamesBuilder {
  readonly #hosts = new GrowingBytes();
  readonly #blocks = new Growing();
  readonly #domains = new Map<string, number>();
  readonly #domainOf = new Growing();
  readonly #owners = new Growing();
  #isOneEach = true;

  constructor() {
    this.#hosts.push(fence);
  }

  /** Adds the names of a document; one that comes twice counts once. */
  add(ordinal: number, names: readonly string[]): void {
    for (let at = 0; at < names.length; at++) {
      const name = names[at] ?? '';
      if (at > 0 && names.indexOf(name) < at) continue;
      const dot = name.indexOf('.');
      const domain = dot === -1 ? '' : name.slice(dot);
      const number = this.#domains.get(domain) ?? this.#domains.size;
      if (number === this.#domains.size) this.#domains.set(domain, number);
      if (this.#owners.length % blockSize === 0) this.#blocks.push(this.#hosts.length);
      this.#isOneEach &&= this.#owners.length === ordinal;
      this.#domainOf.push(number);
      this.#owners.push(ordinal);
      this.#hosts.write(dot === -1 ? name : name.slice(0, dot), 'utf8');
      this.#hosts.push(fence);
    }
  }

  /** The names of this many documents. */
  build(documents: number): Names {
    const count = this.#owners.length;
    const texts = [...this.#domains.keys()].sort(compareTexts);
    const places = new Uint32Array(texts.length);
    for (const [place, text] of texts.entries()) places[this.#domains.get(text) ?? 0] = place;
    const [domainOf, numbers] = [domainColumn(texts.length, count), this.#domainOf.view()];
    for (let entry = 0; entry < count; entry++) domainOf[entry] = places[numbers[entry] ?? 0] ?? 0;
    const hosts = this.#hosts.taken();
    return {
      count,
      hosts,
      blocks: this.#blocks.taken(),
      domains: packTexts(texts),
      domainOf,
      order: orderNames({ count, hosts, domainOf }),
      owners: this.#isOneEach && count === documents ? undefined : this.#owners.taken(),
    };
  }
}
