import type * as z from 'zod';

/** Only a type has it: no reference carries what its row holds. */
declare const holds: unique symbol;

/** Names a row of a noun, and by its type says what the row holds. {@link refOf} makes them, in the file of the row. */
export type Ref<S, N extends string = string> = { readonly noun: N; readonly id: string; readonly [holds]?: S };

/**
 * Makes the references of the rows of a noun from what tells them apart; `schema` is what such a row holds, for whoever
 * does not trust it.
 */
export type RefMaker<S, N extends string, Of extends readonly unknown[]> = ((...of: Of) => Ref<S, N>) & {
  readonly noun: N;
  readonly schema: z.ZodType<S>;
};

/**
 * The references of a noun's rows: `id` makes the id from what tells the rows apart, which is the id itself when it is
 * left out.
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
