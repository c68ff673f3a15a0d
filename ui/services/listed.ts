import type { Service, SiteOrders, Stations } from './asks.ts';

/** The states of services as they are counted and filtered by, those that need somebody first. */
export const states = ['failed', 'inhibited', 'starting', 'stopping', 'online', 'offline'] as const;
export type StateName = (typeof states)[number];

type Listed = Pick<Service, 'type' | 'name' | 'host' | 'state'>;

/** How many services are in each state that occurs, in the order of {@link states}. */
export function tallied(services: readonly Pick<Listed, 'state'>[]): readonly (readonly [StateName, number])[] {
  return states.map((state) => [state, services.filter((one) => one.state === state).length] as const).filter(([, n]) => n > 0);
}

/** The services in a state, if one is given, whose type, name or host has a text in it, if one is given. */
export function filtered<T extends Listed>(services: readonly T[], state: string | undefined, text = ''): readonly T[] {
  const wanted = text.trim().toLowerCase();
  return services.filter(
    (one) =>
      (state === undefined || one.state === state) &&
      (wanted === '' || [one.type, one.name, one.host].some((part) => part.toLowerCase().includes(wanted))),
  );
}

/** The id of a service, as the graph and `explain` have it: `TYPE@NODE`. */
export const idOf = ({ type, node }: Pick<Service, 'type' | 'node'>): string => `${type}@${node}`;

/** The type and the node of an id; undefined for any other text. */
export function partsOf(id: string): { readonly type: string; readonly node: string } | undefined {
  const at = id.lastIndexOf('@');
  return at > 0 && at < id.length - 1 ? { type: id.slice(0, at), node: id.slice(at + 1) } : undefined;
}

/** Services that Muster starts and stops by itself: no person orders them. */
const own: ReadonlySet<string> = new Set(['recovery-supervisor', 'recovery-coordinator']);
/** Whether a service of this type is a person's to start, stop and configure. */
export const isOrdered = (type: string): boolean => !own.has(type);

/** A text as JSON, or why it is none. With `isObject` only an object will do, such as a configuration. */
export function parsedJson(
  text: string,
  isObject = true,
): { readonly value: unknown; readonly fault?: never } | { readonly value?: never; readonly fault: string } {
  try {
    const value: unknown = JSON.parse(text);
    const is = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && !is ? { fault: 'A configuration is an object: { … }.' } : { value };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : 'This is no JSON.' };
  }
}

/** The hosts that a text names, each once: one a line, or with blanks or commas between. */
export const hostsIn = (text: string): readonly string[] => [...new Set(text.split(/[\s,]+/).filter((host) => host !== ''))];

type Quorum = { readonly stations: readonly unknown[]; readonly quorum: Pick<Stations['quorum'], 'heard' | 'needed' | 'quorate'> };

/** In a sentence: whether a majority is heard, and how many more may fall silent. */
export function quorumText({ stations, quorum: { heard, needed, quorate } }: Quorum): string {
  if (stations.length === 0) return 'No stations are named: Muster decides alone, by its own hearing.';
  const start = `${heard} of ${stations.length} stations are heard, ${needed} are needed`;
  if (!quorate) return `${start}: no host is given up and no level changes until more are heard.`;
  const spare = heard - needed;
  const may = spare === 0 ? 'if one more falls silent, nothing is decided' : `${spare} more may fall silent`;
  return `${start}: ${may}.`;
}

/** The order of a number among some; undefined while it is not to be seen there. */
export const orderOf = <T extends { readonly order: number }>(items: readonly T[], order: number | undefined): T | undefined =>
  items.find((one) => one.order === order);

/** Whether a dry run went well enough that the order itself makes sense: its station would have run its program. */
export const isGoodDryRun = ({ dryRun, state, exit }: Pick<SiteOrders['items'][number], 'dryRun' | 'state' | 'exit'>): boolean =>
  dryRun && state === 'done' && (exit ?? 0) === 0;
