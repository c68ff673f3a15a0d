import * as z from 'zod';
import { Incarnation } from '../../../events/define.ts';
import { route } from '../../api/route.ts';
import { signatureProblems } from '../../api/signature-problems.ts';
import { NodeId } from '../../core/ids.ts';
import { ContentDone } from '../../nodes/desired/desired.ts';
import { BlobName, blobBytesMax, manifestBlobsMax } from '../../uyuni/content/blob.ts';

const errors = [...signatureProblems, 'unknown-node', 'send-node-up', 'must-rejoin', 'removed'] as const;
const blob = z.strictObject({ id: NodeId, blob: BlobName });
/** Bytes in base64, as a call can take. */
const Bytes = z.strictObject({ bytes: z.base64().max(Math.ceil(blobBytesMax / 3) * 4) });

/** What an agent says became of an order about common content. */
export const ContentOutcome = z.discriminatedUnion('is', [
  z.strictObject({
    is: z.literal('exported'),
    root: z.string().max(64),
    entries: z.int().nonnegative(),
    manifest: z.array(BlobName).min(1).max(manifestBlobsMax),
  }),
  z.strictObject({ is: z.literal('applied'), root: z.string().max(64), counts: ContentDone.shape.counts.unwrap() }),
  z.strictObject({ is: z.literal('failed'), counts: ContentDone.shape.counts, why: ContentDone.shape.why.min(1) }),
]);
export type ContentOutcome = z.infer<typeof ContentOutcome>;

/** What agents of Uyuni servers do about revisions of common content. */
export const contentNodeRoutes = {
  readContentBlob: route({
    method: 'GET',
    path: '/nodes/{id}/content/blobs/{blob}',
    summary: 'Read a part of a revision of the common content of the zone, by the SHA-256 of its bytes',
    scope: 'node',
    params: blob,
    reply: Bytes,
    statuses: [200],
    errors: [...errors, 'not-found'],
  }),
  storeContentBlob: route({
    method: 'PUT',
    path: '/nodes/{id}/content/blobs/{blob}',
    summary: 'Store a part of the common content of the node, which an operator has it read. Safe to repeat',
    scope: 'node',
    params: blob,
    body: Bytes,
    reply: z.strictObject({ stored: z.literal(true) }),
    statuses: [200],
    errors: [...errors, 'refused'],
  }),
  reportContent: route({
    method: 'POST',
    path: '/nodes/{id}/content',
    summary: 'Report what became of an order about common content. Safe to repeat',
    scope: 'node',
    params: z.strictObject({ id: NodeId }),
    body: z.strictObject({ incarnation: Incarnation, order: z.string().min(1).max(100), outcome: ContentOutcome }),
    /** Whether the report is what the order waits for; another order came since if not. */
    reply: z.strictObject({ taken: z.boolean(), because: z.string() }),
    statuses: [200],
    errors: [...errors, 'refused'],
  }),
} as const;
