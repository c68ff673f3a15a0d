import type { Row } from '../../../../lib/ports/table/table.ts';
import { applyDelta, emptyMap, type SlotMap, slotsMin } from '../../../../lib/zones/map/rows/slots.ts';
import { loadMap } from '../../../../lib/zones/rows/loaded.ts';
import type { Delta, MapPage, ZoneHead } from '../../../../lib/zones/zone.ts';
import type { Committed } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';

/** Readers put the map together from rows that were written at different moments. */
export const pages: Invariant = {
  name: 'pages-and-deltas-are-the-map',
  says: 'a page holds the map of its version, and page and later deltas together the map that all changes have made',
  begin: ({ world, violated }) => {
    const heads = new Map<string, ZoneHead>();
    const deltas: (readonly [zone: string, delta: Delta])[] = [];
    /** The map of the last split, which its own pages hold. */
    const splits = new Map<string, { readonly version: number; readonly map: SlotMap }>();
    /** All that ever happened up to a version, from the beginning. */
    const madeBy = ({ name, slots }: ZoneHead, version: number): SlotMap => {
      const split = splits.get(name);
      const isPast = (delta: Delta): boolean => delta.version <= version && delta.version > (split?.version ?? 0);
      const past = deltas.filter(([zone, delta]) => zone === name && isPast(delta)).map(([, delta]) => delta);
      const sorted = past.sort((a, b) => a.version - b.version);
      const map = split ? { owner: split.map.owner.slice(), home: split.map.home.slice() } : emptyMap(slots);
      for (const { moves } of sorted) applyDelta(moves, map);
      return map;
    };
    const checkPage = (row: Row): void => {
      const head = heads.get(zoneOf(row));
      if (!head || head.slots === slotsMin || (row.body as MapPage).version < (splits.get(head.name)?.version ?? 0)) return;
      const { version, cells } = row.body as MapPage;
      if (version > head.mapVersion) violated(`a page of version ${version}, and the map is at ${head.mapVersion}`);
      if (!isSameMap(loadMap(head.slots, [cells]), madeBy(head, version))) violated(`the page of version ${version} holds another map`);
    };
    return {
      committed: (changes) => {
        for (const { after } of changes) {
          const zone = zoneOf(after);
          if (after.key.sk !== 'head') continue;
          const head = after.body as ZoneHead;
          if ((heads.get(zone)?.slots ?? head.slots) !== head.slots) splits.set(zone, splitBy(head, changes));
          heads.set(zone, head);
        }
        for (const { after } of changes) {
          const zone = zoneOf(after);
          if (after.key.sk.startsWith('delta#')) deltas.push([zone, after.body as Delta]);
        }
        for (const { after } of changes) if (after.key.sk.startsWith('map#')) checkPage(after);
      },
      unrest: () =>
        [...heads.values()].flatMap((head) => {
          if (head.slots === slotsMin) return [];
          const rows = [...world().cluster.store.rows.rows.values()].filter(
            (row) => row.key.pk === `zone#${encodeURIComponent(head.name)}`,
          );
          const page = rows.find(({ key }) => key.sk.startsWith('map#'))?.body as MapPage;
          const since = rows.filter(({ key }) => key.sk.startsWith('delta#')).map(({ body }) => body as Delta);
          const later = since
            .filter(({ version }) => version > page.version && version <= head.mapVersion)
            .sort((a, b) => a.version - b.version);
          const moves = later.map((delta) => delta.moves);
          return isSameMap(loadMap(head.slots, [page.cells], moves), madeBy(head, head.mapVersion))
            ? []
            : [`readers of ${head.name} see another map`];
        }),
    };
  },
};

/** The map that a split has written; that nobody moved is another's to see. */
function splitBy({ slots, version }: ZoneHead, changes: readonly Committed[]): { version: number; map: SlotMap } {
  const pages = changes.filter(({ after }) => after.key.sk.startsWith('map#')).sort((a, b) => (a.after.key.sk < b.after.key.sk ? -1 : 1));
  return {
    version,
    map: loadMap(
      slots,
      pages.map(({ after }) => (after.body as MapPage).cells),
    ),
  };
}

const zoneOf = ({ key }: Row): string => decodeURIComponent(key.pk.slice('zone#'.length));

const isSameMap = (a: SlotMap, b: SlotMap): boolean =>
  Buffer.compare(bytesOf(a.owner), bytesOf(b.owner)) === 0 && Buffer.compare(bytesOf(a.home), bytesOf(b.home)) === 0;
const bytesOf = ({ buffer, byteOffset, byteLength }: Uint16Array): Uint8Array => new Uint8Array(buffer, byteOffset, byteLength);
