import * as z from 'zod';
import { Endpoint } from '../../lib/core/endpoint.ts';
import { Fid } from '../../lib/core/fid.ts';
import { Fqdn, ZoneName } from '../../lib/core/ids.ts';
import { defineEvent } from '../define.ts';

/** A process was added by itself. `managed`: Muster starts and stops it; any other waits for whoever it belongs to. */
export const ProcessWasAdded = defineEvent(
  'process.added',
  1,
  z.strictObject({
    zone: ZoneName,
    process: Fid,
    host: Fqdn,
    endpoint: Endpoint,
    managed: z.boolean(),
    /** The role that it was added by. */
    role: z.string(),
  }),
);
/** A process is not of the cluster any more: its endpoint is free, its fid is nobody's. */
export const ProcessWasRemoved = defineEvent('process.removed', 1, z.strictObject({ zone: ZoneName, process: Fid, host: Fqdn }));
/** A host runs its first process, or may from now on; `node` is the fid of its Mero node. */
export const NodeWasAdded = defineEvent('cluster.node-added', 1, z.strictObject({ zone: ZoneName, node: Fid, host: Fqdn }));
/** A host has no Mero node any more, and no process. */
export const NodeWasRemoved = defineEvent('cluster.node-removed', 1, z.strictObject({ zone: ZoneName, node: Fid, host: Fqdn }));
