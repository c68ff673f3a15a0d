import * as z from 'zod';
import { type Decision, nothing, write } from '../decision.ts';
import { intervalMsOf } from '../nodes/lease.ts';

/** What concerns the whole deployment: the fastest heartbeat when an operator set it, and the admitted nodes per zone. */
export const Deployment = z.strictObject({ beatMinMs: z.int().min(100).optional(), admitted: z.record(z.string(), z.int().nonnegative()) });
export type Deployment = z.infer<typeof Deployment>;

/** A zone counted its admitted nodes, or an administrator set something. */
export type DeploymentCommand =
  | { readonly type: 'admitted'; readonly id: string; readonly zone: string; readonly nodes: number }
  | { readonly type: 'set'; readonly id: string; readonly beatMinMs?: number | undefined };

/** What a count or a setting means for the deployment's row. */
export function decideDeployment(deployment: Deployment | undefined, command: DeploymentCommand): Decision<Deployment> {
  const before = deployment ?? { admitted: {} };
  if (command.type === 'set') {
    if (command.beatMinMs === undefined || command.beatMinMs === before.beatMinMs) return nothing('nothing to set');
    return write<Deployment, never>({ ...before, beatMinMs: command.beatMinMs }, `the fastest heartbeat is ${command.beatMinMs} ms`);
  }
  if (before.admitted[command.zone] === command.nodes) return nothing('as many nodes as before');
  return write<Deployment, never>(
    { ...before, admitted: { ...before.admitted, [command.zone]: command.nodes } },
    `${command.nodes} admitted nodes in zone ${command.zone}`,
  );
}

/** Admitted nodes of all zones. */
export const admittedNodes = (deployment: Deployment | undefined): number =>
  Object.values(deployment?.admitted ?? {}).reduce((sum, n) => sum + n, 0);

/** The heartbeat interval before jitter; `beatMinMs` is the host's own default. */
export const intervalOf = (deployment: Deployment | undefined, beatMinMs: number): number =>
  intervalMsOf(admittedNodes(deployment), deployment?.beatMinMs ?? beatMinMs);
