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
 * joins is not a node yet. `beside`: the row that was read with it. `signedBy`: the end of the second in which the
 * machine, by its own clock, signed.
 */
export type NodeCaller = Caller & { readonly actor: Actor; readonly keyId: string; readonly signedBy: EpochMs } & Partial<Known>;

/** A node as a call found it. */
type Known = { readonly node: Node; readonly row: Row | undefined; readonly beside: { readonly desired: Row | undefined } | undefined };

/**
 * Calls whose body carries no number that only grows: each is accepted once. A repeated report or heartbeat is
 * recognized by its own number. A recorded node-up of an earlier boot would otherwise be another machine with the same
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
 * in its path. The row of that node is read here, and not again afterwards.
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

/** The node that made a call. Throws for a join, whose machine is not a node yet. */
export function nodeOf({ node, who }: NodeCaller): Node {
  if (!node) throw new Error(`${who} joins: it is not a node yet`);
  return node;
}

type Proved = { readonly claim: SignatureClaim; readonly who: string } & Partial<Known>;

/**
 * A machine that joins, by the key in its body. A call that is not a join was refused before, whatever key signed it.
 */
function newcomer(request: HttpRequest, shell: Shell, publicKey: string): Proved {
  const claim = claimOf(request, shell);
  checkSignedByBody(shell, claim, publicKey);
  return { claim, who: nodeIdOf(publicKey) };
}

/**
 * The node of the path, if its key signed. Any signed call learns whether the node exists: an agent whose node was
 * removed must learn that, and its key is no longer known.
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
 * The row of a node as it is now. For a heartbeat that the endpoint decides on at once, the row may be a moment old,
 * and the row of what the node should run is read with it. The commit is refused if the row has changed since, and the
 * next heartbeat carries the rest. A row by which the heartbeat would be refused is read again as it is now.
 */
async function rowsOf(shell: Shell, route: Route, { id, keyId }: { id: string; keyId: string }): Promise<Pick<Known, 'row' | 'beside'>> {
  const key = keyOf(nodeRef(id));
  if (route === memberRoutes.heartbeat && shell.settings.hearsAtOnce) {
    const [row, desired] = await shell.table.readMany([key, keyOf(desiredRef(id))], 'lately');
    if (isLiveSigner(stateOf<Node>(row, shell.now()), keyId)) return { row, beside: { desired } };
  }
  return { row: await shell.table.read(key), beside: undefined };
}

/** Whether a node exists, is alive as far as is known, and signed with its present key. */
const isLiveSigner = (node: Node | undefined, keyId: string): boolean =>
  node !== undefined && 'leaseUntil' in node && node.removedAt === undefined && keyId === fingerprintOf(node.publicKey);

/**
 * Throws a {@link Refusal} when the key that signed is no longer the node's: it was replaced after the row that proved
 * it was read.
 */
export function refuseFormerKey(shell: Shell, { publicKey }: Node, { node }: NodeCaller): void {
  if (publicKey !== node?.publicKey) throw notSigned(shell);
}

/** Throws a {@link Refusal} when an operator has removed this node. */
export function refuseRemoved({ removedAt, fqdn }: Node): void {
  if (removedAt === undefined) return;
  throw new Refusal('removed', `an operator removed ${fqdn}: admit it again with muster node admit ${fqdn}, or give it a new token`);
}

/** The id in the path. Throws the refusal of the route if it is not valid. */
function idIn(route: Route, params: Readonly<Record<string, string>>): string {
  const read = route.params!.safeParse(params);
  if (!read.success) throw refusalOf(read.error);
  return params['id']!;
}
