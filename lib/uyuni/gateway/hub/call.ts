import type { GatewayCall } from '../call.ts';
import type { Typed } from '../typed.ts';

/** The methods of the hub itself, and `hub.listServers`, which is Muster's own. */
export const hubMethods = [
  'hub.login',
  'hub.loginWithAuthRelayMode',
  'hub.loginWithAutoconnectMode',
  'hub.attachToServers',
  'hub.listServerIds',
  'hub.listServers',
  'hub.logout',
] as const;
export type HubMethod = (typeof hubMethods)[number];

/**
 * A call of a method of one server, or of several, that the caller names: by its name as servers find it and as it was
 * sent.
 */
export type ServersCall = {
  readonly to: 'one' | 'several';
  readonly name: string;
  readonly sent: string;
  readonly params: readonly Typed[];
};

/**
 * A call by the names of the hub: of a method of its own, or of one of servers. `unknown`: the hub has no such name.
 */
export type HubCall =
  | { readonly to: 'hub'; readonly method: HubMethod; readonly params: readonly Typed[] }
  | ServersCall
  | { readonly to: 'unknown' };

/** The call by a name of the hub; undefined for any other call. */
export function hubCallOf({ name, sent, params }: GatewayCall): HubCall | undefined {
  const [, namespace, method = ''] = /^(hub|unicast|multicast)\.(.*)$/.exec(name) ?? [];
  if (namespace === undefined) return undefined;
  if (namespace === 'hub') {
    const own = hubMethods.find((one) => one === name);
    return own === undefined ? { to: 'unknown' } : { to: 'hub', method: own, params };
  }
  if (!method.includes('.')) return { to: 'unknown' };
  return { to: namespace === 'unicast' ? 'one' : 'several', name: method, sent: sent.slice(namespace.length + 1), params };
}
