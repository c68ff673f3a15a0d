import * as z from 'zod';
import { Moment } from '../api/moment.ts';
import { listOf, paged } from '../api/page.ts';
import { route } from '../api/route.ts';
import { Fingerprint, Fqdn, NodeId, Tag, ZoneName } from '../core/ids.ts';

/** Another key that says the same machine id. */
const SameMachineIdKey = z.strictObject({
  fp: z.string(),
  fingerprint: z.string(),
  /** It came before this one. */
  first: z.boolean(),
  fqdn: Fqdn,
  status: z.enum(['new', 'onboarded', 'orphan', 'deleted']),
  zone: ZoneName.optional(),
  seenAt: Moment,
});

export type SameMachineIdKey = z.infer<typeof SameMachineIdKey>;

/**
 * A client system as the API and the CLI show it; `fingerprint` in hex pairs with colons, as its administrator compares
 * it.
 */
export const SystemView = z.strictObject({
  fp: z.string(),
  fingerprint: z.string(),
  fqdn: Fqdn,
  machineId: z.string(),
  status: z.enum(['new', 'onboarded', 'orphan', 'deleted']),
  because: z.string(),
  /** The zone that it is of; of one that waits to be accepted, the zone that it asks for. */
  zone: ZoneName.optional(),
  /** The node it was told; `confirmed` once the daemon or the node's digest said so. */
  node: z.strictObject({ id: NodeId, fqdn: Fqdn.optional(), at: Moment, confirmed: z.boolean() }).optional(),
  tags: z.array(Tag),
  groups: z.array(Tag),
  suggestedTags: z.array(Tag),
  minion: z.strictObject({ id: z.string(), fingerprint: z.string() }).optional(),
  /**
   * The node it is pinned to, and how that stands; `hard`: it waits for this node and no other. Absent when it goes by
   * its slot.
   */
  pin: z.strictObject({ fqdn: Fqdn.optional(), hard: z.boolean(), standing: z.string() }).optional(),
  /** Why it stays where it is although its node is away; absent when it is not held. */
  held: z.string().optional(),
  /** Until when it waits to be told its next node: one after another, as fast as that node admits. */
  turnAt: Moment.optional(),
  /** Nobody has shown to hold the key: all its knocks were unsigned. */
  unsigned: z.literal(true).optional(),
  /**
   * Other keys say the same machine id: a clone, or the same machine installed anew. `held`: it waits in the onboarding
   * pool until it is accepted with `duplicates`. `keys` are those that the caller may see, and that are not forgotten.
   * A Muster from before does not say.
   */
  sameMachineId: z.strictObject({ held: z.boolean(), because: z.string(), keys: z.array(SameMachineIdKey) }).optional(),
  facts: z.record(z.string(), z.string()),
  firstSeenAt: Moment,
  seenAt: Moment,
});

export type SystemView = z.infer<typeof SystemView>;

const system = z.strictObject({ fp: Fingerprint });
/** At most 200 client systems a call; each has its own result. */
const many = z.array(Fingerprint).min(1).max(200);
/**
 * What became of each; `busy`: nothing was done to it, and the same may be tried again; `full`: its zone has no room
 * for it; `duplicate`: another key said its machine id first, so that it is accepted only where `duplicates` says so.
 */
const results = z.strictObject({
  results: z.array(
    z.strictObject({
      fp: z.string(),
      done: z.boolean(),
      busy: z.literal(true).optional(),
      full: z.literal(true).optional(),
      duplicate: z.literal(true).optional(),
      because: z.string(),
    }),
  ),
});

/** What is added to the tags or groups of client systems, and what is taken away. */
const labels = z
  .strictObject({ add: z.array(Tag).max(64).default([]), remove: z.array(Tag).max(64).default([]) })
  .refine(({ add, remove }) => !add.some((one) => remove.includes(one)), { error: 'added and taken away at once', path: ['remove'] });

