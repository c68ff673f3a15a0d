import type { ZoneName } from '../core/ids.ts';

/**
 * The scopes of administrators and API keys, in order: view; number the actions of Uyuni servers; edit
 * common content; operate machines;
 * choose the commands that run on them; change zones and settings; ban, and hand out trust; report on nodes as their
 * agents do.
 */
export const adminScopes = ['read', 'number', 'edit', 'operate', 'execute', 'admin', 'security', 'report'] as const;
export type AdminScope = (typeof adminScopes)[number];

/** Where a scope is held: everywhere, or in these zones. */
export type Reach = 'all' | readonly ZoneName[];

/**
 * The rights of a caller: each scope with its own reach, so that operating one zone and reading all of them never adds
 * up to operating all of them. A scope that is absent is not held.
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

/** The union of two sets of rights, scope by scope. */
export const both = (a: Rights, b: Rights): Rights =>
  Object.fromEntries(adminScopes.filter((scope) => a[scope] ?? b[scope]).map((scope) => [scope, wider(a[scope] ?? [], b[scope] ?? [])]));

const wider = (a: Reach, b: Reach): Reach => (a === 'all' || b === 'all' ? 'all' : [...new Set([...a, ...b])].sort());
