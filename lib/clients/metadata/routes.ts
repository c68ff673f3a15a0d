import * as z from 'zod';
import { Moment } from '../../api/moment.ts';
import { route } from '../../api/route.ts';
import { Fingerprint, MetadataKind } from '../../core/ids.ts';

/** A document about a client system: an object or a list, with any content. */
export const MetadataDocument = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())]);
/** The entries to append to a history, the oldest first. */
export const MetadataEntries = z.array(z.record(z.string(), z.unknown())).min(1).max(100);

const system = z.strictObject({ fp: Fingerprint });
const kindOf = z.strictObject({ fp: Fingerprint, kind: MetadataKind });
/** The result; the revision is that of the kind, or of its removal. */
const done = z.strictObject({ kind: MetadataKind, revision: z.int().positive(), because: z.string() });

/** The metadata of client systems, stored here so that it survives the node: the Metastore. */
export const metadataRoutes = {
  listMetadata: route({
    method: 'GET',
    path: '/api/v1/systems/{fp}/metadata',
    summary: 'The kinds of metadata that a client system has, with their revisions',
    scope: 'read',
    params: system,
    reply: z.strictObject({
      /** Grows with each change of any kind, removals included. */
      revision: z.int().nonnegative(),
      items: z.array(
        z.strictObject({
          kind: MetadataKind,
          revision: z.int().positive(),
          bytes: z.int().nonnegative(),
          at: Moment,
          /** Whether it is a history that is appended to. */
          appended: z.boolean(),
        }),
      ),
    }),
    statuses: [200],
    errors: ['unknown-system'],
  }),
  getMetadata: route({
    method: 'GET',
    path: '/api/v1/systems/{fp}/metadata/{kind}',
    summary: 'One document about a client system, or all stored entries of a history',
    scope: 'read',
    params: kindOf,
    reply: z.strictObject({ kind: MetadataKind, revision: z.int().positive(), at: Moment, document: MetadataDocument }),
    statuses: [200],
    errors: ['unknown-system', 'unknown-metadata'],
    etag: true,
  }),
  putMetadata: route({
    method: 'PUT',
    path: '/api/v1/systems/{fp}/metadata/{kind}',
    summary: 'Store a document about an accepted client system in place of the present one, and notify its node',
    scope: 'operate',
    params: kindOf,
    body: z.strictObject({ document: MetadataDocument }),
    reply: done,
    statuses: [200],
    errors: ['unknown-system', 'version-conflict', 'refused'],
    etag: true,
  }),
  appendMetadata: route({
    method: 'POST',
    path: '/api/v1/systems/{fp}/metadata/{kind}',
    summary: 'Append to a history of an accepted client system, such as its actions. Beyond 256 KB the oldest entries are dropped',
    scope: 'operate',
    params: kindOf,
    body: z.strictObject({ entries: MetadataEntries }),
    reply: done,
    statuses: [200],
    errors: ['unknown-system', 'refused'],
  }),
  deleteMetadata: route({
    method: 'DELETE',
    path: '/api/v1/systems/{fp}/metadata/{kind}',
    summary: 'Remove a document or a history of a client system',
    scope: 'operate',
    params: kindOf,
    reply: done,
    statuses: [200],
    errors: ['unknown-system', 'unknown-metadata', 'version-conflict', 'refused'],
    etag: true,
  }),
} as const;
