import { createHash } from 'node:crypto';
import * as z from 'zod';
import { dayMs, EpochMs, plusMs } from '../core/time.ts';
import { canonical, Hash, Seal, type SealKey, sealed } from './seal.ts';

/**
 * The zone of entries that are of none: the deployment's settings, keys, what was refused. No zone can have this name.
 */
export const noZone = '-';

const Count = z.int().positive();
const Name = z.string().min(1);
/** A day in UTC, `2026-11-21`. */
export const Day = z.iso.date();

/**
 * The row that changed, and its revision since: `noun` and `id` as events and history name it, `row` which of its rows.
 */
const Changed = z.strictObject({ noun: Name, id: z.string(), row: Name, rev: Count });

/**
 * What somebody did or tried, as the audit keeps it: who, from where, what and why; names of what changed, never its
 * values.
 */
export const AuditEntry = z.strictObject({
  /** Counts the entries of a chain from 1. */
  n: Count,
  /** When it was committed. */
  at: EpochMs,
  /** The zone that it is about, or {@link noZone}. */
  zone: Name,
  who: Name,
  /** The id of the key or token that was shown. */
  key: z.string().optional(),
  source: z.string(),
  request: z.string(),
  did: z.enum(['began', 'changed', 'ended', 'tried']),
  what: Changed,
  because: z.string(),
  /** Names of the fields that changed. */
  fields: z.array(z.string()).optional(),
  /** What was concluded, by type; numbered from `first` on in the history of what changed. */
  events: z.strictObject({ first: Count, types: z.array(z.string()) }).optional(),
  /** Of an attempt that was refused: what was called, what was answered, and what it was about. */
  refused: z.strictObject({ route: z.string(), type: z.string(), subject: z.string().optional() }).optional(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** A chain by its zone and day. */
export type ChainName = { readonly zone: string; readonly day: string };
/** A place in a chain: the entry's number and its hash. */
export type Place = { readonly n: number; readonly hash: string };

/**
 * An entry in its chain: the hash of the one before it, and its own over both. `key` names the key of the audit by
 * which it was made; an entry from before there was one has none, and SHA-256 alone.
 */
export const AuditLink = z.strictObject({ entry: AuditEntry, previous: Hash, hash: Hash, key: Count.optional() });
export type AuditLink = z.infer<typeof AuditLink>;

/** The end of a chain; `follows` is where the zone's chain before it ended when this one began. */
export const AuditHead = z.strictObject({
  zone: Name,
  day: Day,
  n: Count,
  hash: Hash,
  follows: z.strictObject({ day: Day, n: Count, hash: Hash }).optional(),
  /** Over the chain's name, its end and what it follows. */
  seal: Seal.optional(),
});
export type AuditHead = z.infer<typeof AuditHead>;

/**
 * What is kept beside the past of a changed row: where the audit speaks of it, a hash of what the row then was, and a
 * seal over all of that.
 */
export const AuditMark = z.strictObject({
  zone: Name,
  day: Day,
  n: Count,
  hash: Hash,
  row: Hash.optional(),
  /** Of what is for ever, where nothing but its end may change. */
  core: Hash.optional(),
  seal: Seal.optional(),
});
export type AuditMark = z.infer<typeof AuditMark>;

/**
 * How long a chain is kept: 13 months, so that a yearly review finds all of the year that it is about. A chain ends as
 * a whole, counted from the end of its day.
 */
export const auditForDays = 400;

/** The day of a moment in UTC, `2026-11-21`. */
export const dayOf = (at: EpochMs): string => new Date(at).toISOString().slice(0, 10);

/** The first day of which chains are kept at a moment. */
export const keptSince = (now: EpochMs): string => dayOf(plusMs(now, -auditForDays * dayMs));

/** When a day's chains end. */
export const endOfChain = (day: string): EpochMs => plusMs(Date.parse(`${day}T00:00:00Z`) as EpochMs, (1 + auditForDays) * dayMs);

/** SHA-256 in hex. */
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * What the first entry of a chain has as its previous hash: of the chain's name, and of the place where the one before
 * it ended.
 */
export const originOf = ({ zone, day, follows }: Pick<AuditHead, 'zone' | 'day' | 'follows'>): string =>
  sha256(canonical({ zone, day, follows }));

/**
 * The hash of an entry behind the one with the hash `previous`: by a key of the audit, or as it was before there was
 * one.
 */
export const hashOf = (previous: string, entry: AuditEntry, key: SealKey | undefined): string =>
  key ? sealed(key, 'entry', { previous, entry }).mac : sha256(`${previous}\n${canonical(entry)}`);

/** A chain of which nothing is there yet. */
export const newHead = (name: ChainName, follows?: AuditHead['follows']): AuditHead => {
  const head = { zone: name.zone, day: name.day, ...(follows && { follows }) };
  return { ...head, n: 0, hash: originOf(head) };
};

/** A head with a seal over all that it says. */
export const sealedHead = ({ seal: _before, ...head }: AuditHead, key: SealKey): AuditHead => ({
  ...head,
  seal: sealed(key, 'head', head),
});

/** A mark with a seal over all that it says. */
export const sealedMark = ({ seal: _before, ...mark }: AuditMark, key: SealKey): AuditMark => ({
  ...mark,
  seal: sealed(key, 'mark', mark),
});

/** The chain with one entry more, which is given its number here. */
export function extended(
  head: AuditHead,
  entry: Omit<AuditEntry, 'n'>,
  key: SealKey | undefined,
): { readonly head: AuditHead; readonly link: AuditLink } {
  const numbered = { ...entry, n: head.n + 1 };
  const hash = hashOf(head.hash, numbered, key);
  return { head: { ...head, n: numbered.n, hash }, link: { entry: numbered, previous: head.hash, hash, ...(key && { key: key.id }) } };
}
