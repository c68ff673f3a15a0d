import type { ApiClient } from '../../lib/api/client.ts';
import type { NodeId } from '../../lib/core/ids.ts';

/** What work that runs beside an agent sees of it. */
export type AgentView = {
  readonly api: ApiClient;
  /** The node, its acknowledged boot and its generation; undefined while the host is no member. */
  member(): { readonly node: NodeId; readonly incarnation: number; readonly generation: number } | undefined;
};
