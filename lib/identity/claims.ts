import type { ZoneName } from '../core/ids.ts';
import { type AdminScope, adminScopes, both, type Rights, rightsOf } from './rights.ts';

/** The rights of one group of an issuer: scopes in these zones, or everywhere when no zones are named. */
export type GroupRights = { readonly scopes: readonly AdminScope[]; readonly zones?: readonly ZoneName[] | undefined };

/** The rights of each group. A group that is not here has none. */
export type GroupMap = Readonly<Record<string, GroupRights>>;

/**
 * The scopes that were added later, in their order. A stack identifies groups by their position, and would recreate a
 * moved group without its members.
 */
const cameLater: readonly AdminScope[] = ['execute', 'report', 'number', 'edit'];
const asTheyCame = [...adminScopes].sort((a, b) => cameLater.indexOf(a) - cameLater.indexOf(b));

/** The groups of a deployment that names none of its own: one for each scope. */
export const defaultGroups: GroupMap = Object.fromEntries(asTheyCame.map((scope) => [`muster-${scope}`, { scopes: [scope] }]));

/** The rights of a member of these groups: those of each group, each where that group has them. */
export const rightsOfGroups = (groups: readonly string[], map: GroupMap): Rights =>
  groups.filter((group) => Object.hasOwn(map, group)).reduce((rights, group) => both(rights, rightsOfGroup(map[group]!)), {} as Rights);

const rightsOfGroup = ({ scopes, zones }: GroupRights): Rights => rightsOf(scopes, zones ?? 'all');

/** The groups that a token's claims name: a list of them, or a single one. A value that is no text is ignored. */
export function groupsIn(claims: Readonly<Record<string, unknown>>, claim: string): string[] {
  const named = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  return (Array.isArray(named) ? named : [named]).filter((group) => typeof group === 'string');
}
