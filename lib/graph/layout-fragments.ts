import { type FidType, fidOf, rootFid } from '../core/fid.ts';
import type { LayoutPage, Place } from '../mero/facts/load/parts.ts';
import type { Layout } from '../mero/loads/load.ts';
import { edge, vertex } from './fragments.ts';
import { type Edge, type Fragment, joined, type VertexKind, vertexId } from './graph.ts';

/*
 * The parts of the resource graph that the pages of a cluster's layout add: the places of hosts, and the devices of
 * pools and profiles. Vertices have the names that the facts give them, because pages refer to one another by those;
 * their fids are their labels.
 */

/** The fragment of a page; with a pool's devices only if devices are requested. */
export function layoutFragment({ page, base }: Pick<Layout, 'page' | 'base'>, withDevices: boolean): Fragment {
  const named = (kind: VertexKind & FidType, name: string, at: number) => vertex(kind, name, fidOf(kind, base + at));
  switch (page.of) {
    case 'globals':
      return { vertices: [], edges: [] };
    case 'sites':
      return joined(page.places.map((place) => placeFragment(place, named)));
    case 'pool':
      return poolFragment(page, named, withDevices);
    case 'profiles':
      return {
        vertices: page.profiles.map(({ prof_id, at }) => named('profile', prof_id, at)),
        edges: page.profiles.flatMap(({ prof_id, prof_pools }) => [
          ofRoot(vertexId('profile', prof_id)),
          ...prof_pools.map((pool) => edge(vertexId('profile', prof_id), 'has', vertexId('pool', pool))),
        ]),
      };
  }
}

type Named = (kind: VertexKind & FidType, name: string, at: number) => Fragment['vertices'][number];

const ofRoot = (id: string): Edge => edge(vertexId('root', rootFid), 'is parent of', id);

/** A site, its rack and the enclosure in that, as far as they are given, and the hosts in the enclosure. */
function placeFragment({ site, rack, enclosure }: Place, named: Named): Fragment {
  const sites = [named('site', String(site.index), site.at)];
  const racks = rack ? [named('rack', `${site.index}/${rack.index}`, rack.at)] : [];
  const enclosures = enclosure ? [named('enclosure', enclosure.id, enclosure.at)] : [];
  const chain = [...sites, ...racks, ...enclosures];
  return {
    vertices: chain,
    edges: [
      ofRoot(sites[0]!.id),
      ...chain.slice(1).map(({ id }, n) => edge(chain[n]!.id, 'has', id)),
      ...(enclosure?.hosts ?? []).map(({ h_fqdn }) => edge(vertexId('host', h_fqdn), 'stands in', vertexId('enclosure', enclosure!.id))),
    ],
  };
}

function poolFragment({ at, pool, devices }: Extract<LayoutPage, { of: 'pool' }>, named: Named, withDevices: boolean): Fragment {
  const one = named('pool', pool.pool_id, at);
  const its = withDevices ? devices.map((wwn) => edge(one.id, 'has', vertexId('device', wwn))) : [];
  return { vertices: [one], edges: [ofRoot(one.id), ...its] };
}
