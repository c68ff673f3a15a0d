import { hash } from 'node:crypto';
import * as z from 'zod';
import { canonicalJson, inFieldOrder, inOrder, isSameJson } from '../../core/json.ts';

/** What a piece of common content is, as JSON. Nothing in it is so on one server alone: no number, no date. */
export const ContentDocument = z.record(z.string(), z.unknown());
export type ContentDocument = z.infer<typeof ContentDocument>;

/** A piece of common content: its kind, its name among those of its kind, the same on every server, and what it is. */
export const ContentEntry = z.strictObject({ kind: z.string().min(1), key: z.string().min(1), document: ContentDocument });
export type ContentEntry = z.infer<typeof ContentEntry>;

/** A document with the fields of all its objects in order. */
export const inNormalForm = (document: object): ContentDocument => ContentDocument.parse(inFieldOrder(document));

/** The SHA-256 of an entry in 64 hex digits: the same whatever the order of its fields. */
export const hashOfEntry = ({ kind, key, document }: ContentEntry): string => hash('sha256', canonicalJson({ kind, key, document }), 'hex');

/** The fields that two documents do not have alike, in order. */
export const differingFields = (a: ContentDocument, b: ContentDocument): string[] =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => !isSameJson(a[name], b[name])).sort(inOrder);
