import * as z from 'zod';
import { isSameJson } from '../../../../lib/core/json.ts';
import { type ContentDocument, inNormalForm } from '../../../../lib/uyuni/content/document.ts';
import type { Values } from '../api/server-api.ts';
import { type Ask, ReadRefused } from '../metadata/kinds.ts';
import type { Step } from '../metadata/plans.ts';

/** A document as a server has it, and by what the server's methods call the entry. */
export type Here<D = ContentDocument> = { readonly document: D; readonly id: string | number };

/** What a server calls another entry; undefined while it has none of that name. */
export type IdOf = (kind: string, key: string) => string | number | undefined;

/** The calls that make an entry what a document says, and what no call can do, in words. */
export type Change = { readonly steps: readonly Step[]; readonly cannot: readonly string[] };

/** A kind of common content as the API has it. Its verbs give calls, which others make. */
export type ContentKind<D> = {
  readonly kind: string;
  readonly schema: z.ZodType<D>;
  /** Everything of the kind that is the organisation's own, by its key. */
  read(ask: Ask): Promise<readonly (readonly [key: string, Here<unknown>])[]>;
  /** Makes it. What these calls cannot give it follows by `change`. */
  create(key: string, wanted: D): readonly Step[];
  change(key: string, here: Here<D>, wanted: D, idOf: IdOf): Change;
  remove(key: string, here: Here<D>): readonly Step[];
  /** Whether others of its kind may need it, so that it is made before them and removed after them. */
  isFirst?(document: D): boolean;
};

/** A kind whose documents are known as JSON alone, so that kinds of every form stand in one list. */
export type AnyContentKind = {
  readonly kind: string;
  read(ask: Ask): Promise<ReadonlyMap<string, Here>>;
  /** A document in its normal form; undefined for one of another form. */
  normal(document: unknown): ContentDocument | undefined;
  create(key: string, wanted: ContentDocument): readonly Step[];
  change(key: string, here: Here, wanted: ContentDocument, idOf: IdOf): Change;
  remove(key: string, here: Here): readonly Step[];
  isFirst(document: ContentDocument): boolean;
};

/** A kind as one of the list. Its documents go through its schema on the way in and out. */
export function aContentKind<D extends object>(given: ContentKind<D>): AnyContentKind {
  const { kind, schema, isFirst } = given;
  const known = (key: string, document: unknown): ContentDocument => {
    const read = schema.safeParse(document);
    if (read.success) return inNormalForm(read.data);
    const { path, message } = read.error.issues[0] ?? { path: [], message: 'not valid' };
    throw new ReadRefused(`${kind} ${key}, ${path.join('.')}: ${message}`);
  };
  const typed = ({ document, id }: Here): Here<D> => ({ document: schema.parse(document), id });
  return {
    kind,
    read: async (ask) => {
      const has = new Map<string, Here>();
      for (const [key, { document, id }] of await given.read(ask)) {
        if (has.has(key)) throw new ReadRefused(`${kind} ${key} is there twice, as ${has.get(key)?.id} and ${id}: remove one of them`);
        has.set(key, { document: known(key, document), id });
      }
      return has;
    },
    normal: (document) => {
      const read = schema.safeParse(document);
      return read.success ? inNormalForm(read.data) : undefined;
    },
    create: (key, wanted) => given.create(key, schema.parse(wanted)),
    change: (key, here, wanted, idOf) => given.change(key, typed(here), schema.parse(wanted), idOf),
    remove: (key, here) => given.remove(key, typed(here)),
    isFirst: (document) => isFirst?.(schema.parse(document)) ?? false,
  };
}

/** The text of a field that a server may leave out or give as null. */
export const Text = z
  .string()
  .nullish()
  .transform((text) => text ?? '');

/** What the lists of a server have of entries that are read one by one, or only named. */
export const Labels = z.array(z.object({ label: z.string() }));

/** What of some values is not among others. */
export const without = <T>(all: readonly T[], some: readonly T[]): T[] =>
  all.filter((one) => !some.some((other) => isSameJson(one, other)));

/** A call, unless there is nothing to say in it. */
export const when = (is: boolean, what: string, method: string, values: Values): Step[] => (is ? [{ what, method, values }] : []);
