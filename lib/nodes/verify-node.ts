import { useNonce } from '../access/nonce.ts';
import { checkSigned, checkSignedByBody, claimOf, notSigned } from '../access/signed.ts';
import { Refusal, refusalOf } from '../api/problem.ts';
import type { Route } from '../api/route.ts';
import { nodeMetadataRoutes } from '../clients/metadata/node-routes.ts';
import { EpochMs, secondMs } from '../core/time.ts';
import { fingerprintOf, nodeIdOf } from '../identity/fingerprint.ts';
import type { SignatureClaim } from '../identity/signature.ts';
import { keyOf } from '../ports/table/keys.ts';
import type { Row } from '../ports/table/table.ts';
import { stateOf } from '../runtime/content.ts';
import type { HttpRequest } from '../runtime/function.ts';
import type { Actor, Shell } from '../runtime/shell.ts';
import type { Caller, Verify } from '../runtime/verify.ts';
import { desiredRef } from './desired/desired.ts';
import { takeNextKey } from './handlers/next-key.ts';
import { type Node, nodeRef } from './node.ts';
import { memberRoutes } from './routes.ts';

/**
 * A machine that signed its call: the node of the path, as its `row` is unless that has just changed; a machine that
 * joins is none yet. `beside`: what was read with it. `signedBy`: the end of the second in which the machine, by its
 * own clock, signed.
 */
export type NodeCaller = Caller & { readonly actor: Actor; readonly keyId: string; readonly signedBy: EpochMs } & Partial<Known>;

/** A node as a call found it. */
type Known = { readonly node: Node; readonly row: Row | undefined; readonly beside: { readonly desired: Row | undefined } | undefined };

/**
 * Calls whose body carries no number that only grows: the same one is taken once. A repeated report or heartbeat is
 * known by its own. A node-up of an earlier boot that somebody kept would otherwise be another machine with the same
 * key.
 */
const takenOnce: ReadonlySet<Route> = new Set<Route>([
  memberRoutes.join,
  memberRoutes.up,
  memberRoutes.rotate,
  memberRoutes.leaving,
  nodeMetadataRoutes.reportMetadata,
  nodeMetadataRoutes.reportHistory,
]);

/**
 * Proves that a call of the agent protocol is signed: a join by the key in its body, any other by the key of the node
 * in its path. That node's row is read here, and by nobody after.
 */
export const verifyNode: Verify<NodeCaller> = async (request, route, params, shell, bodyFor) => {
  const { claim, who, ...known } =
    route === memberRoutes.join
      ? newcomer(request, shell, bodyFor(memberRoutes.join).publicKey)
      : await member(request, shell, route, idIn(route, params));
  if (takenOnce.has(route)) await useNonce(shell, claim.keyId, claim.nonce);
  const actor = { who: `node:${who}`, key: claim.keyId, source: request.source, request: request.id };
  return {
    who: actor.who,
    source: request.source,
    actor,
    keyId: claim.keyId,
    signedBy: EpochMs.parse((claim.created + 1) * secondMs),
    ...known,
  };
};

/** The node that made a call of its own. Throws for a join, which is made by none yet. */
export function nodeOf({ node, who }: NodeCaller): Node {
  if (!node) throw new Error(`${who} joins: it is no node yet`);
  return node;
}

type Proved = { readonly claim: SignatureClaim; readonly who: string } & Partial<Known>;

/**
 * A machine that joins, by the key in its body. What is no join at all was refused as such before: nobody asks who
 * signed it.
 */
function newcomer(request: HttpRequest, shell: Shell, publicKey: string): Proved {
  const claim = claimOf(request, shell);
  checkSignedByBody(shell, claim, publicKey);
  return { claim, who: nodeIdOf(publicKey) };
}

/**
 * The node of the path, if its key signed. Whether there is such a node is told to anybody who signs: an agent whose
 * node was removed must learn it, and nobody knows its key any more.
 */
async function member(request: HttpRequest, shell: Shell, route: Route, id: string): Promise<Proved> {
  const claim = claimOf(request, shell);
  const { row, beside } = await rowsOf(shell, route, { id, keyId: claim.keyId });
  const node = stateOf<Node>(row, shell.now());
  if (!node) throw new Refusal('unknown-node', `no node ${id} has joined`);
  const isNext = node.nextKey !== undefined && claim.keyId === fingerprintOf(node.nextKey);
  checkSigned(shell, claim, isNext ? node.nextKey! : node.publicKey);
  refuseRemoved(node);
  if (!isNext) return { claim, who: id, node, row, beside };
  const actor = { who: `node:${id}`, key: claim.keyId, source: request.source, request: request.id };
  const renewed = await takeNextKey({ ...shell, actor }, node.id, node.nextKey!);
  if (!renewed) throw notSigned(shell);
  return { claim, who: id, node: renewed };
}

/**
 * The row of a node as it is now. For a heartbeat, where the door decides on it at once, as it was a moment ago, and in
 * the same reading the revision of what the node should run: the commit is refused where the row has moved since, and
 * the next heartbeat tells the rest. A row by which the heartbeat would be refused is read as it is now.
 */
async function rowsOf(shell: Shell, route: Route, { id, keyId }: { id: string; keyId: string }): Promise<Pick<Known, 'row' | 'beside'>> {
  const key = keyOf(nodeRef(id));
  if (route === memberRoutes.heartbeat && shell.settings.hearsAtOnce) {
    const [row, desired] = await shell.table.readMany([key, keyOf(desiredRef(id))], 'lately');
    if (isBeating(stateOf<Node>(row, shell.now()), keyId)) return { row, beside: { desired } };
  }
  return { row: await shell.table.read(key), beside: undefined };
}

/** Whether a node that is there, and alive as far as is known, speaks by its key. */
const isBeating = (node: Node | undefined, keyId: string): boolean =>
  node !== undefined && 'leaseUntil' in node && node.removedAt === undefined && keyId === fingerprintOf(node.publicKey);

/**
 * Throws a {@link Refusal} when the key that signed is not the node's any more: it has been replaced since the row was
 * read that proved it.
 */
export function refuseFormerKey(shell: Shell, { publicKey }: Node, { node }: NodeCaller): void {
  if (publicKey !== node?.publicKey) throw notSigned(shell);
}

/** Throws a {@link Refusal} when an operator has removed this node. */
export function refuseRemoved({ removedAt, fqdn }: Node): void {
  if (removedAt === undefined) return;
  throw new Refusal('removed', `an operator has removed ${fqdn}: it is let in again by muster node admit ${fqdn}, or by a new token`);
}

/** The id in the path, refused as the route would if it is none. */
function idIn(route: Route, params: Readonly<Record<string, string>>): string {
  const read = route.params!.safeParse(params);
  if (!read.success) throw refusalOf(read.error);
  return params['id']!;
}
