/** Two words mixed into one of 32 bits: the finishing steps of MurmurHash3, after each word. */
export function mixed(a: number, b: number): number {
  let h = finished((a ^ 0x9e3779b9) >>> 0);
  h = finished((Math.imul(h, 31) ^ b) >>> 0);
  return h;
}

function finished(word: number): number {
  let h = word ^ (word >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Clients on nodes that come and go: the node of each client, by the clients' hashes. */
export type Spread = {
  readonly nodes: () => Uint16Array;
  /** `live` are the nodes after the change, in the order that this algorithm needs. */
  readonly lose: (node: number, live: readonly number[]) => void;
  readonly join: (node: number, live: readonly number[]) => void;
};

/** An algorithm that spreads clients over nodes, without a memory of earlier places. */
export type Peer = { readonly name: string; readonly begin: (hashes: Uint32Array, live: readonly number[]) => Spread };

/** One that is computed anew after each change. */
function anew(place: (hashes: Uint32Array, live: readonly number[]) => Uint16Array): Peer['begin'] {
  return (hashes, live) => {
    let nodes = place(hashes, live);
    const change = (_node: number, now: readonly number[]): void => {
      nodes = place(hashes, now);
    };
    return { nodes: () => nodes, lose: change, join: change };
  };
}

/**
 * Each client goes to the node whose hash with it is highest; after a change only clients that may get another node are
 * recomputed.
 */
const rendezvous: Peer = {
  name: 'rendezvous hashing',
  begin: (hashes, live) => {
    const best = new Float64Array(hashes.length).fill(-1);
    const nodes = new Uint16Array(hashes.length);
    const offer = (n: number, node: number): void => {
      const score = mixed(hashes[n]!, node);
      if (score > best[n]!) [best[n], nodes[n]] = [score, node];
    };
    for (const node of live) for (let n = 0; n < hashes.length; n++) offer(n, node);
    return {
      nodes: () => nodes.slice(),
      lose: (lost, left) => {
        for (let n = 0; n < hashes.length; n++) {
          if (nodes[n] !== lost) continue;
          best[n] = -1;
          for (const node of left) offer(n, node);
        }
      },
      join: (node) => {
        for (let n = 0; n < hashes.length; n++) offer(n, node);
      },
    };
  },
};

const pointsPerNode = 160;

/** Each client goes to the next point of a circle, 160 points a node as in ketama. */
const ring: Peer = {
  name: 'ring of 160 points a node',
  begin: anew((hashes, live) => {
    const points = live
      .flatMap((node) => Array.from({ length: pointsPerNode }, (_, n) => ({ at: mixed(node, n + 1_000_003), node })))
      .sort((a, b) => a.at - b.at);
    const at = Float64Array.from(points, (point) => point.at);
    return Uint16Array.from(hashes, (hash) => points[firstFrom(at, hash) % points.length]!.node);
  }),
};

/** The first place in an ordered list whose value is at least this. */
function firstFrom(ordered: Float64Array, value: number): number {
  let [low, high] = [0, ordered.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ordered[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Entries of Maglev's table, a prime; the larger of the two sizes its authors measure. */
const maglevEntries = 65_537;

/** Each node fills a table in an order of its own, turn by turn; each client goes to the entry of its hash. */
const maglev: Peer = {
  name: `Maglev, ${maglevEntries.toLocaleString('en-US')} entries`,
  begin: anew((hashes, joined) => {
    // The order is independent of when nodes joined: another order of turns would move more.
    const live = [...joined].sort((a, b) => a - b);
    const table = new Int32Array(maglevEntries).fill(-1);
    const at = live.map((node) => mixed(node, 11) % maglevEntries);
    const skip = live.map((node) => (mixed(node, 12) % (maglevEntries - 1)) + 1);
    for (let filled = 0, turn = 0; filled < maglevEntries; filled++, turn = (turn + 1) % live.length) {
      while (table[at[turn]!] !== -1) at[turn] = (at[turn]! + skip[turn]!) % maglevEntries;
      table[at[turn]!] = live[turn]!;
    }
    return Uint16Array.from(hashes, (hash) => table[hash % maglevEntries]!);
  }),
};

/**
 * Jump consistent hash over places. It can only grow and shrink at the end, so the last node takes the place of a lost
 * one.
 */
const jump: Peer = {
  name: 'jump hash',
  begin: anew((hashes, live) =>
    Uint16Array.from(hashes, (hash) => {
      let [key, place, next] = [hash, -1, 0];
      while (next < live.length) {
        place = next;
        key = mixed(key, 0x6a75);
        next = Math.floor(((place + 1) * 2 ** 32) / (key + 1));
      }
      return live[place]!;
    }),
  ),
};

/** The algorithms that zones are compared with. */
export const peers: readonly Peer[] = [rendezvous, ring, maglev, jump];
