import { createHash } from 'node:crypto';
import * as z from 'zod';
import { dayMs, EpochMs, plusMs } from '../core/time.ts';
import { canonical, Hash, Seal, type SealKey, sealed } from './seal.ts';

/**
 * The zone of entries that belong to none: settings of the deployment, keys, refused attempts. No zone can have this
 * name.
 */
export const noZone = '-';

const Count = z.int().positive();
const Name = z.string().min(1);
/** A day in UTC, `2026-11-21`. */
export const Day = z.iso.date();

/**
 * The row that changed, and its revision since. `noun` and `id` are its name in events and history; `row` names the row
 * itself.
 */
const Changed = z.strictObject({ noun: Name, id: z.string(), row: Name, rev: Count });

/**
 * An action or attempt, as the audit stores it: who, from where, what and why. It has the names of changed fields,
 * never their values.
 */
export const AuditEntry = z.strictObject({
  /** Counts the entries of a chain from 1. */
  n: Count,
  /** When it was committed. */
  at: EpochMs,
  /** The zone that it is about, or {@link noZone}. */
  zone: Name,
  who: Name,
  /** The id of the key or token that the call presented. */
  key: z.string().optional(),
  source: z.string(),
  request: z.string(),
  did: z.enum(['began', 'changed', 'ended', 'tried']),
  what: Changed,
  because: z.string(),
  /** Names of the fields that changed. */
  fields: z.array(z.string()).optional(),
  /** The events that were concluded, by type; numbered from `first` on in the history of the changed thing. */
  events: z.strictObject({ first: Count, types: z.array(z.string()) }).optional(),
  /** Only for a refused attempt: the route, the problem that was answered, and its subject. */
  refused: z.strictObject({ route: z.string(), type: z.string(), subject: z.string().optional() }).optional(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** A chain by its zone and day. */
export type ChainName = { readonly zone: string; readonly day: string };
/** A place in a chain: the entry's number and its hash. */
export type Place = { readonly n: number; readonly hash: string };

/**
 * An entry in its chain: the hash of the previous entry, and its own over both. `key` names the audit key that made it;
 * an entry older than the first key has none, and plain SHA-256.
 */
export const AuditLink = z.strictObject({ entry: AuditEntry, previous: Hash, hash: Hash, key: Count.optional() });
export type AuditLink = z.infer<typeof AuditLink>;

/** The end of a chain; `follows` is the end that the previous chain of the zone had when this one began. */
export const AuditHead = z.strictObject({
  zone: Name,
  day: Day,
  n: Count,
  hash: Hash,
  follows: z.strictObject({ day: Day, n: Count, hash: Hash }).optional(),
  /** Over the name of the chain, its end and the place that it follows. */
  seal: Seal.optional(),
});
export type AuditHead = z.infer<typeof AuditHead>;

/**
 * The mark beside the past of a changed row: the place of its audit entry, a hash of the row at that time, and a seal
 * over all of that.
 */
export const AuditMark = z.strictObject({
  zone: Name,
  day: Day,
  n: Count,
  hash: Hash,
  row: Hash.optional(),
  /** Over the fields that never change, in rows where only the end may change. */
  core: Hash.optional(),
  seal: Seal.optional(),
});
export type AuditMark = z.infer<typeof AuditMark>;

/**
 * How many days a chain is stored: 13 months, so that a yearly review finds the whole year that it is about. A chain
 * ends as a whole, counted from the end of its day.
 */
export const auditForDays = 400;

/** The day of a moment in UTC, `2026-11-21`. */
export const dayOf = (at: EpochMs): string => new Date(at).toISOString().slice(0, 10);

/** The first day whose chains are stored at a moment. */
export const storedSince = (now: EpochMs): string => dayOf(plusMs(now, -auditForDays * dayMs));

/** When the chains of a day end. */
export const endOfChain = (day: string): EpochMs => plusMs(Date.parse(`${day}T00:00:00Z`) as EpochMs, (1 + auditForDays) * dayMs);

/** SHA-256 in hex. */
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * The previous hash of the first entry of a chain: over the name of the chain, and the place where the previous one
 * ended.
 */
export const originOf = ({ zone, day, follows }: Pick<AuditHead, 'zone' | 'day' | 'follows'>): string =>
  sha256(canonical({ zone, day, follows }));

/** The hash of an entry after the one with the hash `previous`: by an audit key, or as it was before the first key. */
export const hashOf = (previous: string, entry: AuditEntry, key: SealKey | undefined): string =>
  key ? sealed(key, 'entry', { previous, entry }).mac : sha256(`${previous}\n${canonical(entry)}`);

/** A chain without entries. */
export const newHead = (name: ChainName, follows?: AuditHead['follows']): AuditHead => {
  const head = { zone: name.zone, day: name.day, ...(follows && { follows }) };
  return { ...head, n: 0, hash: originOf(head) };
};

/** A head with a seal over all its fields. */
export const sealedHead = ({ seal: _before, ...head }: AuditHead, key: SealKey): AuditHead => ({
  ...head,
  seal: sealed(key, 'head', head),
});

/** A mark with a seal over all its fields. */
export const sealedMark = ({ seal: _before, ...mark }: AuditMark, key: SealKey): AuditMark => ({
  ...mark,
  seal: sealed(key, 'mark', mark),
});

/** The chain with one more entry, which gets its number here. */
export function extended(
  head: AuditHead,
  entry: Omit<AuditEntry, 'n'>,
  key: SealKey | undefined,
): { readonly head: AuditHead; readonly link: AuditLink } {
  const numbered = { ...entry, n: head.n + 1 };
  const hash = hashOf(head.hash, numbered, key);
  return { head: { ...head, n: numbered.n, hash }, link: { entry: numbered, previous: head.hash, hash, ...(key && { key: key.id }) } };
}
