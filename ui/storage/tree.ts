import type { Reply } from '../api/call.ts';

/** The resource graph of a zone, whole. */
export type Graph = Pick<Reply<'graph'>, 'vertices' | 'edges'>;
export type Vertex = Graph['vertices'][number];
export type Edge = Graph['edges'][number];
/** What `mero status` has of the hosts of a cluster. */
export type Cluster = Pick<Reply<'meroStatus'>, 'hosts'>;

const kinds = ['site', 'rack', 'enclosure', 'host', 'process', 'service', 'device', 'instance'] as const;
/** The kinds of boxes, the outermost first; an instance is a service that Muster runs on a host. */
export type Kind = (typeof kinds)[number];
const isKind = (kind: string): kind is Kind => kinds.some((one) => one === kind);

/** How many things of each kind are inside a box. */
export type Counts = Readonly<Partial<Record<Kind, number>>>;

/** A box: `id` is that of its vertex, `name` and `detail` are for people, and `state` is as `mero status` words it. */
export type Thing = {
  readonly id: string;
  readonly kind: Kind;
  readonly name: string;
  readonly detail: string;
  readonly state: string | undefined;
  readonly extended: string | undefined;
  readonly within: readonly Thing[];
  readonly counts: Counts;
};

/** The part of an id behind the kind: a fid, a name or a WWN. */
export const nameIn = (id: string): string => id.slice(id.indexOf(' ') + 1);

const inwards: ReadonlySet<string> = new Set(['has', 'runs', 'is parent of']);

/** An edge from a thing to what it holds, whichever way the graph words it; undefined for any other relation. */
export function holding({ from, relation, to }: Edge): readonly [holder: string, held: string] | undefined {
  if (inwards.has(relation)) return [from, to];
  return relation === 'stands in' ? [to, from] : undefined;
}

/** What is said of one thing. */
type Said = { readonly state?: string | undefined; readonly extended?: string | undefined; readonly type?: string };

/** What a status says, by the ids of vertices. */
function saidIn({ hosts = [] }: Cluster): ReadonlyMap<string, Said> {
  const said = new Map<string, Said>();
  for (const { host, state, extended, processes } of hosts) {
    said.set(`host ${host}`, { state, extended });
    for (const process of processes) {
      said.set(`process ${process.fid}`, process);
      for (const service of process.services) said.set(`service ${service.fid}`, { state: service.state, extended: service.extended });
    }
  }
  return said;
}

/** The id of the box for hosts that the facts place nowhere. */
const unplacedId = 'enclosure ';

/**
 * The boxes of a cluster: sites, racks, enclosures, hosts, processes, services, devices, and the services that Muster
 * runs on the hosts. Hosts that the facts place nowhere are in a last box of their own.
 */
export function treeOf(graph: Graph, cluster: Cluster): readonly Thing[] {
  const vertices = new Map(graph.vertices.map((vertex) => [vertex.id, vertex]));
  const pairs = graph.edges.flatMap((edge) => {
    const pair = holding(edge);
    return pair ? [pair] : [];
  });
  const heldBy = Map.groupBy(pairs, ([holder]) => holder);
  const said = saidIn(cluster);
  const inside = (id: string, state?: string): readonly Thing[] =>
    (heldBy.get(id) ?? []).flatMap(([, held]) => {
      const vertex = vertices.get(held);
      return vertex ? boxes(vertex, state) : [];
    });
  const boxes = (vertex: Vertex, state?: string): readonly Thing[] => {
    const { id, kind } = vertex;
    // The records of a host, by which it runs what it runs, are no boxes of their own.
    if (kind === 'mero-node' || kind === 'node') return inside(id);
    if (!isKind(kind)) return [];
    const of = said.get(id) ?? { state: textOf(vertex, 'state') ?? (kind === 'device' ? state : undefined) };
    const within = inside(id, of.state);
    return [
      { ...named(kind, vertex, of), id, kind, state: of.state, extended: of.extended, ...held(kind === 'host' ? inOrder(within) : within) },
    ];
  };
  const sites = graph.vertices.filter(({ kind }) => kind === 'site').flatMap((site) => boxes(site));
  const placed = new Set(graph.edges.flatMap(({ from, relation }) => (relation === 'stands in' ? [from] : [])));
  const rest = graph.vertices.filter(({ id, kind }) => kind === 'host' && !placed.has(id)).flatMap((host) => boxes(host));
  if (rest.length === 0) return sites;
  const unplaced = {
    id: unplacedId,
    kind: 'enclosure',
    name: 'not placed by the facts',
    detail: '',
    state: undefined,
    extended: undefined,
  } as const;
  return [...sites, { ...unplaced, ...held(rest) }];
}

