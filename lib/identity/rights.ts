import type { ZoneName } from '../core/ids.ts';

/**
 * What an administrator or an API key may be allowed: to look, to run machines, to say which commands run on them, to
 * change zones and settings, to ban and hand out trust, to report what happens on nodes as their agents do.
 */
export const adminScopes = ['read', 'operate', 'execute', 'admin', 'security', 'report'] as const;
export type AdminScope = (typeof adminScopes)[number];

/** Where a scope is held: everywhere, or in these zones. */
export type Reach = 'all' | readonly ZoneName[];

/**
 * What somebody may do, and where: each scope with its own reach, so that operating one zone and reading all of them
 * never adds up to operating all of them. A scope that is absent is not held.
 */
export type Rights = Readonly<Partial<Record<AdminScope, Reach>>>;

/** The same reach for every one of these scopes. */
export const rightsOf = (scopes: readonly AdminScope[], zones: Reach): Rights => Object.fromEntries(scopes.map((scope) => [scope, zones]));

/** The scopes that are held anywhere at all, in the order of {@link adminScopes}. */
export const scopesOf = (rights: Rights): AdminScope[] =>
  adminScopes.filter((scope) => rights[scope] === 'all' || (rights[scope]?.length ?? 0) > 0);

/** Whether a scope is held in a zone. */
export const holdsIn = (rights: Rights, scope: AdminScope, zone: ZoneName): boolean =>
  rights[scope] === 'all' || (rights[scope]?.includes(zone) ?? false);

/** What two sets of rights allow together: nothing that neither of them does. */
export const both = (a: Rights, b: Rights): Rights =>
  Object.fromEntries(adminScopes.filter((scope) => a[scope] ?? b[scope]).map((scope) => [scope, wider(a[scope] ?? [], b[scope] ?? [])]));

const wider = (a: Reach, b: Reach): Reach => (a === 'all' || b === 'all' ? 'all' : [...new Set([...a, ...b])].sort());
