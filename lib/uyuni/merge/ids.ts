/**
 * Of what an id is. The ids of systems and actions are a server's own, and have cluster ids; so have scans, snapshots,
 * profiles, notes, events and notifications no meaning on another server. Common content has the rest.
 */
export const idKinds = ['system', 'action', 'group', 'channel', 'errata', 'package', 'org', 'scan', 'snapshot', 'profile'] as const;
export type IdKind = (typeof idKinds)[number];

/**
 * Where ids of one kind are in an answer. A path goes down from the value itself: `[]` is each element of an array,
 * `.name` a member of a struct, `.*` each of its members; `[].id`, `[]`, `.systems[].systemId`, and `` for the value.
 */
export type IdPath = { readonly kind: IdKind; readonly path: string };

/** The id in the cluster of what has this id on one node; undefined for what is unknown. It is called for every id. */
export type ClusterIdOf = (kind: IdKind, localId: number) => number | undefined;

/** A path taken apart: each step is `[]`, `.*`, or a point with the name of a member. */
export type IdSteps = { readonly kind: IdKind; readonly steps: readonly string[] };

/** The steps of a path. Throws for a text that is no path. */
export function stepsOf({ kind, path }: IdPath): IdSteps {
  const steps = path.match(/\[\]|\.[^.[\]]+/g) ?? [];
  if (steps.join('') !== path) throw new Error(`“${path}” is not a path to ids`);
  return { kind, steps };
}
