import * as z from 'zod';
import { HostFacts, Load } from '../../events/reported/node.ts';
import { ApiKeyId } from '../api-keys/api-key.ts';
import { adminScopes } from '../identity/rights.ts';
import { Fqdn, NodeId, Tag, ZoneName } from '../ids.ts';
import { TokenId } from '../join-tokens/join-token.ts';
import { LeaveMode, NodeKind } from '../nodes/node.ts';
import { OnboardingTokenId } from '../onboarding-tokens/onboarding-token.ts';
import { SubjectName } from '../subjects/subject.ts';

/** A moment as people and other programs read it: ISO 8601 in UTC. */
export const Moment = z.iso.datetime();

/** A node as the API and the CLI show it. */
export const NodeView = z.strictObject({
  id: NodeId,
  fqdn: Fqdn,
  zone: ZoneName,
  kind: NodeKind,
  status: z.enum(['absent', 'waiting', 'joining', 'up', 'suspect', 'down', 'leaving', 'dropped', 'quarantined']),
  because: z.string(),
  incarnation: z.int(),
  generation: z.int(),
  index: z.int().optional(),
  watch: z.string(),
  weight: z.number(),
  capacity: z.int().optional(),
  /** How often it admits a client that was moved to it, in ms, when an operator has set it; 0 is any number at once. */
  admitEveryMs: z.int().optional(),
  labels: z.record(z.string(), z.string()),
  /** Another system vouches for its liveness, by ingest, and its agent does not. */
  vouched: z.literal(true).optional(),
  joinedAt: Moment,
  /** When an operator removed it: it stays out until it is let in again. A Muster that removes none does not say so. */
  removedAt: Moment.optional(),
  /** Which node takes its place, or has taken it, since when that is wanted, and whether it was taken out on purpose. */
  replacedBy: z.strictObject({ node: NodeId, since: Moment, planned: z.boolean() }).optional(),
  /** Whose place it takes once it is ready. */
  replaces: NodeId.optional(),
  /**
   * The key that it signs with, and the one that it has named to follow, as fingerprints in hex pairs with colons; `since` when it is told
   * of one node alone. A Muster from before does not say.
   */
  key: z.strictObject({ fingerprint: z.string(), since: Moment.optional(), next: z.string().optional() }).optional(),
  heardAt: Moment.optional(),
  leaseUntil: Moment.optional(),
  /** `waitsFor`: what a drain waits for; `turnsUntil`: when the last of its client systems has its turn elsewhere. A Muster from before says neither. */
  leaving: z
    .strictObject({
      ...{ mode: LeaveMode, since: Moment, until: Moment.optional() },
      ...{ turnsUntil: Moment.optional(), waitsFor: z.string().optional() },
    })
    .optional(),
  /**
   * When it was given up, whether as planned, and, where an administrator has to let it come back, whether it has asked. A Muster from
   * before does not say.
   */
  dropped: z.strictObject({ at: Moment, planned: z.boolean(), readmission: z.enum(['awaited', 'asked', 'given']).optional() }).optional(),
  /** How often it was lost and came back of late: a score as of `at`, which halves each hour, and when it is below 1. */
  flaps: z.strictObject({ score: z.number(), at: Moment, calmAt: Moment }).optional(),
  load: Load.optional(),
  /** Slots of the zone's map that it owns. */
  slots: z.int(),
  /** About how many accepted client systems those slots hold, from the last count. */
  systemsAbout: z.int(),
  host: HostFacts.extend({ at: Moment }).optional(),
});
export type NodeView = z.infer<typeof NodeView>;

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

/** A client system as the API and the CLI show it; `fingerprint` in hex pairs with colons, as its administrator compares it. */
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
  /** The node it is pinned to, and how that stands; `hard`: it waits for this node and no other. Absent when it goes by its slot. */
  pin: z.strictObject({ fqdn: Fqdn.optional(), hard: z.boolean(), standing: z.string() }).optional(),
  /** Why it stays where it is although its node is away; absent when it is not held. */
  held: z.string().optional(),
  /** Until when it waits to be told its next node: one after another, as fast as that node admits. */
  turnAt: Moment.optional(),
  /** Nobody has shown to hold the key: all its knocks were unsigned. */
  unsigned: z.literal(true).optional(),
  /**
   * Other keys say the same machine id: a clone, or the same machine installed anew. `held`: it waits in the onboarding pool until it is
   * accepted with `duplicates`. `keys` are those that the caller may see, and that are not forgotten. A Muster from before does not say.
   */
  sameMachineId: z.strictObject({ held: z.boolean(), because: z.string(), keys: z.array(SameMachineIdKey) }).optional(),
  facts: z.record(z.string(), z.string()),
  firstSeenAt: Moment,
  seenAt: Moment,
});
export type SystemView = z.infer<typeof SystemView>;

/**
 * When all client systems of a zone that wait for a node will have been told one, and why not before. Without `allPlacedAt` nobody can say:
 * some are pinned to a node that is away, and wait for it.
 */
export const Forecast = z.strictObject({ allPlacedAt: Moment.optional(), because: z.string() });
export type Forecast = z.infer<typeof Forecast>;

