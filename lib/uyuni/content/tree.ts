import { hash } from 'node:crypto';
import { inOrder } from '../../core/json.ts';

/** An entry of common content by its kind, its key and the hash of what it says. */
export type HashedEntry = { readonly kind: string; readonly key: string; readonly hash: string };

/**
 * A node of a tree of hashes: up to {@link leafMax} entries, or the hashes of its sixteen parts, each '' where there is
 * nothing.
 */
export type TreeNode =
  | { readonly is: 'leaf'; readonly entries: readonly HashedEntry[] }
  | { readonly is: 'branch'; readonly parts: readonly string[] };

/** An entry that two trees do not have alike; a hash is undefined where a tree lacks it. */
export type TreeDifference = {
  readonly kind: string;
  readonly key: string;
  readonly here: string | undefined;
  readonly there: string | undefined;
};

/** How many entries are listed rather than divided. */
export const leafMax = 16;
const digits = Array.from({ length: 16 }, (_, n) => n.toString(16));

type Placed = HashedEntry & { readonly place: string };
const sha256 = (text: string): string => hash('sha256', text, 'hex');
const nameOf = ({ kind, key }: Pick<HashedEntry, 'kind' | 'key'>): string => `${kind}\n${key}`;

/**
 * All common content as a tree of hashes. Where an entry is follows from its kind and key alone, and the hash of a node
 * from the entries below it: two trees with the same entries have the same root, and one that differs in one entry
 * differs on one path.
 */
export class ContentTree {
  readonly #placed: readonly Placed[];
  readonly #hashes = new Map<string, string>();

  constructor(entries: Iterable<HashedEntry>) {
    this.#placed = [...entries].map((entry) => ({ ...entry, place: sha256(nameOf(entry)) })).sort((a, b) => inOrder(a.place, b.place));
  }

  /** The hash of everything, in 64 hex digits; '' for a tree without entries. */
  get root(): string {
    return this.hashAt('');
  }

  /** The hash of what is below a path of hex digits; '' where there is nothing. */
  hashAt(path: string): string {
    const known = this.#hashes.get(path);
    if (known !== undefined) return known;
    const hash = this.#below(path).length === 0 ? '' : sha256(textOf(this.at(path)));
    this.#hashes.set(path, hash);
    return hash;
  }

  /** The node at a path of hex digits. */
  at(path: string): TreeNode {
    const below = this.#below(path);
    if (below.length <= leafMax) return { is: 'leaf', entries: below.map(({ kind, key, hash }) => ({ kind, key, hash })) };
    return { is: 'branch', parts: digits.map((digit) => this.hashAt(path + digit)) };
  }

  /** Every entry below a path of hex digits. */
  under(path: string): readonly HashedEntry[] {
    return this.#below(path);
  }

  #below(path: string): readonly Placed[] {
    if (path === '') return this.#placed;
    return this.#placed.slice(this.#firstFrom(path), this.#firstFrom(`${path}g`));
  }

  /** The number of the first entry whose place is not before this text. */
  #firstFrom(text: string): number {
    let [low, high] = [0, this.#placed.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#placed[middle]?.place ?? '') < text) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const textOf = (node: TreeNode): string =>
  node.is === 'leaf' ? `leaf\n${node.entries.map((one) => `${nameOf(one)}\n${one.hash}`).join('\n')}` : `branch\n${node.parts.join('\n')}`;

/**
 * Every entry that this tree and another one do not have alike, in the order of their places. `ask` gives nodes of the
 * other tree; it is asked only where the two differ.
 */
export async function differencesTo(here: ContentTree, ask: (path: string) => Promise<TreeNode>, path = ''): Promise<TreeDifference[]> {
  const there = await ask(path);
  if (there.is === 'leaf') return differencesOf(here.under(path), there.entries);
  const found: TreeDifference[] = [];
  for (const [n, hash] of there.parts.entries()) {
    const part = path + n.toString(16);
    if (here.hashAt(part) !== hash) found.push(...(await differencesTo(here, ask, part)));
  }
  return found;
}

function differencesOf(here: readonly HashedEntry[], there: readonly HashedEntry[]): TreeDifference[] {
  const all = new Map<string, TreeDifference>();
  for (const { kind, key, hash } of here) all.set(nameOf({ kind, key }), { kind, key, here: hash, there: undefined });
  for (const { kind, key, hash } of there) {
    const name = nameOf({ kind, key });
    all.set(name, { kind, key, here: all.get(name)?.here, there: hash });
  }
  return [...all.values()].filter((one) => one.here !== one.there);
}
