import type { DesiredService } from '../../../lib/nodes/desired/desired.ts';

/** The types that come with Muster and take no command: what a host runs unless it is told otherwise. */
export const takesNone: readonly string[] = ['m0d', 'recovery-coordinator', 'recovery-supervisor', 'statistics', 'supervisor'];
/** What stands for those where a host says which types it runs. */
export const builtInWord = 'built-in';

/** The types of services that a host runs, by its own configuration: Muster cannot change it. */
export type Allowed = ReadonlySet<string>;

/** The types that a list of a host's configuration allows: {@link takesNone} where there is none. */
export const allowedBy = (listed: readonly string[] = [builtInWord]): Allowed =>
  new Set(listed.flatMap((name) => (name === builtInWord ? takesNone : [name])));

/** Names that mean what the agent itself does; what else Muster would run under one of them is not that. */
const ownNames: readonly string[] = [...takesNone, 'process'];

/** Why this host does not run a service, with what mends that; undefined of one that it runs. */
export function whyNotAllowed({ service, program }: Pick<DesiredService, 'service' | 'program'>, allowed: Allowed): string | undefined {
  const means = program.is === 'built-in' ? program.does : undefined;
  if (means === undefined ? ownNames.includes(service) : means !== service)
    return `this host does not run it: ${service} is to be ${means ?? 'a command'} here, which is not what the name stands for`;
  if (allowed.has(service)) return undefined;
  const runs = [...allowed].sort().join(', ') || 'none';
  return `this host does not run services of type ${service}; it runs ${runs.slice(0, 160)}. Its owner allows it by allow-service in the agent’s configuration, and restarts the agent`;
}
