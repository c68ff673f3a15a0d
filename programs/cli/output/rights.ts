import type { ReplyOf } from '../../../lib/api/route.ts';
import type { contract } from '../../../lib/contract.ts';

/** The rights of a caller, scope by scope, each with its zones; an absent scope is not held. */
type Rights = ReplyOf<typeof contract.whoAmI>['rights'];

/** Rights in words: `read everywhere; operate in acme, emea`. */
export const rightsText = (rights: Rights): string => {
  const byReach = Map.groupBy(Object.entries(rights), ([, reach]) => (reach === 'all' ? 'everywhere' : `in ${reach.join(', ')}`));
  return [...byReach].map(([reach, scopes]) => `${scopes.map(([scope]) => scope).join(', ')} ${reach}`).join('; ') || 'nothing';
};
