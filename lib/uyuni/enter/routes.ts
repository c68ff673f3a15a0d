import * as z from 'zod';
import { Moment } from '../../api/moment.ts';
import { route } from '../../api/route.ts';
import { Fqdn, NodeId } from '../../core/ids.ts';
import { EnterPath, usualPath } from './rows/path.ts';

/** A node by id or by its fully qualified name. */
const Node = z.union([NodeId, Fqdn]);
const path = EnterPath.default(usualPath);

/** How a person who is signed in to Muster enters a Uyuni server without signing in there. */
export const enterRoutes = {
  enterNode: route({
    method: 'POST',
    path: '/api/v1/nodes/{id}/enter',
    summary:
      'A ticket by which the caller enters the Uyuni server of the node, once and within 30 s: a form posts it to `action` in the field `ticket`. The server maps the caller to a login of its own, whose rights there hold',
    scope: 'read',
    params: z.strictObject({ id: Node }),
    body: z.strictObject({ path }),
    reply: z.strictObject({ action: z.url(), ticket: z.string(), expiresAt: Moment }),
    statuses: [201],
    errors: ['unknown-node', 'refused'],
    secret: true,
  }),
  enterByForm: route({
    method: 'GET',
    path: '/api/v1/nodes/{id}/enter',
    summary:
      'The same as a document, which leads a browser on to the server by a form. A session cookie counts only where the page of this deployment leads here',
    scope: 'read',
    params: z.strictObject({ id: Node }),
    query: z.strictObject({ path }),
    reply: z.string(),
    replyType: 'text/html',
    statuses: [200],
    errors: ['unknown-node', 'refused'],
    secret: true,
  }),
} as const;
