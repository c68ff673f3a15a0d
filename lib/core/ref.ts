import type * as z from 'zod';

/** Exists only in types: no reference carries the content of its row. */
declare const holds: unique symbol;

/**
 * Names a row of a noun; its type gives the type of the row's content. {@link refOf} makes references, in the file of
 * the row.
 */
export type Ref<S, N extends string = string> = { readonly noun: N; readonly id: string; readonly [holds]?: S };

/**
 * Makes the references of the rows of a noun from the values that identify a row; `schema` is the schema of the row,
 * for readers that do not trust it.
 */
export type RefMaker<S, N extends string, Of extends readonly unknown[]> = ((...of: Of) => Ref<S, N>) & {
  readonly noun: N;
  readonly schema: z.ZodType<S>;
};

/**
 * The references of a noun's rows: `id` makes the id from the values that identify a row; when it is left out, that
 * value is the id itself.
 */
export function refOf<S, N extends string>(noun: N, schema: z.ZodType<S>): RefMaker<S, N, [id: string]>;
export function refOf<S, N extends string, Of extends readonly unknown[]>(
  noun: N,
  schema: z.ZodType<S>,
  id: (...of: Of) => string,
): RefMaker<S, N, Of>;
export function refOf<S, N extends string>(
  noun: N,
  schema: z.ZodType<S>,
  id: (...of: never[]) => string = (own: string) => own,
): RefMaker<S, N, never[]> {
  return Object.assign((...of: never[]): Ref<S, N> => ({ noun, id: id(...of) }), { noun, schema });
}
