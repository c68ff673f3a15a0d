import * as z from 'zod';
import { route } from '../../api/route.ts';
import { signatureProblems } from '../../api/signature-problems.ts';
import { Fid } from '../../core/fid.ts';
import { NodeId } from '../../core/ids.ts';
import { DesiredAnswer, DesiredProcess } from './desired.ts';

const id = z.strictObject({ id: NodeId });

/** What a node should run and do, as its agent asks for it. */
export const desiredRoutes = {
  desired: route({
    method: 'GET',
    path: '/nodes/{id}/desired',
    summary: 'What the node should run and do; 304 while the ETag sent with If-None-Match still holds',
    scope: 'node',
    params: id,
    reply: DesiredAnswer,
    statuses: [200, 304],
    errors: [...signatureProblems, 'unknown-node', 'removed'],
    etag: true,
  }),
  processConfiguration: route({
    method: 'GET',
    path: '/nodes/{id}/processes/{fid}/configuration',
    summary: 'The configuration of a process of the node: the file, and the variables in it',
    scope: 'node',
    params: z.strictObject({ id: NodeId, fid: Fid }),
    reply: z.strictObject({ process: Fid, file: z.string(), environment: DesiredProcess.shape.environment }),
    statuses: [200],
    errors: [...signatureProblems, 'unknown-node', 'removed', 'unknown-process', 'not-owner'],
  }),
} as const;
