import type { ZoneView } from '../../../../lib/zones/routes.ts';
import type { Invariant } from '../invariant.ts';

/** Whoever looks whether a zone is whole counts its nodes. */
export const shownOnce: Invariant = {
  name: 'a-node-is-shown-once',
  says: 'in the map of a zone each node stands once, whatever it was before',
  begin: ({ violated }) => {
    return {
      answered: ({ method, path, status, body }) => {
        if (method !== 'GET' || status !== 200 || !/^\/api\/v1\/zones(\/[a-z0-9-]+)?$/.test(path)) return;
        const answer = JSON.parse(body) as ZoneView | { readonly items: readonly ZoneView[] };
        for (const { name, map } of 'items' in answer ? answer.items : [answer]) {
          const nodes = map.nodes.map(({ node }) => node);
          const twice = nodes.find((node, n) => nodes.indexOf(node) !== n);
          if (twice) violated(`${twice} stands twice in the map of ${name}`);
        }
      },
    };
  },
};
