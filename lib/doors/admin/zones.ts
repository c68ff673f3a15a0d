import type { adminRoutes } from '../../api/admin-routes.ts';
import type { Answer, Call } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { keyOf, zoneList } from '../../table/keys.ts';
import { zoneView } from '../../zones/view.ts';
import type { Counts } from '../../zones/zone.ts';
import { ensureDefaultZone } from '../zones.ts';
import { cursorAt, positionOf } from './cursors.ts';
import { foundZone } from './found.ts';

type Routes = typeof adminRoutes;

/** All zones, by name. */
export async function listZones({ query }: Call<Routes['listZones']>, shell: Shell): Promise<Answer> {
  await ensureDefaultZone(shell);
  const after = await positionOf(shell, query.cursor, 'zones');
  const page = await shell.table.queryIndex({ index: 'list', pk: zoneList, limit: query.limit, ...(after !== undefined && { after }) });
  const items = await Promise.all(page.items.map((entry) => shown(shell, entry.sk)));
  return { status: 200, body: { items, ...(page.next !== undefined && { next: await cursorAt(shell, page.next, 'zones') }) } };
}

/** One zone and its map in summary. */
export async function getZone({ params }: Call<Routes['getZone']>, shell: Shell): Promise<Answer> {
  await ensureDefaultZone(shell);
  return { status: 200, body: await shown(shell, params.zone) };
}

async function shown(shell: Shell, name: string) {
  const zone = await foundZone(shell, name);
  const [headRow, countsRow] = await shell.table.readMany([keyOf({ noun: 'zone', id: name }), keyOf({ noun: 'counts', id: name })]);
  return zoneView(zone, headRow?.because ?? '', countsRow?.body as Counts | undefined);
}

/** The names of all zones; a deployment has thousands at the most. */
export async function zoneNames(shell: Shell): Promise<string[]> {
  const names: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await shell.table.queryIndex({ index: 'list', pk: zoneList, limit: 1000, ...(after && { after }) });
    names.push(...page.items.map((entry) => entry.sk));
    if (!page.next) return names;
    after = page.next;
  }
}
