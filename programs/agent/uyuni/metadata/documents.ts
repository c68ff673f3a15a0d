import { createHash } from 'node:crypto';
import * as z from 'zod';
import { canonicalJson, inFieldOrder, inOrder } from '../../../../lib/core/json.ts';

/** A document as Muster keeps it. */
export const Document = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]);
export type Document = z.infer<typeof Document>;

/** Text in the order of its code units, each once: the same on every server, whatever its language. */
const sorted = (texts: readonly string[]): string[] => [...new Set(texts)].sort();
/** Texts in order, each once. */
export const Names = z.array(z.string()).transform(sorted);

/** The base channel of a system and the children of it, by their labels; null: it has none. */
export const Channels = z.object({ base: z.string().nullable(), children: Names.default([]) });
export type Channels = z.infer<typeof Channels>;

/** The names of the groups that a system is in. */
export const Groups = Names;

/** A note on a system, without who wrote it: the API writes all notes in the name of the agent's account. */
export const Note = z.object({ subject: z.string(), text: z.string() });
export type Note = z.infer<typeof Note>;
export const Notes = z.array(Note).transform((notes) => notes.toSorted((a, b) => inOrder(a.subject, b.subject) || inOrder(a.text, b.text)));

/** The custom values of a system by the labels of their keys. */
export const CustomValues = z.record(z.string(), z.string());
export type CustomValues = z.infer<typeof CustomValues>;

/** The formulas of a system itself, with the data of each. */
export const Formulas = z.record(z.string(), z.record(z.string(), z.unknown()));
export type Formulas = z.infer<typeof Formulas>;

/** The labels of the configuration channels of a system, the one that counts first at the front. */
export const ConfigurationChannels = z.array(z.string());

/** The fields of a place, in the names of the API. */
export const placeFields = ['address1', 'address2', 'city', 'state', 'country', 'building', 'room', 'rack'] as const;

/** What a person has set on a system; of a document in Muster only the fields that it has are applied. */
export const Settings = z.object({
  name: z.string().optional(),
  description: z.string().optional(),
  locked: z.boolean().optional(),
  autoErrataUpdate: z.boolean().optional(),
  contactMethod: z.string().optional(),
  /** Add-on entitlements; the base entitlement comes with the registration. */
  entitlements: Names.optional(),
  place: z.partialRecord(z.enum(placeFields), z.string()).optional(),
});
export type Settings = z.infer<typeof Settings>;

/** An action that has ended, by what is the same wherever it is read: no number of a server is in it. */
export const ActionEntry = z.object({
  /** The name of the node on which it ran. */
  node: z.string(),
  type: z.string(),
  summary: z.string(),
  status: z.string(),
  completed: z.string(),
});
export type ActionEntry = z.infer<typeof ActionEntry>;

/** A document with the fields of all its objects in order. */
export const inNormalForm = (document: object): Document => Document.parse(inFieldOrder(document));

/** 16 hex digits that tell documents of one system apart: it has few, and nobody gains by making two alike. */
export const digestOf = (document: unknown): string => createHash('sha256').update(canonicalJson(document)).digest('hex').slice(0, 16);
