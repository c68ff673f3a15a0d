import type { Ref } from '../core/ref.ts';
import { keyOf } from '../ports/table/keys.ts';
import type { Key, Reading, Row } from '../ports/table/table.ts';
import { stateOf } from './content.ts';
import { readAll } from './read-all.ts';
import type { Shell } from './shell.ts';

/** The rows of several references, in their order: each has the type of its reference, or does not exist. */
export type RowsOf<T extends readonly unknown[]> = { -readonly [K in keyof T]: Row<T[K]> | undefined };
/** Several references, of any types. */
export type Refs<T extends readonly unknown[]> = readonly [...{ [K in keyof T]: Ref<T[K]> }];

/**
 * A row with the type of its reference. Stored rows are trusted only here: their writers were held to the same
 * reference, and tests (`test/golden/`) and the simulation parse the rows of older versions.
 */
export const trusted = <S>(_ref: Ref<S>, row: Row | undefined): Row<S> | undefined => row as Row<S> | undefined;

/** The row that a reference names, gone or expired ones too; undefined if it never existed. */
export const readRow = async <S>({ table }: Pick<Shell, 'table'>, ref: Ref<S>): Promise<Row<S> | undefined> =>
  trusted(ref, await table.read(keyOf(ref)));

/** The present state in the row of a reference; undefined when it never existed, is gone, or has expired. */
export const read = async <S>(shell: Pick<Shell, 'table' | 'now'>, ref: Ref<S>): Promise<S | undefined> =>
  stateOf(await readRow(shell, ref), shell.now());

/** The rows of any number of references of one kind, or of a few of several, in their order. */
export async function readRows<T extends readonly unknown[]>(
  shell: Pick<Shell, 'table'>,
  refs: Refs<T>,
  how?: Reading,
): Promise<RowsOf<T>> {
  const keys = refs.map((ref): Key => keyOf(ref as Ref<unknown>));
  return (await readAll(shell, keys, how)) as RowsOf<T>;
}

/** The rows of keys of one noun from an index, in the order of the keys. */
export const readListed = async <S>(
  shell: Pick<Shell, 'table'>,
  _of: (...of: never[]) => Ref<S>,
  keys: readonly Key[],
  how?: Reading,
): Promise<(Row<S> | undefined)[]> => (await readAll(shell, keys, how)) as (Row<S> | undefined)[];

/** Rows of one noun that a query found, with the type of its references. */
export const trustedRows = <S>(_of: (...of: never[]) => Ref<S>, rows: readonly Row[]): readonly Row<S>[] => rows as readonly Row<S>[];
