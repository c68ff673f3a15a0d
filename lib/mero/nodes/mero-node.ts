import * as z from 'zod';
import { Fid } from '../../core/fid.ts';
import { Fqdn, ZoneName } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import { EpochMs } from '../../core/time.ts';

/**
 * A host as the storage cluster knows it: it has processes, or had some. The row exists from the facts on, before the
 * host ever calls in, and so its key is the host's name. The node of that name in the zone is the agent that drives it.
 * This row fences each addition and removal of its processes.
 */
export const MeroNode = z.strictObject({
  fid: Fid,
  zone: ZoneName,
  fqdn: Fqdn,
  /** The address of its network, such as `10.0.0.1@tcp`: endpoints of its roles begin with it. */
  lnid: z.string().optional(),
  /** Limits and cores of the host for its roles, by the names of the facts file (`host_mem_as`, `host_cores`, …). */
  variables: z.record(z.string(), z.json()).optional(),
  /** Its processes, in the order in which they were added. */
  processes: z.array(Fid),
  /** The load that wrote it; absent for one that came with its first process. */
  load: z.string().optional(),
  /** An operator stopped it: none of its managed processes runs until it is started. */
  stopped: z.literal(true).optional(),
  /**
   * An operator removes it: its processes are stopped and go. Those that have not stopped `by` then have failed, and
   * go, too. The Mero node goes with the last of them; with `host` the node of that name goes, too.
   */
  removing: z.strictObject({ host: z.boolean(), by: EpochMs }).optional(),
});
export type MeroNode = z.infer<typeof MeroNode>;

/** The id of a Mero node's row. */
export const meroNodeId = ({ zone, fqdn }: { readonly zone: string; readonly fqdn: string }): string => `${zone}/${fqdn}`;

/**
 * The holder of an endpoint. The row is made and removed with its process, in the same commit, so that two concurrent
 * additions never share an endpoint.
 */
export const EndpointHolder = z.strictObject({ process: Fid, load: z.string().optional() });
export type EndpointHolder = z.infer<typeof EndpointHolder>;

/** The row of a host as its cluster has it, by {@link meroNodeId}. */
export const meroNodeRef = refOf('mero-node', MeroNode);
