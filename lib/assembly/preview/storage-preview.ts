import type { AdminCall } from '../../access/verify-admin.ts';
import { clusterOf } from '../../mero/clusters/reads/of-caller.ts';
import { meroHost } from '../../mero/nodes/reads.ts';
import { Reading } from '../../runtime/apply-plan.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { type Lost, lostNodes } from './lost-nodes.ts';
import type { StoragePreview } from './routes.ts';
import { stationsLeft, storageLoss } from './storage.ts';

type Call = AdminCall<'previewStorage'>;

/**
 * What a storage cluster would lose with a host, or with all hosts of a rack, an enclosure or a site. Nothing is
 * played: the answer is about the cluster as it is now.
 */
export async function previewStorage(call: Call, shell: Shell): Promise<Answer> {
  const { zone } = call.params;
  const { cluster } = await clusterOf(shell, zone, call.caller);
  const { host } = call.query;
  const lost = host === undefined ? await placed(call, shell) : await hostOf(shell, cluster, host);
  const storage = await storageLoss(shell, zone, lost);
  const stations = await stationsLeft(shell, zone, lost.hosts);
  const body: StoragePreview = {
    zone,
    what: `lose ${[...lost.hosts].join(', ')}`,
    ...(storage && { storage }),
    ...(stations && { stations }),
  };
  return { status: 200, body };
}

/** A host of the cluster, whether or not its node has joined. */
async function hostOf(shell: Shell, cluster: Parameters<typeof meroHost>[2], name: string): Promise<Lost> {
  const { fqdn, node } = await meroHost(shell, new Reading(shell), cluster, name);
  return { hosts: new Set([fqdn]), nodes: node.state ? [node.state] : [] };
}

function placed({ params, caller, query: { rack, enclosure, site } }: Call, shell: Shell): Promise<Lost> {
  const text = rack !== undefined ? `rack=${rack}` : enclosure !== undefined ? `enclosure=${enclosure}` : `site=${site}`;
  return lostNodes({ params, caller }, shell, text);
}
