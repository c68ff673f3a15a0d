import { type Graph, holding } from './tree.ts';

/** A relation of a picked thing to another that neither holds it nor is held by it; `out` leads from the picked one. */
export type Beside = { readonly id: string; readonly relation: string; readonly out: boolean };

/**
 * What a thing touches: all that it is part of, all that is part of it, what is related to it otherwise, and the pools
 * and profiles that have devices of it.
 */
export type Touched = {
  readonly above: ReadonlySet<string>;
  readonly below: ReadonlySet<string>;
  readonly beside: readonly Beside[];
  readonly pools: ReadonlySet<string>;
};

/** A graph that can be walked both ways: what holds a thing, what it holds, and its other relations. */
export type Ways = {
  readonly up: ReadonlyMap<string, readonly string[]>;
  readonly down: ReadonlyMap<string, readonly string[]>;
  readonly across: ReadonlyMap<string, readonly Beside[]>;
};

/** Makes a graph walkable. Edges to the root and the zone are left out: these hold everything, which says nothing. */
export function waysOf({ vertices, edges }: Graph): Ways {
  const everything = new Set(vertices.filter(({ kind }) => kind === 'zone' || kind === 'root').map(({ id }) => id));
  const [up, down, across] = [new Map<string, string[]>(), new Map<string, string[]>(), new Map<string, Beside[]>()];
  for (const edge of edges) {
    const pair = holding(edge);
    if (pair) {
      if (everything.has(pair[0])) continue;
      add(down, pair[0], pair[1]);
      add(up, pair[1], pair[0]);
    } else {
      add(across, edge.from, { id: edge.to, relation: edge.relation, out: true });
      add(across, edge.to, { id: edge.from, relation: edge.relation, out: false });
    }
  }
  return { up, down, across };
}

function add<T>(to: Map<string, T[]>, key: string, value: T): void {
  const known = to.get(key);
  if (known) known.push(value);
  else to.set(key, [value]);
}

/** What a thing touches. A pool is held by profiles and holds devices; a host touches the pools of its devices. */
export function touchedBy({ up, down, across }: Ways, id: string): Touched {
  const below = reached(down, id);
  const above = reached(up, id);
  const pools = new Set<string>();
  for (const one of [id, ...below]) for (const holder of reached(up, one, isPool)) pools.add(holder);
  pools.delete(id);
  return { above, below, beside: across.get(id) ?? [], pools };
}

const isPool = (id: string): boolean => id.startsWith('pool ') || id.startsWith('profile ');

/** All that is reached from a thing one way, without the thing itself; only over what `isPassed` accepts. */
function reached(way: ReadonlyMap<string, readonly string[]>, start: string, isPassed = (_id: string): boolean => true): Set<string> {
  const seen = new Set<string>();
  const left = [start];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    for (const next of way.get(at) ?? []) {
      if (seen.has(next) || !isPassed(next)) continue;
      seen.add(next);
      left.push(next);
    }
  }
  return seen;
}

/** How many ids of each kind are among some, such as `device`. */
export function byKind(ids: Iterable<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) {
    const kind = id.slice(0, id.indexOf(' '));
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}
