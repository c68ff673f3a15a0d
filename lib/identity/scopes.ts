import { type AdminScope, adminScopes, both, type Reach, type Rights, rightsOf } from './rights.ts';

/**
 * The scopes that each scope includes. Every scope includes `read`. A gateway needs `number` and `edit` alone; an
 * operator may do as much. `security`, which bans and hands out trust, does not include `operate`. A command on a host
 * can do whatever an operator can, so `execute` includes `operate`. No scope includes `execute`: changing zones needs
 * no power over hosts. No scope includes `report`: a caller that can report a node alive decides where its client
 * systems are. A program that reports can read the outcome.
 */
const brings = {
  read: [],
  number: ['read'],
  edit: ['read'],
  operate: ['read', 'number', 'edit'],
  execute: ['read', 'number', 'edit', 'operate'],
  admin: ['read', 'number', 'edit', 'operate'],
  security: ['read'],
  report: ['read'],
} as const satisfies Record<AdminScope, readonly AdminScope[]>;

/** Rights with all scopes that each scope includes, where that scope is held. */
export const inFull = (rights: Rights): Rights =>
  adminScopes.reduce((all, scope) => (rights[scope] === undefined ? all : both(all, rightsOf(brings[scope], rights[scope]))), rights);

/** Whether a caller with `rights` may grant `given`: you can only grant rights that you hold yourself. */
export const covers = (rights: Rights, given: Rights): boolean => {
  const held = inFull(rights);
  return adminScopes.every((scope) => isWithin(given[scope] ?? [], held[scope] ?? []));
};

const isWithin = (part: Reach, whole: Reach): boolean => whole === 'all' || (part !== 'all' && part.every((zone) => whole.includes(zone)));
