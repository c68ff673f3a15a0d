import type { ReplyOf } from '../../../lib/api/route.ts';
import type { contract } from '../../../lib/contract.ts';

/** What somebody may do, scope by scope, each with where; absent is not held. */
type Rights = ReplyOf<typeof contract.whoAmI>['rights'];

/** Rights as people say them: `read everywhere; operate in acme, emea`. */
export const rightsShown = (rights: Rights): string => {
  const byReach = Map.groupBy(Object.entries(rights), ([, reach]) => (reach === 'all' ? 'everywhere' : `in ${reach.join(', ')}`));
  return [...byReach].map(([reach, scopes]) => `${scopes.map(([scope]) => scope).join(', ')} ${reach}`).join('; ') || 'nothing';
};
