import { type AdminScope, adminScopes, both, type Reach, type Rights, rightsOf } from './rights.ts';

/**
 * What a scope brings with it: whoever may change something may also look at it; who bans and hands out trust runs no
 * machines by that. A command on a host can do whatever an operator can, so `execute` brings `operate`. No scope
 * brings `execute`: zones are changed without power over hosts. Nor does any bring `report`: who may say that a node
 * lives decides where its client systems are. A program that reports reads what comes of it.
 */
const brings = {
  read: [],
  operate: ['read'],
  execute: ['read', 'operate'],
  admin: ['read', 'operate'],
  security: ['read'],
  report: ['read'],
} as const satisfies Record<AdminScope, readonly AdminScope[]>;

/** Rights with all that each scope brings with it, where that scope is held. */
export const inFull = (rights: Rights): Rights =>
  adminScopes.reduce((all, scope) => (rights[scope] === undefined ? all : both(all, rightsOf(brings[scope], rights[scope]))), rights);

/** Whether whoever holds `rights` may hand out `given`: nobody gives what he does not have. */
export const covers = (rights: Rights, given: Rights): boolean => {
  const held = inFull(rights);
  return adminScopes.every((scope) => isWithin(given[scope] ?? [], held[scope] ?? []));
};

const isWithin = (part: Reach, whole: Reach): boolean => whole === 'all' || (part !== 'all' && part.every((zone) => whole.includes(zone)));
