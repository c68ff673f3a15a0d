import * as z from 'zod';
import { Endpoint } from '../../lib/core/endpoint.ts';
import { Fid } from '../../lib/core/fid.ts';
import { Fqdn, ZoneName } from '../../lib/core/ids.ts';
import { defineEvent } from '../define.ts';

/** A single process was added. With `managed`, Muster starts and stops it; otherwise its owner does. */
export const ProcessWasAdded = defineEvent(
  'process.added',
  1,
  z.strictObject({
    zone: ZoneName,
    process: Fid,
    host: Fqdn,
    endpoint: Endpoint,
    managed: z.boolean(),
    /** The role that it was added under. */
    role: z.string(),
  }),
);
/** A process was removed from the cluster: its endpoint is free, and its fid is unused. */
export const ProcessWasRemoved = defineEvent('process.removed', 1, z.strictObject({ zone: ZoneName, process: Fid, host: Fqdn }));
/** A host was added to the cluster and runs its first process, or may run one. `node` is the fid of its Mero node. */
export const NodeWasAdded = defineEvent('cluster.node-added', 1, z.strictObject({ zone: ZoneName, node: Fid, host: Fqdn }));
/** A host was removed from the cluster: it has no Mero node and no process. */
export const NodeWasRemoved = defineEvent('cluster.node-removed', 1, z.strictObject({ zone: ZoneName, node: Fid, host: Fqdn }));
