import type { Reply, RouteName } from '../api/call.ts';
import { may, mayAnywhere, type Rights } from '../api/rights.ts';
import type { Place } from '../router.tsx';
import type { Opened } from '../shell/opened.ts';
import { keyOf } from '../shell/places.ts';
import type { Entry } from './choose.ts';

type Zone = Pick<Reply<'listZones'>['items'][number], 'name' | 'systemsAbout'>;
type Node = Reply<'listNodes'>['items'][number];
type System = Reply<'findSystems'>['items'][number];

/** What the palette knows: views, zones, nodes, the client systems that were found, and what the caller may do. */
export type Around = {
  readonly views: readonly Opened[];
  readonly zones: readonly Zone[];
  readonly nodes: readonly Node[];
  readonly systems: readonly System[];
  readonly recent: readonly Place[];
  readonly rights: Rights | undefined;
};

/** The first label of a name. */
const short = (fqdn: string): string => fqdn.split('.')[0]!;

/** All entries of the palette. What the caller may not do is not there. */
export const entriesOf = (around: Around): readonly Entry[] => [
  ...around.recent.flatMap((place) => recentOf(place, around) ?? []),
  ...around.views.map(({ path, title, key }): Entry => ({ id: `view ${path}`, group: 'Views', label: title, hint: key, does: { path } })),
  ...around.zones.map(
    ({ name, systemsAbout }): Entry => ({
      id: `zone ${name}`,
      group: 'Zones',
      label: name,
      also: 'zone',
      hint: `about ${systemsAbout.toLocaleString('en')} systems`,
      does: { path: '/', search: { zone: name } },
    }),
  ),
  ...around.nodes.map(
    ({ id, fqdn, status, zone }): Entry => ({
      id: `node ${id}`,
      group: 'Nodes',
      label: fqdn,
      also: `node ${id}`,
      hint: `${status} · ${zone}`,
      does: { path: `/nodes/${id}` },
    }),
  ),
  ...around.systems.map(
    ({ fp, fqdn, status, node }): Entry => ({
      id: `system ${fp}`,
      group: 'Client systems',
      label: fqdn,
      // What the server found is shown, however it fits.
      also: `system ${fp}`,
      hint: node?.fqdn === undefined ? status : `${status} on ${short(node.fqdn)}`,
      does: { path: '/systems', search: { q: fqdn, fp } },
    }),
  ),
  ...deedsOf(around),
];

const orders = [
  ['drain', 'Drain', 'leaveNode', 'its client systems move away first'],
  ['hold', 'Hold', 'leaveNode', 'its client systems wait for it'],
  ['drop', 'Drop', 'dropNode', 'it is given up now'],
] as const satisfies readonly (readonly [string, string, RouteName, string])[];

/** What can be done from anywhere. An order to a node opens its page, which asks before anything happens. */
function deedsOf({ views, nodes, rights }: Around): readonly Entry[] {
  const deed = (id: string, label: string, does: Entry['does'], more: Partial<Entry> = {}): Entry => ({
    id,
    group: 'Do',
    label,
    does,
    ...more,
  });
  const hasPool = views.some(({ path }) => path === '/onboarding');
  return [
    ...(hasPool && mayAnywhere(rights, 'accept')
      ? [deed('accept', 'Accept machines that wait', { path: '/onboarding' }, { also: 'onboarding pool new' })]
      : []),
    ...(mayAnywhere(rights, 'createSignInLink')
      ? [deed('link', 'Make a sign-in link', 'link', { also: 'login invite person', hint: 'works once, with your rights' })]
      : []),
    ...(['dark', 'light', 'system'] as const).map((theme) =>
      deed(theme, theme === 'system' ? 'Colours as the system has them' : `${theme === 'dark' ? 'Dark' : 'Light'} colours`, theme, {
        also: 'theme colors mode',
      }),
    ),
    deed('sign-out', 'Sign out', 'sign-out', { also: 'logout log out leave' }),
    ...nodes.flatMap(({ id, fqdn, zone, status }) =>
      orders.flatMap(([order, says, route, hint]) =>
        may(rights, route, zone) && status !== 'dropped' && status !== 'absent'
          ? [
              deed(
                `${order} ${id}`,
                `${says} ${short(fqdn)}`,
                { path: `/nodes/${id}`, search: { do: order } },
                { also: `node ${fqdn}`, hint, isOneOfMany: true },
              ),
            ]
          : [],
      ),
    ),
  ];
}

/** A place where a person was, by the name of what is there. */
function recentOf(place: Place, { views, nodes, systems }: Around): Entry | undefined {
  const { path, search } = place;
  const entry = (label: string, hint: string): Entry => ({ id: `recent ${keyOf(place)}`, group: 'Recent', label, hint, does: place });
  const node = /^\/nodes\/(.*)$/.exec(path)?.[1];
  if (node !== undefined) {
    const known = nodes.find(({ id }) => id === node);
    return known && entry(known.fqdn, 'node');
  }
  const view = views.find((one) => one.path === path);
  if (view === undefined) return undefined;
  const { q, fp, zone } = search;
  const name = fp === undefined ? q : (systems.find((one) => one.fp === fp)?.fqdn ?? q ?? fp.slice(0, 8));
  if (name !== undefined) return entry(name, `in ${view.title}`);
  return zone === undefined ? undefined : entry(zone, `zone in ${view.title}`);
}
