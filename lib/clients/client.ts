import * as z from 'zod';
import { ClusterId, Fingerprint, Fqdn, NodeId, PublicKey, Tag, ZoneName } from '../core/ids.ts';
import { refOf } from '../core/ref.ts';
import { dayMs, EpochMs } from '../core/time.ts';
import { Boots, Copied } from './rows/boots.ts';

/**
 * The Salt minion beside the daemon, with its own key. `ofText`: its fingerprints as `salt-key -f` of Salt 3008 prints
 * them, the likeliest first; rows that were written before lack them.
 */
export const Minion = z.strictObject({
  id: z.string().min(1).max(255),
  fingerprint: Fingerprint,
  ofText: z.array(Fingerprint).optional(),
});
export type Minion = z.infer<typeof Minion>;

/** The node a client system is assigned to. The client's own call writes it, once per placement. */
export const Assignment = z.strictObject({
  /** The node's index in the zone. */
  index: z.int().nonnegative(),
  node: NodeId,
  generation: z.int().nonnegative(),
  at: EpochMs,
  /** Set when the daemon or the node's digest confirmed it. */
  confirmedAt: EpochMs.optional(),
});
export type Assignment = z.infer<typeof Assignment>;

/**
 * The summary of one kind of documents, stored in the row of its client system. The documents themselves are in rows of
 * their own, see lib/clients/metadata.ts.
 */
const KindSummary = z.strictObject({
  /** The client system's metadata revision when this kind last changed. */
  revision: z.int().positive(),
  /** Bytes of all its text. */
  bytes: z.int().nonnegative(),
  at: EpochMs,
  /** Of a kind that is appended to, the first and the last of its pages; absent for one that is put as a whole. */
  pages: z.strictObject({ first: z.int().nonnegative(), last: z.int().nonnegative() }).optional(),
  /** The id of the report that appended its last entries, if it had one. */
  appended: z.string().optional(),
});
/** A summary of the metadata of a client system. */
export const Metadata = z.strictObject({
  /** Grows with each change of any kind, removals included, and never goes back. */
  revision: z.int().positive(),
  kinds: z.record(z.string(), KindSummary),
  /** The client system that this one replaced, if the documents are stored under its fingerprint. */
  of: Fingerprint.optional(),
});
export type Metadata = z.infer<typeof Metadata>;

/** Other keys that report the same machine id, or the same name. */
const Shared = z.strictObject({ before: z.array(Fingerprint), after: z.array(Fingerprint) });

const known = {
  fp: Fingerprint,
  /** Absent for one that was adopted: it is known by the key of its minion until its daemon knocks. */
  publicKey: PublicKey.optional(),
  fqdn: Fqdn,
  machineId: z.string().max(64),
  /** Keys that report the same machine id and came before or after this one, at most 8; absent for nearly all. */
  sameMachineId: Shared.optional(),
  /** Likewise those that report the same name. */
  sameName: Shared.optional(),
  minion: Minion.optional(),
  facts: z.record(z.string(), z.string()),
  suggestedTags: z.array(Tag),
  firstSeenAt: EpochMs,
  /** Written at most hourly. */
  seenAt: EpochMs,
  /** The last boots of its daemon; absent while no daemon has named one. */
  boots: Boots.optional(),
  /** Two machines run with its key: it is given no other node until that is settled. */
  copied: Copied.optional(),
  /** No knock was ever signed, so no machine has proved that it holds the key. A zone may allow that. */
  unsigned: z.literal(true).optional(),
};

/** A client system's row, a union by standing; its status on the wire is computed, not stored. */
export const Client = z.discriminatedUnion('standing', [
  /**
   * `zone`: the zone that it asks for; absent if it asks for none. `refused`: why its last onboarding token was
   * refused.
   */
  z.strictObject({ ...known, standing: z.literal('pooled'), zone: ZoneName.optional(), refused: z.string().optional() }),
  z.strictObject({
    ...known,
    standing: z.literal('accepted'),
    zone: ZoneName,
    /** Its id for tools of Uyuni, for life. Rows that were accepted earlier get theirs at their next knock. */
    clusterId: ClusterId.optional(),
    tags: z.array(Tag),
    groups: z.array(Tag),
    acceptedAt: EpochMs,
    /** Who accepted it: the actor of the call, or `token:` and the id of an onboarding token. Older rows have none. */
    acceptedBy: z.string().optional(),
    /** Bulk accept staggers admissions: it is not admitted before this moment. */
    notBefore: EpochMs.optional(),
    told: Assignment.optional(),
    /**
     * Since when its node no longer sees it and it has not called; absent while there are signs of life. It is no
     * status: nothing is moved or removed by it.
     */
    silentSince: EpochMs.optional(),
    pin: z.strictObject({ index: z.int().nonnegative(), hard: z.boolean() }).optional(),
    /** The server that it was adopted with, and its number there. */
    adopted: z.strictObject({ node: NodeId, number: z.int().nonnegative() }).optional(),
    metadata: Metadata.optional(),
  }),
  /**
   * A ban is a tombstone that never expires. `zone`: the zone that it was accepted into, so that its node learns of the
   * ban; otherwise the zone that it had asked for. `replacedBy`: the key that took its place, its metadata, and its
   * cluster id.
   */
  z.strictObject({
    ...known,
    standing: z.literal('banned'),
    bannedAt: EpochMs,
    zone: ZoneName.optional(),
    clusterId: ClusterId.optional(),
    metadata: Metadata.optional(),
    replacedBy: Fingerprint.optional(),
  }),
]);
export type Client = z.infer<typeof Client>;
export type ClientIn<S extends Client['standing']> = Extract<Client, { standing: S }>;

/** The cluster id of a client system; undefined for a key that waits, and for one that another has replaced. */
export const clusterIdOf = (client: Client): ClusterId | undefined => (client.standing === 'pooled' ? undefined : client.clusterId);

/** The row under the other fingerprint of the same machine: it names the row that is its identity. */
export const ClientAlias = z.strictObject({
  standing: z.literal('alias'),
  of: Fingerprint,
  /** Of one that was an adopted client system of this zone until its daemon introduced itself. */
  zone: ZoneName.optional(),
});
export type ClientAlias = z.infer<typeof ClientAlias>;

/** Whether a row that was read as a client system leads to another: its daemon may have introduced itself since. */
export const leadsOn = ({ standing }: Pick<Client | ClientAlias, 'standing'>): boolean => standing === 'alias';

/**
 * The row under a fingerprint of its minion's key as Salt 3008 prints it: it names the row that is its identity. Only
 * what people and programs look up goes by it, so that the calls of machines read no more than they did.
 */
export const MinionText = z.strictObject({ of: Fingerprint });
export type MinionText = z.infer<typeof MinionText>;
export const minionTextRef = refOf('minion-text', MinionText);

/** Every move of a client system's row; `absent` is a machine that never knocked. */
export const clientMoves = {
  absent: ['pooled', 'accepted'],
  pooled: ['accepted', 'banned'],
  accepted: ['banned'],
  banned: [],
} as const satisfies Record<Client['standing'] | 'absent', readonly Client['standing'][]>;

/** A key that is not accepted is forgotten this long after its last knock. */
export const pooledForMs = 30 * dayMs;
/** A sign of life costs at most one write per this span. */
export const seenEveryMs = 3_600_000;

/**
 * The row of a client system, by its fingerprint. A client system with two keys has a second row, an alias, which names
 * the first.
 */
export const clientRef = refOf('client', Client);
