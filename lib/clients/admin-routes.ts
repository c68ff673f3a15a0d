import * as z from 'zod';
import { Moment } from '../api/moment.ts';
import { listOf, paged } from '../api/page.ts';
import { route } from '../api/route.ts';
import { ClusterId, ClusterIdText, Fingerprint, Fqdn, NodeId, Tag, ZoneName } from '../core/ids.ts';
import { Expect, orderOn, queryTextMax, Results } from './selection-routes.ts';

/** Another key that reports the same machine id, or the same name. */
const SameMachineIdKey = z.strictObject({
  fp: z.string(),
  fingerprint: z.string(),
  /** It knocked before this one. */
  first: z.boolean(),
  fqdn: Fqdn,
  status: z.enum(['new', 'onboarded', 'orphan', 'deleted']),
  zone: ZoneName.optional(),
  seenAt: Moment,
});

export type SameMachineIdKey = z.infer<typeof SameMachineIdKey>;

const SharedView = z.strictObject({ held: z.boolean(), because: z.string(), keys: z.array(SameMachineIdKey) });

/**
 * A client system as the API and the CLI show it. `fingerprint` is in hex pairs with colons, the form in which an
 * administrator compares it.
 */
export const SystemView = z.strictObject({
  fp: z.string(),
  fingerprint: z.string(),
  fqdn: Fqdn,
  machineId: z.string(),
  status: z.enum(['new', 'onboarded', 'orphan', 'deleted']),
  because: z.string(),
  /** Its zone; while it waits to be accepted, the zone that it asks for. */
  zone: ZoneName.optional(),
  /** The address of its page on the node it is assigned to; absent if the node has none, or needs a value it lacks. */
  page: z.string().optional(),
  /** The node it is assigned to. `confirmed` becomes true once its daemon or the node's digest confirms it. */
  node: z.strictObject({ id: NodeId, fqdn: Fqdn.optional(), at: Moment, confirmed: z.boolean() }).optional(),
  /**
   * Its id for tools of Uyuni, unique over all servers, and for life. One that an earlier version of Muster accepted,
   * and that has not knocked since, has none. Earlier versions omit this field.
   */
  clusterId: ClusterId.optional(),
  /**
   * Its number on the Uyuni server that it is on, as far as Muster knows it: it was adopted with that server. Earlier
   * versions of Muster omit this field.
   */
  numberThere: z.int().optional(),
  tags: z.array(Tag),
  groups: z.array(Tag),
  suggestedTags: z.array(Tag),
  /**
   * Its Salt minion. `ofText`: the fingerprint as `salt-key -f` of Salt 3008 prints it. Either finds the client system.
   * Earlier versions of Muster omit it.
   */
  minion: z.strictObject({ id: z.string(), fingerprint: z.string(), ofText: z.string().optional() }).optional(),
  /**
   * The node it is pinned to, and the state of that node. `hard`: it waits for this node and no other. Absent when it
   * goes by its slot.
   */
  pin: z.strictObject({ fqdn: Fqdn.optional(), hard: z.boolean(), standing: z.string() }).optional(),
  /** Why it stays on its node although that is away; absent when it is not held. */
  held: z.string().optional(),
  /** When its turn at its next node comes: the node admits client systems one after another, at its own rate. */
  turnAt: Moment.optional(),
  /** No knock was ever signed, so no machine has proved that it holds the key. */
  unsigned: z.literal(true).optional(),
  /**
   * Other keys report the same machine id: the machine is a clone, or was reinstalled. `held`: it waits in the
   * onboarding pool until it is accepted with `duplicates`. `keys` are those that the caller can see and that have not
   * expired. Earlier versions of Muster omit this field.
   */
  sameMachineId: SharedView.optional(),
  /**
   * Other keys report the same name: the machine was reinstalled, or two machines have one name. Otherwise as
   * `sameMachineId`. `noName`: the name names no machine, such as `localhost.localdomain`. Earlier versions of Muster
   * omit this field.
   */
  sameName: SharedView.extend({ noName: z.literal(true).optional() }).optional(),
  /**
   * Since when its node no longer sees it and it has not called. Its status does not change by it. Earlier versions of
   * Muster omit this field.
   */
  silentSince: Moment.optional(),
  /**
   * While it waits: why its last onboarding token does not accept it. Absent if it brought none; earlier versions of
   * Muster omit this field.
   */
  tokenRefused: z.string().optional(),
  /**
   * Two machines run with its key, since when that was found, and when the earlier boot of its daemon last spoke. It
   * stays on its node and is given no other until it is settled. Earlier versions of Muster omit this field.
   */
  copied: z.strictObject({ since: Moment, lastAt: Moment, because: z.string() }).optional(),
  facts: z.record(z.string(), z.string()),
  firstSeenAt: Moment,
  seenAt: Moment,
  /**
   * When it was accepted, and who did: `admin:` with a subject, `key:` or `token:` with an id. Earlier versions of
   * Muster omit this field.
   */
  accepted: z.strictObject({ at: Moment, by: z.string().optional() }).optional(),
});

