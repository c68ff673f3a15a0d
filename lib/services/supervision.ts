import * as z from 'zod';
import { NodeId } from '../core/ids.ts';

/**
 * The supervision of a zone. The services of a node are one set, and one supervisor watches all of them, so that a
 * hand-over moves one entry, however many services there are. A supervisor itself is watched from another node. A node
 * that is in no list is not watched.
 */
export const Supervision = z.strictObject({
  /** The services of node `of` are watched by the supervisor of node `by`. */
  services: z.array(z.strictObject({ of: NodeId, by: NodeId })),
  /** The supervisor of node `of` is watched by that of node `by`. */
  supervisors: z.array(z.strictObject({ of: NodeId, by: NodeId })),
});
export type Supervision = z.infer<typeof Supervision>;

/**
 * The input of a plan of supervision: the nodes that have services besides a supervisor, and the nodes whose supervisor
 * is online.
 */
export type Supervised = { readonly nodes: readonly NodeId[]; readonly supervisors: readonly NodeId[] };

/** A set that its own node cannot watch, and the node that watches it. */
type Foreign = { readonly kind: keyof Supervision; readonly of: NodeId; by?: NodeId };

/**
 * Plans the supervision of a zone. A supervisor watches the services of its own node. Every other set, and every
 * supervisor, goes to the supervisor of another node, evenly: their numbers of foreign sets differ by one at the most.
 * An assignment stays where that allows it. The lists are in the order of their nodes.
 */
export function planSupervision(before: Supervision | undefined, { nodes, supervisors }: Supervised): Supervision {
  const watching = [...new Set(supervisors)].sort();
  const own = new Set(watching);
  const local = nodes.filter((node) => own.has(node)).map((node) => ({ of: node, by: node }));
  const foreign = [
    ...foreignOf(
      'services',
      [...new Set(nodes)].filter((node) => !own.has(node)),
      before,
    ),
    ...foreignOf('supervisors', watching, before),
  ];
  const loads = new Map(watching.map((node) => [node, [] as Foreign[]]));
  keep(foreign, loads);
  for (const set of foreign) if (set.by === undefined) assign(set, lightest(loads, set), loads);
  even(loads);
  const of = (kind: keyof Supervision) =>
    foreign.flatMap((set) => (set.kind === kind && set.by !== undefined ? [{ of: set.of, by: set.by }] : []));
  return { services: inOrder([...local, ...of('services')]), supervisors: inOrder(of('supervisors')) };
}

type Loads = Map<NodeId, Foreign[]>;
type Entry = { readonly of: NodeId; readonly by: NodeId };

const inOrder = (entries: readonly Entry[]): Entry[] => [...entries].sort((a, b) => (a.of < b.of ? -1 : 1));

function foreignOf(kind: keyof Supervision, nodes: readonly NodeId[], before: Supervision | undefined): Foreign[] {
  const was = new Map(before?.[kind].map(({ of, by }) => [of, by]));
  return [...nodes].sort().map((of) => {
    const by = was.get(of);
    return { kind, of, ...(by !== undefined && { by }) };
  });
}

/** Retains an assignment while its supervisor is there, may watch the set, and has no more than its share. */
function keep(foreign: readonly Foreign[], loads: Loads): void {
  const share = Math.ceil(foreign.length / Math.max(1, loads.size));
  for (const set of foreign) {
    const load = set.by === undefined || set.by === set.of ? undefined : loads.get(set.by);
    if (load && load.length < share) load.push(set);
    else delete set.by;
  }
}

/** The supervisor with the fewest foreign sets that may watch this set. No supervisor watches itself. */
function lightest(loads: Loads, { of }: Foreign): NodeId | undefined {
  let found: NodeId | undefined;
  for (const [node, load] of loads) if (node !== of && (found === undefined || load.length < loads.get(found)!.length)) found = node;
  return found;
}

function assign(set: Foreign, by: NodeId | undefined, loads: Loads): void {
  if (by === undefined) return;
  set.by = by;
  loads.get(by)!.push(set);
}

/**
 * Moves sets from the supervisor with the most to the one with the fewest, until they differ by one at the most. Of two
 * sets that are too many, at least one is not the receiving supervisor itself.
 */
function even(loads: Loads): void {
  for (;;) {
    const byLoad = [...loads].sort(([, a], [, b]) => a.length - b.length);
    const [least, most] = [byLoad[0], byLoad.at(-1)];
    if (!least || !most || most[1].length - least[1].length < 2) return;
    const at = most[1].findLastIndex(({ of }) => of !== least[0]);
    assign(most[1].splice(at, 1)[0]!, least[0], loads);
  }
}
