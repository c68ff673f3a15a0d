import * as z from 'zod';
import { reportId } from '../../../events/define.ts';
import { route } from '../../api/route.ts';
import { signatureProblems } from '../../api/signature-problems.ts';
import { Fingerprint, MetadataKind, NodeId } from '../../core/ids.ts';
import { MetadataDocument, MetadataEntries } from './routes.ts';

const ofSystem = z.strictObject({ id: NodeId, fp: Fingerprint });
const ofKind = z.strictObject({ id: NodeId, fp: Fingerprint, kind: MetadataKind });
/** The revision that a document has now. */
const reported = z.strictObject({ revision: z.int().positive() });
const reportProblems = [
  ...signatureProblems,
  'nonce-reused',
  'unknown-node',
  'must-rejoin',
  'removed',
  'unknown-system',
  'not-owner',
  'refused',
] as const;

/** Metadata of client systems, as the agent of their node reads and reports it. */
export const nodeMetadataRoutes = {
  systemMetadata: route({
    method: 'GET',
    path: '/nodes/{id}/systems/{fp}/metadata',
    summary: 'The metadata of a client system of the node, for its agent to apply',
    scope: 'node',
    params: ofSystem,
    reply: z.strictObject({
      /** The revision that the documents have at least: they are read after it. */
      revision: z.int().nonnegative(),
      kinds: z.record(MetadataKind, z.strictObject({ revision: z.int().positive(), document: MetadataDocument })),
    }),
    statuses: [200],
    errors: [...signatureProblems, 'unknown-node', 'removed', 'unknown-system', 'not-owner'],
  }),
  reportMetadata: route({
    method: 'PUT',
    path: '/nodes/{id}/systems/{fp}/metadata/{kind}',
    summary: 'Report a document about a client system that is assigned to this node, in place of the present one',
    scope: 'node',
    params: ofKind,
    body: z.strictObject({ generation: z.int().nonnegative(), document: MetadataDocument }),
    reply: reported,
    statuses: [200],
    errors: reportProblems,
  }),
  reportHistory: route({
    method: 'POST',
    path: '/nodes/{id}/systems/{fp}/metadata/{kind}',
    summary: 'Append to a history of a client system that is assigned to this node. Repeating the last report, by its id, appends nothing',
    scope: 'node',
    params: ofKind,
    body: z.strictObject({ id: reportId, generation: z.int().nonnegative(), entries: MetadataEntries }),
    reply: reported,
    statuses: [200],
    errors: reportProblems,
  }),
} as const;
