import { Refusal } from '../../../api/problem.ts';
import type { Node } from '../../../nodes/node.ts';
import { mustRejoin } from '../../../nodes/verify-member.ts';
import { type NodeCaller, nodeOf } from '../../../nodes/verify-node.ts';
import type { Answer, Call } from '../../../runtime/on-route.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { nobody } from '../../../zones/map/rows/slots.ts';
import { zoneNow } from '../../../zones/reads/zones.ts';
import { indexOf } from '../../../zones/rows/loaded.ts';
import type { Client } from '../../client.ts';
import type { MetadataOrder } from '../../metadata.ts';
import { clientRow } from '../../reads/rows.ts';
import { ownerOf, pinnedOf } from '../../rows/status.ts';
import { notifyNode, orderMetadata } from '../changes.ts';
import type { nodeMetadataRoutes } from '../node-routes.ts';
import { readMetadata, unknownSystem } from '../reads.ts';

type Routes = typeof nodeMetadataRoutes;
type Accepted = Extract<Client, { standing: 'accepted' }>;

/** All metadata of a client system, for the node that it is assigned to or that owns it by the map. */
export async function systemMetadata({ params, caller }: Call<Routes['systemMetadata'], NodeCaller>, shell: Shell): Promise<Answer> {
  const node = nodeOf(caller);
  const client = inZoneOf(node, (await clientRow(shell, params.fp))?.state, params.fp);
  await refuseOthers(shell, node, client);
  const { revision, kinds } = await readMetadata(shell, client);
  const handed = Object.entries(kinds).map(([kind, { revision: its, document }]) => [kind, { revision: its, document }]);
  return { status: 200, body: { revision, kinds: Object.fromEntries(handed) } };
}

/** A node reports a document about one of its client systems. */
export const reportMetadata = ({ params, body, ...call }: Call<Routes['reportMetadata'], NodeCaller>, shell: Shell): Promise<Answer> =>
  report({ ...call, fp: params.fp, generation: body.generation }, shell, {
    kind: params.kind,
    does: 'put',
    text: JSON.stringify(body.document),
  });

/** A node reports what happened to one of its client systems. */
export const reportHistory = ({ params, body, ...call }: Call<Routes['reportHistory'], NodeCaller>, shell: Shell): Promise<Answer> =>
  report({ ...call, fp: params.fp, generation: body.generation }, shell, {
    kind: params.kind,
    does: 'append',
    entries: body.entries.map((entry) => JSON.stringify(entry)),
    id: `${params.id}/${body.id}`,
  });

type Report = Pick<Call<Routes['reportMetadata'], NodeCaller>, 'request' | 'caller'> & {
  readonly fp: Client['fp'];
  readonly generation: number;
};

/**
 * Fenced by the assignment of the client system at the commit: a node that has lost it meanwhile, or joined anew, is
 * refused.
 */
async function report({ fp, generation, request, caller }: Report, shell: Shell, order: MetadataOrder): Promise<Answer> {
  const node = nodeOf(caller);
  // Reports of an ended membership no longer count, whichever machine of this name sends them.
  if (node.status === 'dropped' || generation !== node.generation) throw mustRejoin(node);
  const admits = (client: Client): void => {
    const { fqdn, told } = inZoneOf(node, client, fp);
    if (told?.node !== node.id || told.generation !== generation)
      throw new Refusal(
        'not-owner',
        `${fqdn} is not assigned to ${node.fqdn} in generation ${generation}: it has ${told ? 'another' : 'no'} assignment`,
      );
  };
  const { client, revision } = await orderMetadata(shell, { id: request.id, fp, order, admits });
  await notifyNode(shell, client, node.id);
  return { status: 200, body: { revision } };
}

/** Throws a {@link Refusal} for a client system that is neither assigned to this node nor on its list. */
async function refuseOthers(shell: Shell, node: Node, client: Accepted): Promise<void> {
  if (client.told?.node === node.id && client.told.generation === node.generation) return;
  const zone = await zoneNow(shell, node.zone);
  const owner = zone && ownerOf(zone, pinnedOf(client));
  if (owner !== undefined && owner !== nobody && owner === indexOf(zone!, node.id)) return;
  throw new Refusal('not-owner', `${client.fqdn} is not a client system of ${node.fqdn}`);
}

/** An accepted client system of the node's zone; a node can see no others. Throws a {@link Refusal}. */
function inZoneOf(node: Node, client: Client | undefined, fp: string): Accepted {
  if (client?.standing !== 'accepted' || client.zone !== node.zone) throw unknownSystem(fp);
  return client;
}
