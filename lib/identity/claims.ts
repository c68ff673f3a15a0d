import type { ZoneName } from '../core/ids.ts';
import { type AdminScope, adminScopes, both, type Rights, rightsOf } from './rights.ts';

/** What one group of an issuer may do: scopes in these zones, everywhere when no zones are named. */
export type GroupRights = { readonly scopes: readonly AdminScope[]; readonly zones?: readonly ZoneName[] | undefined };

/** What each group may do. A group that is not here may do nothing. */
export type GroupMap = Readonly<Record<string, GroupRights>>;

/**
 * The scopes in the order in which they came to be: a stack calls groups by their place, and a group that moves would
 * be made anew, without members.
 */
const cameLater: readonly AdminScope[] = ['execute', 'report'];
const asTheyCame = [...adminScopes].sort((a, b) => cameLater.indexOf(a) - cameLater.indexOf(b));

/** The groups of a deployment that names none of its own: one for each scope. */
export const defaultGroups: GroupMap = Object.fromEntries(asTheyCame.map((scope) => [`muster-${scope}`, { scopes: [scope] }]));

/** What a member of these groups may do: all that one of them may, where that one may, and nothing else. */
export const rightsOfGroups = (groups: readonly string[], map: GroupMap): Rights =>
  groups.filter((group) => Object.hasOwn(map, group)).reduce((rights, group) => both(rights, rightsOfGroup(map[group]!)), {} as Rights);

const rightsOfGroup = ({ scopes, zones }: GroupRights): Rights => rightsOf(scopes, zones ?? 'all');

/** The groups that a token's claims name: a list of them, or a single one. What is no text is no group. */
export function groupsIn(claims: Readonly<Record<string, unknown>>, claim: string): string[] {
  const named = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  return (Array.isArray(named) ? named : [named]).filter((group) => typeof group === 'string');
}