export type SystemView = z.infer<typeof SystemView>;

/**
 * How many client systems there are, by status. `new` wait to be accepted, and `held` of them until an administrator
 * has looked at them, because another key reported their machine id or name first. `silent`: their node no longer sees
 * them.
 */
export const SystemCounts = z.strictObject({
  new: z.int(),
  onboarded: z.int(),
  orphan: z.int(),
  deleted: z.int(),
  held: z.int(),
  silent: z.int(),
});
export type SystemCounts = z.infer<typeof SystemCounts>;

/** The most frequent tags or groups, at most 50, and how many more there are. */
export const LabelCounts = z.strictObject({ values: z.array(z.strictObject({ value: Tag, count: z.int() })), more: z.int() });
export type LabelCounts = z.infer<typeof LabelCounts>;

const system = z.strictObject({ fp: Fingerprint });
/** The tags or groups to add to client systems, and those to remove. */
const labels = z
  .strictObject({ add: z.array(Tag).max(64).default([]), remove: z.array(Tag).max(64).default([]) })
  .refine(({ add, remove }) => !add.some((one) => remove.includes(one)), {
    error: 'one label is both added and removed',
    path: ['remove'],
  });

/** The routes by which administrators and automation manage client systems. */
export const adminSystemRoutes = {
  listSystems: route({
    method: 'GET',
    path: '/api/v1/systems',
    summary: 'Client systems by status, zone, node or tag; a page may be short while more follow',
    scope: 'read',
    query: z.strictObject({
      status: z.enum(['new', 'onboarded', 'orphan', 'deleted']).optional(),
      /** Only those that are held for a node that is away. */
      held: z.literal('yes').optional(),
      zone: ZoneName.optional(),
      node: z.union([NodeId, Fqdn]).optional(),
      tag: Tag.optional(),
      /** Only those that are pinned to a node. */
      pinned: z.literal('yes').optional(),
      /**
       * The first hex digits of fingerprints, 8 or more. Finds a system by the digits that an administrator read off a
       * screen.
       */
      prefix: z
        .string()
        .regex(/^[0-9a-f]{8,64}$/, '8 to 64 lower-case hex digits')
        .optional(),
      ...paged,
    }),
    reply: listOf(SystemView),
    statuses: [200],
    errors: ['bad-cursor', 'unknown-zone', 'unknown-node'],
  }),
  findSystems: route({
    method: 'GET',
    path: '/api/v1/systems/find',
    summary: 'Client systems that match a query, in all zones that the caller may see (docs/search.md)',
    scope: 'read',
    query: z.strictObject({
      q: z.string().max(queryTextMax).default(''),
      /** The order: by name, by when they were last seen or registered, or by fingerprint. */
      sort: z.enum(['name', 'seen', 'registered', 'fp']).default('name'),
      /** The last first. */
      down: z.literal('yes').optional(),
      /** Fields whose most frequent values are counted over all that match, separated by commas. */
      facets: z
        .string()
        .regex(/^(status|zone|node|tag|group|os|arch)(,(status|zone|node|tag|group|os|arch))*$/, 'fields with facets, separated by commas')
        .optional(),
      /** Also answer `expect`, for an order by the same query. */
      expect: z.literal('yes').optional(),
      ...paged,
      limit: z.coerce.number().int().min(0).max(200).default(50),
    }),
    reply: listOf(SystemView).extend({
      /** How many match, exactly. */
      total: z.int(),
      /** Absent when it was not asked for, and when more match than an order takes: 100,000. */
      expect: Expect.optional(),
      /** Everything that was published before this moment was searched. */
      asOf: Moment,
      /** The query as it was read. */
      query: z.string(),
      /** How each term was found, in the order of evaluation, and how many client systems it found there. */
      plan: z.array(z.strictObject({ column: z.int(), term: z.string(), way: z.string(), hits: z.int() })),
      facets: z.array(
        z.strictObject({ field: z.string(), distinct: z.int(), values: z.array(z.strictObject({ value: z.string(), count: z.int() })) }),
      ),
    }),
    statuses: [200],
    errors: ['bad-query', 'bad-cursor'],
  }),
  getSystem: route({
    method: 'GET',
    path: '/api/v1/systems/{fp}',
    summary: 'One client system, by either of its fingerprints, or by its cluster id: a number of at most ten digits',
    scope: 'read',
    params: z.strictObject({ fp: z.union([Fingerprint, ClusterIdText]) }),
    reply: SystemView,
    statuses: [200],
    errors: ['unknown-system'],
    etag: true,
  }),
  editSystem: route({
    method: 'PATCH',
    path: '/api/v1/systems/{fp}',
    summary: 'Set tags or groups of an accepted client system',
    scope: 'operate',
    params: system,
    body: z.strictObject({ tags: z.array(Tag).max(64).optional(), groups: z.array(Tag).max(64).optional() }),
    reply: SystemView,
    statuses: [200],
    errors: ['unknown-system', 'version-conflict', 'refused'],
    etag: true,
  }),
  editSystems: route({
    method: 'POST',
    path: '/api/v1/systems/edit',
    summary:
      'Add and remove tags and groups of accepted client systems: those named, or all that match a query or conditions, 200 per call. `next` is present when more may follow. Safe to repeat',
    scope: 'operate',
    body: orderOn({
      /**
       * All accepted client systems of a zone that match, in fingerprint order. The zone is `default` unless a zone or
       * node is given.
       */
      where: z
        .strictObject({
          zone: ZoneName.optional(),
          node: z.union([NodeId, Fqdn]).optional(),
          tag: Tag.optional(),
          status: z.enum(['onboarded', 'orphan']).optional(),
        })
        .refine((where) => Object.keys(where).length > 0, 'give at least one condition')
        .optional(),
      tags: labels.default({ add: [], remove: [] }),
      groups: labels.default({ add: [], remove: [] }),
      /** Only report the result that each would have. */
      dryRun: z.boolean().default(false),
    }),
    reply: Results,
    statuses: [200],
    errors: ['bad-cursor', 'bad-query', 'matches-changed', 'unknown-zone', 'unknown-node'],
  }),
  pinSystems: route({
    method: 'POST',
    path: '/api/v1/systems/pin',
    summary:
      'Pin accepted client systems to a node of their zone, whichever node owns their slots. They wait for that node; with `soft` they go elsewhere while it is away. Safe to repeat',
    scope: 'operate',
    body: orderOn({
      node: z.union([NodeId, Fqdn]),
      /** They go by their slots while the node is away, and come back to it. */
      soft: z.boolean().default(false),
    }),
    reply: Results,
    statuses: [200],
    errors: ['bad-cursor', 'bad-query', 'matches-changed', 'unknown-node', 'unknown-zone', 'refused'],
  }),
  unpinSystems: route({
    method: 'POST',
    path: '/api/v1/systems/unpin',
    summary: 'Unpin client systems: they go by their slots again. Safe to repeat',
    scope: 'operate',
    body: orderOn({}),
    reply: Results,
    statuses: [200],
    errors: ['bad-cursor', 'bad-query', 'matches-changed', 'unknown-zone'],
  }),
  accept: route({
    method: 'POST',
    path: '/api/v1/systems/accept',
    summary: 'Accept keys from the onboarding pool into a zone, with tags and groups',
    scope: 'operate',
    body: orderOn({
      zone: ZoneName.optional(),
      tags: z.array(Tag).max(64).default([]),
      groups: z.array(Tag).max(64).default([]),
      /**
       * How many of the same bulk earlier calls accepted. The client systems of this call are assigned their nodes
       * after those.
       */
      earlier: z.int().min(0).max(10_000_000).default(0),
      /**
       * Also accept those whose machine id or name another key reported first, or whose name names no machine: an
       * administrator has checked each of them.
       */
      duplicates: z.literal(true).optional(),
    }),
    reply: Results,
    statuses: [200],
    errors: ['bad-cursor', 'bad-query', 'matches-changed', 'unknown-zone'],
  }),
  unregister: route({
    method: 'POST',
    path: '/api/v1/systems/unregister',
    summary: 'Take client systems off their nodes. Their keys stay accepted, and they are assigned a node again',
    scope: 'operate',
    body: orderOn({}),
    reply: Results,
    statuses: [200],
    errors: ['bad-cursor', 'bad-query', 'matches-changed'],
  }),
  settleSystems: route({
    method: 'POST',
    path: '/api/v1/systems/settle',
    summary:
      'Settle client systems with whose key two machines ran, once one of them alone has it: they are held no longer, and the next boot that speaks is the only one. Safe to repeat',
    scope: 'operate',
    body: orderOn({}),
    reply: Results,
    statuses: [200],
    errors: ['bad-cursor', 'bad-query', 'matches-changed', 'unknown-zone'],
  }),
  replaceSystem: route({
    method: 'POST',
    path: '/api/v1/systems/{fp}/replace',
    summary:
      'Have a key from the onboarding pool take the place of an accepted one: its zone, tags, groups, pin, metadata and cluster id. The old key is banned, for ever. For a machine that was reinstalled; needs the scope operate in the zone too. Safe to repeat',
    scope: 'security',
    params: system,
    body: z.strictObject({ by: Fingerprint }),
    reply: z.strictObject({ done: z.boolean(), because: z.string() }),
    statuses: [200],
    errors: ['unknown-system', 'unknown-zone', 'refused'],
  }),
  ban: route({
    method: 'POST',
    path: '/api/v1/systems/ban',
    summary: 'Ban fingerprints, for ever',
    scope: 'security',
    body: orderOn({}),
    reply: Results,
    statuses: [200],
    errors: ['bad-cursor', 'bad-query', 'matches-changed'],
  }),
} as const;