/** A zone as the API and the CLI show it, with its map in summary. */
export const ZoneView = z.strictObject({
  name: ZoneName,
  number: z.int(),
  kind: z.enum(['management', 'storage']),
  mode: z.enum(['production', 'recovery']),
  version: z.int(),
  because: z.string(),
  /** How long the clients of a node that went down are kept for it before they go elsewhere, in ms; absent for as long as it is away. */
  remapAfterMs: z.int().optional(),
  /** In recovery mode: whether clients of a lost node go elsewhere until it is back. A Muster from before does not say. */
  meanwhile: z.enum(['hold', 'elsewhere']).optional(),
  readmit: z.enum(['auto', 'admin']),
  /** Dropped nodes that ask to come back and wait for an administrator's word; absent when there are none, and in a list of zones. */
  askingBack: z.array(z.strictObject({ node: NodeId, fqdn: Fqdn })).optional(),
  /** Whether clients that never sign are let in; a Muster that does not say so knows none that sign. */
  unsignedClients: z.boolean().optional(),
  epoch: z.int(),
  /** So many nodes fell silent that none of them is given up for it, by rule 6 until then at the latest. */
  disrupted: z.strictObject({ rule: z.int(), since: Moment, until: Moment.optional(), silent: z.int(), nodes: z.int() }).optional(),
  /** Racks of which all nodes fell silent in one window: they are held. */
  darkRacks: z.array(z.string()).optional(),
  /** What an operator has frozen: moves, expiry or all. */
  frozen: z.string().optional(),
  /** Since when it is being deleted, if it is: nothing comes into it any more. */
  deletingSince: Moment.optional(),
  systemsAbout: z.int(),
  countedAt: Moment.optional(),
  /**
   * What its nodes declare together, how many client systems they are given of it, and how many there are by the last count; absent when
   * one of them declares nothing.
   */
  capacity: z.strictObject({ declared: z.int(), clientsMax: z.int(), filled: z.int() }).optional(),
  /** Slots that must move and for which no node has room: they wait. */
  crowded: z.strictObject({ since: Moment, slots: z.int(), systemsAbout: z.int() }).optional(),
  /** When all client systems that wait are placed, and what that rests on; absent when nobody waits. */
  forecast: Forecast.optional(),
  /** How long it may take from the loss of a node until the last of its client systems has its turn, in ms; absent is any time. */
  rtoMs: z.int().optional(),
  /**
   * Losses that are not over, and the last three that are: `placedAt` is when the last of its client systems has, or had, its turn with a
   * node that serves, absent while slots wait for one; `late`: it takes longer than `rtoMs`, by forecast or in fact.
   */
  recoveries: z
    .array(
      z.strictObject({
        ...{ fqdn: Fqdn, since: Moment, systemsAbout: z.int(), over: z.boolean() },
        ...{ placedAt: Moment.optional(), late: z.literal(true).optional() },
      }),
    )
    .optional(),
  /** Nodes that are down and whose client systems are kept for them, and until when; absent is until they are back. */
  kept: z.array(z.strictObject({ fqdn: Fqdn, since: Moment, until: Moment.optional(), systemsAbout: z.int() })).optional(),
  map: z.strictObject({
    slots: z.int(),
    version: z.int(),
    unowned: z.int(),
    awayFromHome: z.int(),
    nodes: z.array(
      z.strictObject({
        ...{ node: NodeId, fqdn: Fqdn, standing: z.string(), generation: z.int(), slots: z.int(), systemsAbout: z.int() },
        capacity: z.int().optional(),
      }),
    ),
  }),
});
export type ZoneView = z.infer<typeof ZoneView>;

/** Why something is as it is: its last decision, what it waits for, and the decisions of its zone that bear on it. */
export const Explanation = z.strictObject({
  subject: z.string(),
  state: z.string(),
  because: z.string(),
  since: Moment,
  by: z.string(),
  /** Whom the last decision is put down to, if to anybody. */
  who: z.string().optional(),
  looksAgainAt: Moment.optional(),
  also: z.array(z.strictObject({ subject: z.string(), because: z.string(), at: Moment.optional() })),
});
export type Explanation = z.infer<typeof Explanation>;

/** One published event of a thing. */
export const HistoryView = z.strictObject({
  seq: z.int(),
  type: z.string(),
  version: z.int(),
  at: Moment,
  because: z.string(),
  by: z.string(),
  /** Whom it is put down to, if to anybody. */
  who: z.string().optional(),
  data: z.record(z.string(), z.json()),
});
export type HistoryView = z.infer<typeof HistoryView>;

const LetterFailure = z.strictObject({ code: z.string(), reason: z.string(), at: Moment });