/** What administrators and automation do with client systems. */
export const adminSystemRoutes = {
  listSystems: route({
    method: 'GET',
    path: '/api/v1/systems',
    summary: 'Client systems by status, zone, node or tag; a page may be short while more follow',
    scope: 'read',
    query: z.strictObject({
      status: z.enum(['new', 'onboarded', 'orphan', 'deleted']).optional(),
      /** Only those that are kept for a node which is away. */
      held: z.literal('yes').optional(),
      zone: ZoneName.optional(),
      node: z.union([NodeId, Fqdn]).optional(),
      tag: Tag.optional(),
      /** Only those that are pinned to a node. */
      pinned: z.literal('yes').optional(),
      /**
       * The first hex digits of fingerprints, 8 or more: finds a system by what an administrator has read off a screen.
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
  getSystem: route({
    method: 'GET',
    path: '/api/v1/systems/{fp}',
    summary: 'One client system, by either of its fingerprints',
    scope: 'read',
    params: system,
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
      'Add and take away tags and groups of accepted client systems: of those named, or of all that are so, 200 a call; `next` is there when more may follow. Safe to repeat',
    scope: 'operate',
    body: z
      .strictObject({
        systems: many.optional(),
        /**
         * All accepted ones of a zone that are so, in fingerprint order; of the zone `default` unless a zone or node is
         * given.
         */
        where: z
          .strictObject({
            zone: ZoneName.optional(),
            node: z.union([NodeId, Fqdn]).optional(),
            tag: Tag.optional(),
            status: z.enum(['onboarded', 'orphan']).optional(),
          })
          .refine((where) => Object.keys(where).length > 0, 'which ones')
          .optional(),
        tags: labels.default({ add: [], remove: [] }),
        groups: labels.default({ add: [], remove: [] }),
        /** Only say what would become of each. */
        dryRun: z.boolean().default(false),
        /** From the answer before; the rest of the call is the same. */
        cursor: z.string().max(500).optional(),
      })
      .refine(({ systems, where }) => (systems === undefined) !== (where === undefined), {
        error: 'either systems or where',
        path: ['where'],
      }),
    reply: results.extend({ next: z.string().optional() }),
    statuses: [200],
    errors: ['bad-cursor', 'unknown-zone', 'unknown-node'],
  }),
  pinSystems: route({
    method: 'POST',
    path: '/api/v1/systems/pin',
    summary:
      'Pin accepted client systems to a node of their zone, wherever their slots go: they wait for that node, or with `soft` are elsewhere while it is away. Safe to repeat',
    scope: 'operate',
    body: z.strictObject({
      systems: many,
      node: z.union([NodeId, Fqdn]),
      /** They go by their slots while the node is away, and come back to it. */
      soft: z.boolean().default(false),
    }),
    reply: results,
    statuses: [200],
    errors: ['unknown-node', 'unknown-zone', 'refused'],
  }),
  unpinSystems: route({
    method: 'POST',
    path: '/api/v1/systems/unpin',
    summary: 'Pin client systems no more: they go by their slots. Safe to repeat',
    scope: 'operate',
    body: z.strictObject({ systems: many }),
    reply: results,
    statuses: [200],
    errors: ['unknown-zone'],
  }),
  accept: route({
    method: 'POST',
    path: '/api/v1/systems/accept',
    summary: 'Accept keys from the onboarding pool into a zone, with tags and groups',
    scope: 'operate',
    body: z.strictObject({
      systems: many,
      zone: ZoneName.optional(),
      tags: z.array(Tag).max(64).default([]),
      groups: z.array(Tag).max(64).default([]),
      /**
       * How many of the same bulk were accepted by calls before this one: those of this call are told their nodes after
       * them.
       */
      earlier: z.int().min(0).max(10_000_000).default(0),
      /** Also those of whose machine id another key came first: somebody has looked at each of them. */
      duplicates: z.literal(true).optional(),
    }),
    reply: results,
    statuses: [200],
    errors: ['unknown-zone'],
  }),
  unregister: route({
    method: 'POST',
    path: '/api/v1/systems/unregister',
    summary: 'Take client systems off their nodes; their keys stay accepted, and they find a place again',
    scope: 'operate',
    body: z.strictObject({ systems: many }),
    reply: results,
    statuses: [200],
    errors: [],
  }),
  ban: route({
    method: 'POST',
    path: '/api/v1/systems/ban',
    summary: 'Ban fingerprints, for ever',
    scope: 'security',
    body: z.strictObject({ systems: many }),
    reply: results,
    statuses: [200],
    errors: [],
  }),
} as const;
