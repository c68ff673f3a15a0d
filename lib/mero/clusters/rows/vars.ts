import type { StorageCluster } from '../cluster.ts';

/** The unit of a variable: seconds, milliseconds, a number of times, or a switch. */
export type VarUnit = 's' | 'ms' | 'times' | 'switch';
/** A variable: its default, its unit, and what it sets in Muster. `none` has no effect here, and `does` says why. */
export type Var = { readonly usual: number | boolean; readonly unit: VarUnit; readonly effect: 'setting' | 'none'; readonly does: string };

const setting = (usual: number, unit: VarUnit, does: string): Var => ({ usual, unit, effect: 'setting', does });
const none = (usual: number | boolean, unit: VarUnit, does: string): Var => ({ usual, unit, effect: 'none', does });

const byLease = 'a node is up while its lease holds, and the guard-rails of its zone say when it is given up';
const byHost = 'drives and their enclosures are watched by their host';
const byReport = 'agents learn of changes by their desired state, with every heartbeat';

/** The variables of a storage cluster, by the names, with the values and in the units of the original (`vars get`). */
export const vars = {
  recovery_expiry: none(300, 's', byLease),
  recovery_max_retries: none(-5, 'times', byLease),
  keepalive_frequency: none(30, 's', 'the agent watches its processes itself'),
  keepalive_timeout: none(115, 's', 'the agent watches its processes itself'),
  process_configure_timeout: none(300, 's', 'a configuration is a file that the agent writes'),
  process_start_cmd_timeout: none(300, 's', 'the start of a process is counted as a whole, by process_start_timeout'),
  process_start_timeout: setting(180, 's', 'how long a process may take to start before it has failed'),
  process_stop_timeout: setting(600, 's', 'how long a process may take to stop before it has failed'),
  process_max_start_attempts: setting(5, 'times', 'how often a process that failed is started again'),
  process_restart_retry_interval: setting(5, 's', 'how long Muster waits before it starts a failed process again'),
  mero_kernel_start_timeout: none(300, 's', 'the units of processes load modules of the kernel'),
  clients_start_timeout: none(600, 's', 'each process has its own time to start'),
  node_stop_barrier_timeout: setting(600, 's', 'how long a level may take, up or down, before it counts as late'),
  service_stop_timeout: none(30, 's', 'a service stops with its process'),
  monitoring_angel_delay: none(2, 's', 'the deployment sets how often each agent sends a heartbeat'),
  notification_timeout: none(115, 's', byReport),
  notification_aggr_delay: none(5_000, 'ms', byReport),
  notification_aggr_max_delay: none(20_000, 'ms', byReport),
  drive_insertion: none(10, 's', byHost),
  drive_removal: none(60, 's', byHost),
  drive_unpowered: none(300, 's', byHost),
  drive_transient: none(300, 's', byHost),
  drive_reset_max_retries: none(3, 'times', byHost),
  expander_node_up: none(460, 's', byHost),
  expander_sspl_ack: none(180, 's', byHost),
  expander_reset_threshold: none(8, 'times', byHost),
  expander_reset_reset_timeout: none(300, 's', byHost),
  sns_operation_status_attempts: none(5, 'times', 'pools are repaired by Mero itself'),
  sns_operation_retry_attempts: none(10, 'times', 'pools are repaired by Mero itself'),
  failed_notification_fails_process: none(true, 'switch', byReport),
  mero_workers_allowed: none(true, 'switch', 'Muster starts no workers'),
  disable_smart_checks: none(false, 'switch', byHost),
} as const satisfies Record<string, Var>;
export type VarName = keyof typeof vars;

/** Whether there is a variable of this name. */
export const isVarName = (name: string): name is VarName => Object.hasOwn(vars, name);

/** The longest span that may be set, in seconds: a day. Nothing needs a longer time-out. */
export const varSecondsMax = 86_400;
/** The most times that may be set. */
export const varTimesMax = 1_000;

/**
 * Why a variable cannot have this value; undefined when it can. Variables without effect accept the original's own
 * values, such as −5 retries.
 */
export function varFault(name: VarName, value: number | boolean): string | undefined {
  const { unit, effect }: Var = vars[name];
  if (unit === 'switch') return typeof value === 'boolean' ? undefined : `${name} must be true or false`;
  if (typeof value === 'boolean' || !Number.isInteger(value)) return `${name} must be a whole number`;
  const most = unit === 'times' ? varTimesMax : unit === 's' ? varSecondsMax : varSecondsMax * 1_000;
  const least = effect === 'none' ? -most : unit === 's' ? 1 : 0;
  return value >= least && value <= most ? undefined : `${name} must be from ${least} to ${most}`;
}

/** The value that a variable has in a cluster: as it was set, or the default. */
export const varIn = <N extends VarName>({ vars: own }: Pick<StorageCluster, 'vars'>, name: N): number | boolean =>
  own[name] ?? vars[name].usual;

/** The same of one that is a span in seconds, in ms. */
export const varMs = (cluster: Pick<StorageCluster, 'vars'>, name: VarName): number => Number(varIn(cluster, name)) * 1_000;
