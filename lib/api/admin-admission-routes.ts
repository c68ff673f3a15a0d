import * as z from 'zod';
import { Cidr } from '../admission/cidr.ts';
import { NamePattern } from '../admission/pattern.ts';
import { AdmissionRule, RuleName } from '../admission/rules.ts';
import { Fingerprint, Fqdn, ZoneName } from '../ids.ts';
import { TokenId, usesMax } from '../join-tokens/join-token.ts';
import { NodeKind } from '../nodes/node.ts';
import { listOf, paged } from './page.ts';
import { route } from './route.ts';
import { Moment, NodeTokenView, PooledHostView } from './views.ts';

/** Hosts in the pool, each by the fingerprint of its key, or by its name where only one host waits under it. */
const hosts = z
  .array(z.union([Fingerprint, Fqdn]))
  .min(1)
  .max(100);
/**
 * What became of each: one that could not be helped says why and stops nobody else. `busy`: the same may be tried again; `needs`: it is done
 * once that is said with it.
 */
const results = z.strictObject({
  results: z.array(
    z.strictObject({
      host: z.string(),
      done: z.boolean(),
      busy: z.literal(true).optional(),
      needs: z.literal('anyWatch').optional(),
      because: z.string(),
    }),
  ),
});
/** Whether hosts may be watched at any address: without it under their name, or at the address that they call from. */
const anyWatch = z.boolean().default(false);
const ruleList = z.strictObject({ rules: z.array(AdmissionRule) });

/** How hosts become nodes: tokens, the pool, and rules. */
export const adminAdmissionRoutes = {
  createNodeToken: route({
    method: 'POST',
    path: '/api/v1/node-tokens',
    summary:
      'Make a token by which a host becomes a node: for one name once, within an hour at the most; or for a pattern of names, so often, within a year. The secret is in this answer only',
    scope: 'admin',
    body: z.strictObject({
      nodes: NamePattern,
      kind: NodeKind.default('uyuni'),
      zone: ZoneName.optional(),
      uses: z.int().positive().max(usesMax).default(1),
      expiresAt: Moment.optional(),
      cidr: Cidr.optional(),
      anyWatch,
    }),
    reply: z.strictObject({ secret: z.string(), token: NodeTokenView }),
    statuses: [201],
    errors: ['unknown-zone', 'invalid'],
    secret: true,
  }),
  listNodeTokens: route({
    method: 'GET',
    path: '/api/v1/node-tokens',
    summary: 'Join tokens, those that ended within the last month too',
    scope: 'read',
    query: z.strictObject(paged),
    reply: listOf(NodeTokenView),
    statuses: [200],
    errors: ['bad-cursor'],
  }),
  revokeNodeToken: route({
    method: 'POST',
    path: '/api/v1/node-tokens/{id}/revoke',
    summary: 'Revoke a join token; the nodes that it let in stay',
    scope: 'admin',
    params: z.strictObject({ id: TokenId }),
    body: z.strictObject({}).default({}),
    reply: NodeTokenView,
    statuses: [200],
    errors: ['unknown-token'],
  }),
  listNodePool: route({
    method: 'GET',
    path: '/api/v1/node-pool',
    summary:
      'Hosts that asked to be nodes, and that no token or rule let in, and dropped nodes that ask to come back; for callers limited to zones, those of these zones',
    scope: 'read',
    query: z.strictObject(paged),
    reply: listOf(PooledHostView),
    statuses: [200],
    errors: ['bad-cursor'],
  }),
  admitHosts: route({
    method: 'POST',
    path: '/api/v1/node-pool/admit',
    summary: 'Admit hosts from the pool, and those that were removed or wait to come back: their next join makes them nodes',
    scope: 'operate',
    body: z.strictObject({ hosts, zone: ZoneName.optional(), kind: NodeKind.optional(), anyWatch }),
    reply: results,
    statuses: [200],
    errors: ['unknown-zone'],
  }),
  rejectHosts: route({
    method: 'POST',
    path: '/api/v1/node-pool/reject',
    summary:
      'Send hosts in the pool away, dropped nodes that ask to come back too: they stay out until they are admitted, or have a newer token',
    scope: 'operate',
    body: z.strictObject({ hosts }),
    reply: results,
    statuses: [200],
    errors: [],
  }),
  listAdmissionRules: route({
    method: 'GET',
    path: '/api/v1/admission-rules',
    summary: 'The rules that admit hosts without a token, in the order in which they are asked',
    scope: 'read',
    reply: ruleList,
    statuses: [200],
    errors: [],
  }),
  addAdmissionRule: route({
    method: 'POST',
    path: '/api/v1/admission-rules',
    summary: 'Admit hosts by name, network and kind, any number or so many; replaces the rule of this name',
    scope: 'admin',
    body: AdmissionRule.extend({ zone: ZoneName.optional() }),
    reply: ruleList,
    statuses: [200],
    errors: ['unknown-zone', 'refused'],
  }),
  deleteAdmissionRule: route({
    method: 'POST',
    path: '/api/v1/admission-rules/{name}/delete',
    summary: 'Delete a rule; the nodes that it let in stay',
    scope: 'admin',
    params: z.strictObject({ name: RuleName }),
    body: z.strictObject({}).default({}),
    reply: ruleList,
    statuses: [200],
    errors: ['unknown-rule'],
  }),
} as const;
