import { attributesOf } from './attributes.ts';
import { dueShardOf } from './keys.ts';
import type { Footprint } from './meter.ts';
import type { IndexName } from './schema.ts';
import { itemSize } from './size.ts';
import { type Key, nameOf, type Row } from './table.ts';

type Group = 'table' | IndexName;

/** Rows by key, and by their partition of the table and of every index, so that no query walks all rows. */
export type MemoryRows = {
  readonly all: ReadonlyMap<string, Row>;
  readonly get: (key: Key) => Row | undefined;
  /** The rows of one partition of the table or of an index, in no order. */
  readonly group: (group: Group, partition: string | number) => Row[];
  /** The meter's view of a row, made once for each: a stored row never changes. */
  readonly footprintOf: (row: Row) => Footprint;
  /** Stores a row, with its footprint if that is known. */
  readonly put: (row: Row, footprint?: Footprint) => void;
  readonly remove: (row: Row) => void;
};

/** Rows in memory, beginning with the given ones. */
export function memoryRows(initial: Iterable<Row>): MemoryRows {
  const all = new Map<string, Row>();
  const groups = new Map<string, Map<string, Row>>();
  const footprints = new WeakMap<Row, Footprint>();
  const remove = (row: Row): void => {
    const name = nameOf(row.key);
    all.delete(name);
    for (const group of groupsOf(row)) groups.get(group)?.delete(name);
  };
  const put = (row: Row, footprint?: Footprint): void => {
    const name = nameOf(row.key);
    const before = all.get(name);
    if (before) remove(before);
    all.set(name, row);
    if (footprint) footprints.set(row, footprint);
    for (const of of groupsOf(row)) {
      const group = groups.get(of) ?? new Map<string, Row>();
      groups.set(of, group.set(name, row));
    }
  };
  const footprintOf = (row: Row): Footprint => {
    const known = footprints.get(row);
    if (known) return known;
    const keys = attributesOf(row, row.rev);
    const footprint = { bytes: itemSize(keys), keys };
    footprints.set(row, footprint);
    return footprint;
  };
  for (const row of initial) put(row);
  return {
    all,
    get: (key) => all.get(nameOf(key)),
    group: (group, partition) => [...(groups.get(`${group}|${partition}`)?.values() ?? [])],
    footprintOf,
    put,
    remove,
  };
}

const groupsOf = (row: Row): string[] => [
  `table|${row.key.pk}`,
  ...(row.wakeAt === undefined ? [] : [`due|${dueShardOf(row.key)}`]),
  ...(row.list ? [`list|${row.list.pk}`] : []),
  ...(row.edge ? [`inverse|${row.edge.pk}`] : []),
];
