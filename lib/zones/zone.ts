import * as z from 'zod';
import { Fqdn, NodeId, WatchAddress, ZoneName } from '../core/ids.ts';
import { refOf } from '../core/ref.ts';
import { EpochMs } from '../core/time.ts';
import { Crowded } from './capacity/rows/crowded.ts';
import { Guardrails } from './guardrails/guardrails.ts';
import { Budgets } from './placing/rows/budget.ts';
import { Admission, Pace } from './rows/admission.ts';
import { Recovered, Recovering } from './rows/recovering.ts';

/** The name of the zone that exists from the first start. */
export const defaultZone = 'default' as ZoneName;

/** The number of that zone, and the first number that is given. */
export const defaultZoneNumber = 1;

const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array, 'bytes');

/**
 * The head of a zone: every reader reads it and every plan is fenced by it. `version` grows with each change of roster
 * or map. `mapVersion` and `membersVersion` are the versions at which those last changed, so that a refresh reads only
 * the parts that moved.
 */
export const ZoneHead = z.strictObject({
  name: ZoneName,
  /** The zone's number in tokens; never used again for another zone. */
  number: z.int().positive(),
  kind: z.enum(['management', 'storage']),
  mode: z.enum(['production', 'recovery']),
  version: z.int().nonnegative(),
  slots: z.int().positive(),
  mapVersion: z.int().nonnegative(),
  membersVersion: z.int().nonnegative(),
  /** The version at which the turns of moved clients last changed; absent when there never were any. */
  turnsVersion: z.int().nonnegative().optional(),
  roster: Bytes,
  /** Bumped when a backup is restored: tokens of another epoch are invalid. */
  epoch: z.int().nonnegative(),
  /**
   * How long the clients of a node that went down are retained for it before its slots move, in ms; 0 for the default
   * of the node's kind.
   */
  remapAfterMs: z.int().nonnegative(),
  /** An operator wants the slots to move at once. */
  remapAtOnce: z.literal(true).optional(),
  /** In recovery mode: whether clients of a lost node go elsewhere until it is back; absent is `elsewhere`. */
  meanwhile: z.enum(['hold', 'elsewhere']).optional(),
  /**
   * Down nodes whose clients are retained for them, by index: since when, and until when; an absent `until` lasts until
   * the node is back.
   */
  kept: z.array(z.strictObject({ index: z.int().nonnegative(), since: EpochMs, until: EpochMs.optional() })).optional(),
  /**
   * How long it may take from the loss of a node until the last of its clients has its turn elsewhere or with its
   * replacement, in ms.
   */
  rtoMs: z.int().positive().optional(),
  /** The template of the pages of its nodes; see `rows/page.ts`. */
  page: z.string().optional(),
  /** How its nodes admit where their rates adapt; absent: by fixed rates. */
  admission: Admission.optional(),
  /** Losses that are not over, and the most recent ones that are. */
  recovering: z.array(Recovering).optional(),
  recovered: z.array(Recovered).optional(),
  readmit: z.enum(['auto', 'admin']),
  /** Nodes that are still owed a part of their share, by index, because one plan was not allowed to move it all. */
  settling: z.array(z.int().nonnegative()),
  /** Slots that wait because no node has room for them; absent while there are none. */
  crowded: Crowded.optional(),
  /** Client systems are pinned to nodes, or were: a row of pins counts them. */
  pinned: z.literal(true).optional(),
  /**
   * Its stations, to check whether a node is one; absent while the zone has none. What the stations hear is stored in a
   * row of its own.
   */
  stations: z.array(Fqdn).optional(),
  brakes: Guardrails,
  budgets: Budgets,
});
export type ZoneHead = z.infer<typeof ZoneHead>;

/** One page of the map, as of `version`. */
export const MapPage = z.strictObject({ version: z.int().nonnegative(), cells: Bytes });
export type MapPage = z.infer<typeof MapPage>;

/** The changes of one map version, and the moment of the change, from which admission turns count. */
export const Delta = z.strictObject({ version: z.int().nonnegative(), at: EpochMs, moves: Bytes });
export type Delta = z.infer<typeof Delta>;

/** The facts about a node of the zone beyond its standing. */
export const Member = z.strictObject({
  node: NodeId,
  fqdn: Fqdn,
  watch: WatchAddress,
  weight: z.number().positive(),
  capacity: z.int().positive().optional(),
  /** How often it admits a client that was moved to it, in ms; absent is any number at once. */
  admitEveryMs: z.int().positive().optional(),
  /** The rate that it was found to bear, if its rate may adapt. */
  pace: Pace.optional(),
  /** The template of its page, if it has one of its own. */
  page: z.string().optional(),
});
export type Member = z.infer<typeof Member>;

/** Members of one page, by index within it; null where no node has the index. */
export const Members = z.strictObject({ members: z.array(Member.nullable()) });
export type Members = z.infer<typeof Members>;
/** Nodes of one page of members: 256 of about 130 B each are 33 KB, far under a row's limit. */
export const membersPerPage = 256;

/**
 * Revocations younger than a token's life: 8 B each, the top 32 bits of the fingerprint and the time in seconds. Above
 * 2,000 entries they fold into `tokensBefore`: every older token of the zone is invalid.
 */
export const Revoked = z.strictObject({ version: z.int().nonnegative(), entries: Bytes, tokensBefore: z.int().nonnegative() });
export type Revoked = z.infer<typeof Revoked>;

/** Accepted clients per slot, u16 each, big-endian, and the progress of the running count. */
export const Counts = z.strictObject({
  at: EpochMs,
  perSlot: Bytes,
  running: z.strictObject({ partition: z.int().nonnegative(), perSlot: Bytes }).optional(),
});
export type Counts = z.infer<typeof Counts>;

/** How many accepted clients a count has for a slot. */
export const countAt = (perSlot: Uint8Array, slot: number): number => ((perSlot[slot * 2] ?? 0) << 8) | (perSlot[slot * 2 + 1] ?? 0);

/** A new zone: no nodes, and no slot has an owner. */
export const newZone = (name: ZoneName, number: number, slots: number): ZoneHead => ({
  name,
  number,
  kind: 'management',
  mode: 'production',
  version: 0,
  slots,
  mapVersion: 0,
  membersVersion: 0,
  roster: new Uint8Array(0),
  epoch: 0,
  remapAfterMs: 0,
  readmit: 'admin',
  settling: [],
  brakes: {},
  budgets: {},
});

/** The head of a zone, by its name. */
export const zoneRef = refOf('zone', ZoneHead);

/** The last count of a zone, by its name. */
export const countsRef = refOf('counts', Counts);

/** The recent revocations of a zone, by its name. */
export const revokedRef = refOf('revoked', Revoked);

/** A page of the map of a zone. */
export const mapRef = refOf('map', MapPage);

/** A page of the members of a zone. */
export const membersRef = refOf('members', Members);

/** The changes of one version in the map of a zone. */
export const deltaRef = refOf('delta', Delta);
