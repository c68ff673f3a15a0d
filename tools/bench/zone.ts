import { createHash } from 'node:crypto';
import type { Fqdn, NodeId } from '../../lib/core/ids.ts';
import { emptyMap } from '../../lib/zones/map/rows/slots.ts';
import { standings } from '../../lib/zones/map/rows/standing.ts';
import { noPins } from '../../lib/zones/pins/pins.ts';
import type { LoadedZone } from '../../lib/zones/rows/loaded.ts';
import { emptySchedule } from '../../lib/zones/turns/turn.ts';
import { defaultZone, defaultZoneNumber, type Member, newZone } from '../../lib/zones/zone.ts';

/** The size of a zone. */
export type Size = { readonly nodes: number; readonly slots: number };

/** The sizes through which a zone grows: the smallest, 50 nodes, 500 nodes. */
export const sizes: readonly Size[] = [
  { nodes: 3, slots: 1_024 },
  { nodes: 50, slots: 16_384 },
  { nodes: 500, slots: 65_536 },
];

/** The id of the bench's n-th node. */
export const nodeIdAt = (index: number): NodeId => `n${index.toString(16).padStart(16, '0')}` as NodeId;

/** The name of the bench's n-th node. */
export const fqdnAt = (index: number): Fqdn => `node${index}.bench.test` as Fqdn;

/** A zone whose nodes are all up in their first generation, its slots spread evenly over them. */
export function aZone({ nodes, slots }: Size): LoadedZone {
  const map = emptyMap(slots);
  for (let slot = 0; slot < slots; slot++) map.owner[slot] = map.home[slot] = slot % nodes;
  const roster = new Uint8Array(nodes * 3);
  for (let index = 0; index < nodes; index++) roster.set([standings.up, 0, 1], index * 3);
  const members = Array.from(
    { length: nodes },
    (_, index): Member => ({ node: nodeIdAt(index), fqdn: fqdnAt(index), watch: `${fqdnAt(index)}:4505`, weight: 1 }),
  );
  const head = { ...newZone(defaultZone, defaultZoneNumber, slots), version: 7, mapVersion: 7, membersVersion: 7, roster };
  return { head, map, members, turns: emptySchedule, revokedAt: new Map(), tokensBefore: 0, revokedVersion: 0, pins: noPins() };
}

/** The bench's n-th fingerprint, as evenly spread as real ones: 64 hex digits. */
export const fingerprintAt = (n: number): string => createHash('sha256').update(String(n)).digest('hex');
