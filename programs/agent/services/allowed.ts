import type { DesiredService } from '../../../lib/nodes/desired/desired.ts';

/** The types that come with Muster and take no command: a host runs these by default. */
export const takesNone: readonly string[] = ['m0d', 'recovery-coordinator', 'recovery-supervisor', 'statistics', 'supervisor'];
/** The word for those types in the list of types that a host runs. */
export const builtInWord = 'built-in';

/** The types of services that a host runs, by its own configuration: Muster cannot change it. */
export type Allowed = ReadonlySet<string>;

/** The types that a list of a host's configuration allows: {@link takesNone} where there is none. */
export const allowedBy = (listed: readonly string[] = [builtInWord]): Allowed =>
  new Set(listed.flatMap((name) => (name === builtInWord ? takesNone : [name])));

/** Names reserved for work of the agent itself; a service of this name must not be anything else. */
const ownNames: readonly string[] = [...takesNone, 'process'];

/** The reason why this host does not run a service, and how to change that; undefined for one that it runs. */
export function whyNotAllowed({ service, program }: Pick<DesiredService, 'service' | 'program'>, allowed: Allowed): string | undefined {
  const means = program.is === 'built-in' ? program.does : undefined;
  if (means === undefined ? ownNames.includes(service) : means !== service)
    return `this host does not run ${service} as ${means ?? 'a command'}: the name and the program of a built-in service must match`;
  if (allowed.has(service)) return undefined;
  const runs = [...allowed].sort().join(', ') || 'none';
  return `this host does not run services of type ${service}; it runs ${runs.slice(0, 160)}. Add it to allow-service in the agent’s configuration, and restart the agent`;
}