const held = (within: readonly Thing[]): Pick<Thing, 'within' | 'counts'> => ({ within, counts: countsOf(within) });

/** Processes of a host before the services that Muster runs there. */
const inOrder = (within: readonly Thing[]): readonly Thing[] =>
  within.toSorted((a, b) => Number(a.kind === 'instance') - Number(b.kind === 'instance'));

function countsOf(within: readonly Thing[]): Counts {
  const counts: Partial<Record<Kind, number>> = {};
  for (const { kind, counts: inner } of within) {
    counts[kind] = (counts[kind] ?? 0) + 1;
    for (const one of kinds) if (inner[one] !== undefined) counts[one] = (counts[one] ?? 0) + inner[one];
  }
  return counts;
}

function textOf({ facts }: Vertex, name: string): string | undefined {
  const value = facts?.[name];
  return typeof value === 'string' ? value : undefined;
}

/** What people call a thing, and what tells it from others of that name. */
function named(kind: Kind, vertex: Vertex, { type }: Said): Pick<Thing, 'name' | 'detail'> {
  const name = nameIn(vertex.id);
  switch (kind) {
    case 'site':
      return { name: `Site ${name}`, detail: '' };
    case 'rack':
      return { name: `Rack ${name.slice(name.indexOf('/') + 1)}`, detail: '' };
    case 'enclosure':
      return { name: /^enc/i.test(name) ? name : `Enclosure ${name}`, detail: '' };
    case 'host':
      return { name: name.split('.')[0]!, detail: name };
    case 'process':
      return { name: type ?? textOf(vertex, 'type') ?? 'process', detail: portal(vertex.label) };
    case 'service':
      return { name: vertex.label.replace(/^CST_/, ''), detail: name };
    case 'device':
      return { name, detail: textOf(vertex, 'serial') ?? '' };
    case 'instance':
      return { name: vertex.label, detail: '' };
  }
}

/** What tells endpoints of one host apart: the last two numbers of `10.0.0.1@tcp:12345:41:401`. */
export const portal = (endpoint: string): string => endpoint.split(':').slice(-2).join(':');

/** Where a box is in the tree: how deep, in what, and the how-manieth of how many there. */
export type Row = { readonly thing: Thing; readonly depth: number; readonly parent: Thing | undefined };

/** The boxes that can be seen, from the top down, as an arrow key walks them. */
export function rowsOf(things: readonly Thing[], isOpen: (id: string) => boolean): readonly Row[] {
  const rows: Row[] = [];
  const walk = (some: readonly Thing[], depth: number, parent: Thing | undefined): void => {
    for (const thing of some) {
      rows.push({ thing, depth, parent });
      if (isOpen(thing.id)) walk(thing.within, depth + 1, thing);
    }
  };
  walk(things, 1, undefined);
  return rows;
}

/** About as many boxes as a person can take in at once. */
export const boxesAtFirst = 170;

/** The boxes that are open at first: whole levels, the outermost first, as long as no more are seen than `most`. */
export function openAtFirst(things: readonly Thing[], most = boxesAtFirst): ReadonlySet<string> {
  const open = new Set<string>();
  let seen = things.length;
  for (let level = things; level.length > 0; ) {
    const next = level.flatMap(({ within }) => within);
    seen += next.length;
    if (seen > most) break;
    for (const { id, within } of level) if (within.length > 0) open.add(id);
    level = next;
  }
  return open;
}

/** The things around each thing, by their ids: of a device its service, its process, and so on outwards. */
export function holdersOf(things: readonly Thing[]): ReadonlyMap<string, Thing> {
  const holders = new Map<string, Thing>();
  const walk = (thing: Thing): void => {
    for (const one of thing.within) {
      holders.set(one.id, thing);
      walk(one);
    }
  };
  for (const thing of things) walk(thing);
  return holders;
}

/** All boxes by their ids. */
export function thingsById(things: readonly Thing[]): ReadonlyMap<string, Thing> {
  return new Map(rowsOf(things, () => true).map(({ thing }) => [thing.id, thing]));
}

/** The ids of the boxes whose name, detail or id has a text in it, in any case, from the top down. */
export function matching(things: readonly Thing[], text: string): readonly string[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  return rowsOf(things, () => true)
    .filter(({ thing: { id, name, detail } }) => [id, name, detail].some((one) => one.toLowerCase().includes(wanted)))
    .map(({ thing }) => thing.id);
}
