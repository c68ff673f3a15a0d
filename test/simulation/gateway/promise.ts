import type { Asked, Exchange } from './exchange.ts';
import type { Account, Served } from './played-server.ts';
import type { GatewayWorld } from './world.ts';

/** The part of an action that a server took: its number there. */
export type TakenPart = { readonly node: string; readonly id: number };

/** The numbers of actions that people were given, with the parts that servers took. */
export type KnownActions = Map<number, readonly TakenPart[]>;

/** What a promise may look at. */
export type Seen = {
  readonly world: GatewayWorld;
  /** Calls that write, by their texts that no other has. */
  readonly writes: ReadonlyMap<string, Asked>;
  readonly actions: KnownActions;
};

/** One promise of the gateway. Each gives what breaks it, of a call that a server heard or that a person made. */
export type GatewayPromise = {
  readonly name: string;
  /** The promise in a sentence. */
  readonly says: string;
  readonly ofServed?: (served: Served, seen: Seen) => Iterable<string>;
  readonly ofExchange?: (exchange: Exchange, seen: Seen) => Iterable<string>;
};

/** As whom a call may come to servers: as its person, and where they are named as somebody who was attached. */
export const mayBe = (account: Account | undefined, { method, login }: Pick<Asked, 'method' | 'login'>): boolean =>
  [login?.account, ...(isAbout(method, 'one', 'several') ? (login?.as ?? []) : [])].some(
    (one) => account?.login === one?.login && account?.password === one?.password,
  );

/** The calls that servers heard for one call of a person, as far as their person, method and time can say. */
export const heardFor = ({ method, login, beganAt, endedAt }: Exchange, { world }: Seen, node?: string): Served[] =>
  world.around.served.filter(
    (served) =>
      served.at >= beganAt &&
      served.at <= endedAt &&
      served.method === plain(method) &&
      mayBe(served.account, { method, login }) &&
      (node === undefined || served.node === node),
  );

/** A method as servers find it. */
export const plain = (method: string): string =>
  method.replace(/^(unicast|multicast)\./, '').replaceAll(/_(.)/g, (_whole, letter: string) => letter.toUpperCase());

/** What calls by the names of the hub are about: the hub itself, or one server or several that are named. */
const namespaces = { hub: 'hub.', one: 'unicast.', several: 'multicast.' } as const;

/** Whether a method is about this, by the names of the hub. */
export const isAbout = (method: string, ...what: readonly (keyof typeof namespaces)[]): boolean =>
  what.some((one) => method.startsWith(namespaces[one]));

/** Whether a method signs somebody in or out. */
export const isOfSessions = (method: string): boolean => method.startsWith('auth.') || /^hub\.(log|attach)/.test(method);

/** How a call is told of. */
export const named = ({ method, login, beganAt, endedAt, received, response }: Exchange): string => {
  const answer = response?.ok === false ? `the fault “${response.fault.text}”` : received?.text.slice(0, 600);
  return `${method} of ${login?.account.login ?? 'nobody'}, which took ${endedAt - beganAt} ms and lacks ${received?.failed ?? 'nothing'}, was answered ${answer}`;
};