/** A dead letter as the API and the CLI list it. */
export const DeadLetterView = z.strictObject({
  id: z.string(),
  status: z.enum(['dead', 'redriven']),
  /** Where it is given back to; `feed` is an image of a row whose events could not go out. */
  queue: z.enum(['heartbeats', 'reports', 'webhooks', 'feed']),
  via: z.enum(['door', 'bus', 'feed']),
  /** When the message was first sent. */
  sentAt: Moment,
  /** How often it died: once, and once more for each time it was given back in vain. */
  deaths: z.int(),
  /** How often it was received over all that. */
  receives: z.int(),
  first: LetterFailure,
  last: LetterFailure,
  /** The length of the whole message. */
  bytes: z.int(),
  /** Only its beginning is kept, so that it cannot be given back. */
  cut: z.boolean(),
  /** The latest time it was given back, and the call that did. */
  redriven: z.strictObject({ at: Moment, by: z.string(), attempt: z.int() }).optional(),
  /** When it is forgotten. */
  expiresAt: Moment,
});
export type DeadLetterView = z.infer<typeof DeadLetterView>;

/** A dead letter with the message as it came. */
export const DeadLetterWhole = DeadLetterView.extend({ message: z.string() });
export type DeadLetterWhole = z.infer<typeof DeadLetterWhole>;

/** A join token as the API and the CLI show it; its secret is shown once, when it is made. */
export const NodeTokenView = z.strictObject({
  id: TokenId,
  status: z.enum(['valid', 'used', 'expired', 'revoked']),
  /** The name, or the pattern of names, that it admits. */
  nodes: z.string(),
  kind: NodeKind,
  zone: ZoneName,
  cidr: z.string().optional(),
  uses: z.int(),
  createdAt: Moment,
  expiresAt: Moment,
  revokedAt: Moment.optional(),
  /** Its hosts may be watched at any address. */
  anyWatch: z.literal(true).optional(),
  /** The hosts that it let in. */
  admitted: z.array(z.strictObject({ fingerprint: z.string(), node: NodeId, at: Moment })),
});
export type NodeTokenView = z.infer<typeof NodeTokenView>;

/** A host that asked to be a node, as the API and the CLI show it; `fingerprint` in hex pairs with colons, as its administrator compares it. */
export const PooledHostView = z.strictObject({
  fp: z.string(),
  fingerprint: z.string(),
  fqdn: Fqdn,
  kind: NodeKind,
  /** The zone that it asks for, or was admitted into. */
  zone: ZoneName.optional(),
  standing: z.enum(['waiting', 'admitted', 'rejected']),
  because: z.string(),
  /** It is a node that was given up, has flushed and asks to come back; `planned` as in the node's own view. A Muster from before does not list such. */
  dropped: z.strictObject({ node: NodeId, at: Moment, planned: z.boolean() }).optional(),
  watch: z.string(),
  /** It asks to be watched where it is not: neither under its name nor at `source`. */
  foreignWatch: z.literal(true).optional(),
  capacity: z.int().optional(),
  source: z.string(),
  firstSeenAt: Moment,
  /** Written at most hourly. */
  seenAt: Moment,
});
export type PooledHostView = z.infer<typeof PooledHostView>;

const reach = z.union([z.literal('all'), z.array(ZoneName)]);

/** An API key or a session as the API and the CLI show it; its secret is shown once, when it is made. */
export const ApiKeyView = z.strictObject({
  id: ApiKeyId,
  /** Links are in no list; one is shown when it is revoked. */
  kind: z.enum(['key', 'session', 'link']),
  status: z.enum(['valid', 'expired', 'revoked']),
  name: z.string(),
  /** Each scope, and where it is held. */
  rights: z.partialRecord(z.enum(adminScopes), reach),
  createdAt: Moment,
  createdBy: z.string(),
  expiresAt: Moment,
  /** Written at most hourly. */
  lastUsedAt: Moment.optional(),
  revokedAt: Moment.optional(),
});
export type ApiKeyView = z.infer<typeof ApiKeyView>;

/** Something that was made with a key, or by a subject, and ends with it. */
export const MadeView = z.strictObject({
  kind: z.enum(['key', 'session', 'link', 'join-token', 'onboarding-token']),
  id: z.string(),
  /** The name of a key, the hosts of a join token, the zone of an onboarding token. */
  name: z.string(),
  createdAt: Moment,
});
export type MadeView = z.infer<typeof MadeView>;

/** A subject of the issuer that was locked here once. */
export const SubjectView = z.strictObject({
  subject: SubjectName,
  status: z.enum(['locked', 'unlocked']),
  lockedAt: Moment.optional(),
  lockedBy: z.string().optional(),
  /** What it made until then opens nothing any more. */
  madeEndedAt: Moment.optional(),
});
export type SubjectView = z.infer<typeof SubjectView>;

/** An onboarding token as the API and the CLI show it; its secret is shown once, when it is made. */
export const OnboardingTokenView = z.strictObject({
  id: OnboardingTokenId,
  status: z.enum(['valid', 'used', 'expired', 'revoked']),
  /** Where the machines that it accepts belong, with which tags and groups. */
  zone: ZoneName,
  tags: z.array(Tag),
  groups: z.array(Tag),
  cidr: z.string().optional(),
  uses: z.int(),
  used: z.int(),
  createdAt: Moment,
  expiresAt: Moment,
  revokedAt: Moment.optional(),
});
export type OnboardingTokenView = z.infer<typeof OnboardingTokenView>;
