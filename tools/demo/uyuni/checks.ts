import { contract } from '../../../lib/contract.ts';
import { names } from './cast.ts';
import { minionsOf } from './servers.ts';
import type { Listed, Stage } from './stage.ts';

/** The name of the first system that a server began with. */
export const firstOf = (fqdn: string): string => minionsOf(fqdn, 1)[0]!.id;

/** The server that a system of this name was on at the beginning. */
export const homeOf = (name: string): string => names.find((fqdn) => name.startsWith(`${fqdn.split('.')[0]}-`))!;

/** Throws unless there are so many client systems, and each is as `is` has it, which `what` says. */
export function expectAll(known: ReadonlyMap<string, Listed>, count: number, what: string, is: (one: Listed) => boolean): void {
  const other = [...known.values()].filter((one) => !is(one));
  const [example] = other;
  if (known.size !== count || example !== undefined)
    throw new Error(
      `${known.size} of ${count} client systems are known, and ${other.length} are not ${what}${example ? `, such as ${JSON.stringify(example)}` : ''}`,
    );
}

/** A system with its numbers: the one over all servers, and the one that it has where it is. */
export function numberLine(known: ReadonlyMap<string, Listed>, name: string): string {
  const { node, clusterId, numberThere } = known.get(name)!;
  const there = numberThere === undefined ? '' : `, which calls it ${numberThere}`;
  return `${name}  cluster id ${clusterId}, on ${node?.fqdn ?? 'no node'}${there}`;
}

/** What a server itself has, in a line. */
export async function serverLine({ cast }: Stage, fqdn: string): Promise<string> {
  const registered = await cast.servers.registered(fqdn);
  const keys = cast.servers.of(fqdn).keys.list('accepted').length;
  const own = registered.filter((name) => homeOf(name) === fqdn).length;
  const others = registered.length === own ? '' : `, ${registered.length - own} of them from other servers`;
  return `${fqdn}  ${registered.length} systems registered, ${keys} keys accepted${others}`;
}

/** The status of each node by its name. */
export async function statusesOf({ cast }: Stage): Promise<ReadonlyMap<string, string>> {
  const listed = await cast.api(contract.listNodes, { query: {} });
  if (!listed.ok) throw new Error(`the nodes cannot be read: ${listed.problem.detail}`);
  return new Map(listed.body.items.map(({ fqdn, status, slots }) => [fqdn, status === 'up' && slots === 0 ? 'up, without slots' : status]));
}

/** Waits until these nodes are up, each with its share of the slots. */
export const areUp = (stage: Stage, fqdns: readonly string[]): Promise<true> =>
  stage.watching.until(`${fqdns.join(', ')} up`, 60_000, async () => {
    const statuses = await statusesOf(stage);
    return fqdns.every((fqdn) => statuses.get(fqdn) === 'up') ? true : undefined;
  });

/** Whether all systems have daemons, and each is on a node as `is` has it. */
export function areAll({ cast, systems }: Stage, is: (name: string, node: string | undefined) => boolean): true | undefined {
  const where = [...cast.daemons.look()];
  return where.length === 2 * systems && where.every(([name, { node }]) => is(name, node)) ? true : undefined;
}

/** Whether each system is registered on the server that its daemon has chosen for its minion. */
export async function areRegistered({ cast }: Stage): Promise<true | undefined> {
  const on = await Promise.all(cast.servers.names().map(async (fqdn) => [fqdn, new Set(await cast.servers.registered(fqdn))] as const));
  const registered = new Map(on);
  return [...cast.daemons.look()].every(([name, { node }]) => registered.get(node ?? '')?.has(name)) ? true : undefined;
}
