import { type Reply, type RouteName, routeOf } from './call.ts';

/** The rights of the caller, as `whoAmI` gives them: each scope with where it is held. */
export type Rights = Reply<'whoAmI'>['rights'];

/**
 * Whether the caller may call a route in a zone; without a zone, everywhere. A button for what is not allowed is not
 * shown; the server refuses it all the same.
 */
export function may(rights: Rights | undefined, name: RouteName, zone?: string): boolean {
  const { scope } = routeOf(name);
  if (scope === 'anyone') return true;
  const reach = rights?.[scope as keyof Rights];
  if (reach === undefined) return false;
  return reach === 'all' || (zone !== undefined && (reach as readonly string[]).includes(zone));
}

/** Whether the caller may call a route in any zone at all. */
export function mayAnywhere(rights: Rights | undefined, name: RouteName): boolean {
  const { scope } = routeOf(name);
  const reach = rights?.[scope as keyof Rights];
  return scope === 'anyone' || reach === 'all' || (reach !== undefined && reach.length > 0);
}
