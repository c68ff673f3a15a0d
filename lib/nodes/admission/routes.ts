import * as z from 'zod';
import { Moment } from '../../api/moment.ts';
import { listOf, paged } from '../../api/page.ts';
import { route } from '../../api/route.ts';
import { Cidr } from '../../core/cidr.ts';
import { Fingerprint, Fqdn, NodeId, ZoneName } from '../../core/ids.ts';
import { TokenId, usesMax } from '../join-tokens/join-token.ts';
import { NodeTokenView } from '../join-tokens/routes.ts';
import { NodeKind } from '../node.ts';
import { NamePattern } from './rows/pattern.ts';
import { AdmissionRule, RuleName } from './rows/rules.ts';

/**
 * A host that asked to be a node, as the API and the CLI show it; `fingerprint` in hex pairs with colons, as its
 * administrator compares it.
 */
export const PooledHostView = z.strictObject({
  fp: z.string(),
  fingerprint: z.string(),
  fqdn: Fqdn,
  kind: NodeKind,
  /** The zone that it asks for, or was admitted into. */
  zone: ZoneName.optional(),
  standing: z.enum(['waiting', 'admitted', 'rejected']),
  because: z.string(),
  /**
   * It is a node that was given up, has flushed and asks to come back; `planned` as in the node's own view. Older
   * versions of Muster do not list these.
   */
  dropped: z.strictObject({ node: NodeId, at: Moment, planned: z.boolean() }).optional(),
  watch: z.string(),
  /** It asks to be watched at an address that is not its own: neither its name nor `source`. */
  foreignWatch: z.literal(true).optional(),
  capacity: z.int().optional(),
  source: z.string(),
  firstSeenAt: Moment,
  /** Written at most hourly. */
  seenAt: Moment,
});

export type PooledHostView = z.infer<typeof PooledHostView>;

/** Hosts in the pool are counted up to this many. */
export const hostsCountedMax = 1_000;

/** Hosts in the pool, each by the fingerprint of its key, or by its name where only one host waits under it. */
const hosts = z
  .array(z.union([Fingerprint, Fqdn]))
  .min(1)
  .max(100);
/**
 * The result of each host: a failure gives its reason and does not stop the others. `busy`: the request may be tried
 * again; `needs`: the option without which it is not done.
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
/**
 * Whether hosts may be watched at any address; without it, only under their name or at the address that they call from.
 */
const anyWatch = z.boolean().default(false);
const ruleList = z.strictObject({ rules: z.array(AdmissionRule) });

/** How hosts become nodes: tokens, the pool, and rules. */
export const adminAdmissionRoutes = {
  createNodeToken: route({
    method: 'POST',
    path: '/api/v1/node-tokens',
    summary:
      'Make a token by which a host becomes a node: for one name, once, within an hour; or for a pattern of names, a number of times, within a year. Only this answer has the secret',
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
    summary: 'Join tokens, including those that ended within the last month',
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
      'Hosts that asked to be nodes and that no token or rule admitted, and dropped nodes that ask to come back; callers limited to zones see those of their zones',
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
      'Reject hosts in the pool, and dropped nodes that ask to come back: they stay out until they are admitted, or have a newer token',
    scope: 'operate',
    body: z.strictObject({ hosts }),
    reply: results,
    statuses: [200],
    errors: [],
  }),
  listAdmissionRules: route({
    method: 'GET',
    path: '/api/v1/admission-rules',
    summary: 'The rules that admit hosts without a token, in the order in which they are checked',
    scope: 'read',
    reply: ruleList,
    statuses: [200],
    errors: [],
  }),
  addAdmissionRule: route({
    method: 'POST',
    path: '/api/v1/admission-rules',
    summary: 'Add a rule that admits hosts by name, network and kind, any number or up to a limit; replaces the rule of this name',
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
