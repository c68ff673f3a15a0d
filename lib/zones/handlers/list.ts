import type { AdminCall, AdminCaller } from '../../access/verify-admin.ts';
import { seesZone } from '../../access/zones-of-caller.ts';
import { allowsUnsigned, deploymentRef } from '../../deployment/deployment.ts';
import { zoneList } from '../../ports/table/keys.ts';
import { stateOf } from '../../runtime/content.ts';
import { cursorAt, positionOf } from '../../runtime/cursors.ts';
import type { Answer } from '../../runtime/on-route.ts';
import { readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { wholeList } from '../../runtime/whole-list.ts';
import { ensureSeenDefaultZone } from '../reads/found.ts';
import { zoneOf } from '../reads/zones.ts';
import { zoneView } from '../view/zone.ts';
import { type Counts, countsRef, type ZoneHead, zoneRef } from '../zone.ts';

type Query = { readonly limit: number; readonly cursor?: string | undefined };
type Names = { readonly names: readonly string[]; readonly next?: string | undefined };

/**
 * A page of the zones that the caller may see, by name. A page costs what its zones cost, however many others there
 * are: for a caller limited to some zones, the names come from the caller and not from the index.
 */
export async function listZones({ query, caller }: AdminCall<'listZones'>, shell: Shell): Promise<Answer> {
  await ensureSeenDefaultZone(shell, caller);
  const signature = caller.zones === 'all' ? 'zones' : `zones of ${[...caller.zones].sort().join(' ')}`;
  const after = await positionOf(shell, query.cursor, signature);
  const { names, next } = await namesAfter(shell, after, query, caller);
  const rows = await readRows(shell, [deploymentRef, ...names.flatMap((id) => [headOf(id), countsOf(id)])]);
  const deployment = rows[0]?.body;
  const items = await Promise.all(
    names.map(async (name, i) => {
      const [headRow, countsRow] = [rows[1 + 2 * i], rows[2 + 2 * i]];
      // The index may list a deleted zone, and a caller may be limited to a zone that never existed.
      const zone = stateOf<ZoneHead>(headRow, shell.now()) && (await zoneOf(shell, name));
      const counts = stateOf<Counts>(countsRow, shell.now());
      return zone
        ? [zoneView(zone, headRow!.because, { counts, unsignedClients: allowsUnsigned(deployment, name), now: shell.now() })]
        : [];
    }),
  );
  return { status: 200, body: { items: items.flat(), ...(next !== undefined && { next: await cursorAt(shell, next, signature) }) } };
}

const headOf = (id: string) => zoneRef(id);
const countsOf = (id: string) => countsRef(id);

/** The names of a page, and where the next one begins. */
async function namesAfter(shell: Shell, after: string | undefined, { limit }: Query, { zones }: AdminCaller): Promise<Names> {
  if (zones !== 'all') {
    const left = [...zones].sort().filter((name) => after === undefined || name > after);
    return { names: left.slice(0, limit), next: left.length > limit ? left[limit - 1] : undefined };
  }
  const page = await shell.table.queryIndex({ index: 'list', pk: zoneList, limit, ...(after !== undefined && { after }) });
  return { names: page.items.map(({ sk }) => sk), next: page.next };
}

/**
 * The names of all zones that the caller may see: a deployment has thousands at most, which cost a few units to read.
 */
export async function zonesOf(shell: Shell, caller: AdminCaller): Promise<string[]> {
  return (await wholeList(shell, zoneList)).map(({ sk }) => sk).filter((name) => seesZone(caller, name));
}
