import { isSame } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import { listOf } from '../ports/table/keys.ts';
import { stateOf } from '../runtime/content.ts';
import { readRow } from '../runtime/read.ts';
import { cached, type Shell } from '../runtime/shell.ts';
import { type ApiKey, lineageOf, statusOf } from './api-keys/api-key.ts';
import { type Lineage, subjectIn } from './subjects/rows/lineage.ts';
import type { Subject } from './subjects/subject.ts';

/**
 * How old a cached key or subject may be, in ms. Every environment applies a revocation within 5 s, including the time
 * of a call under way.
 */
const knownMaxAgeMs = 3_000;
/** How many keys, and how many subjects, an environment caches: more than call within seconds anywhere. */
const knownMax = 1_000;

type CachedState<T> = { readonly state: T; readonly readAt: EpochMs };
const cacheOf = <T>(shell: Shell, noun: string): Map<string, CachedState<T>> => cached(shell, `${noun}s`, () => new Map());

/**
 * A row as this environment last read it, seconds ago at the most. `remembers` decides which states are cached; an
 * absent row is undefined.
 */
async function known<T>(shell: Shell, noun: string, id: string, remembers: (state: T | undefined) => boolean): Promise<T | undefined> {
  const cache = cacheOf<T | undefined>(shell, noun);
  const now = shell.now();
  const last = cache.get(id);
  if (last && Math.abs(now - last.readAt) <= knownMaxAgeMs) return last.state;
  const row = await readRow(shell, { noun, id });
  const stored = stateOf<T>(row, now);
  // A row that is in no list was not made here, and an auditor could not find it.
  const state = stored && isSame(row!.list, listOf({ noun, id }, stored)) ? stored : undefined;
  cache.delete(id);
  if (cache.size >= knownMax) cache.clear();
  if (remembers(state)) cache.set(id, { state, readAt: now });
  return state;
}

/** A key as this environment last read it, seconds ago at the most. An absent key is read again each time. */
export const keyNow = (shell: Shell, id: string): Promise<ApiKey | undefined> =>
  known<ApiKey>(shell, 'api-key', id, (key) => key !== undefined);

/** This environment has just changed the key: the next call reads it anew. */
export const forgetKey = (shell: Shell, id: string): void => void cacheOf(shell, 'api-key').delete(id);

/** The row of a subject of the issuer. Its absence is cached too: most subjects were never locked. */
const subjectNow = (shell: Shell, subject: string): Promise<Subject | undefined> => known<Subject>(shell, 'subject', subject, () => true);

/** This environment has just changed the subject: the next call reads it anew. */
export const forgetSubject = (shell: Shell, subject: string): void => void cacheOf(shell, 'subject').delete(subject);

/** Whether `who`, to whom calls are attributed, is a subject of the issuer that is locked here. */
export async function isLocked(shell: Shell, who: string): Promise<boolean> {
  const subject = subjectIn(who);
  return subject !== undefined && (await subjectNow(shell, subject))?.lockedAt !== undefined;
}

/** Whether a thing has ended with the key that it was made with, or with the subject who made it. */
export async function hasEndedWithMaker(shell: Shell, { who, keys }: Lineage, createdAt: EpochMs): Promise<boolean> {
  for (const id of keys) {
    const maker = await keyNow(shell, id);
    if (maker?.withMade && maker.revokedAt !== undefined) return true;
  }
  const subject = subjectIn(who);
  const endedAt = subject === undefined ? undefined : (await subjectNow(shell, subject))?.madeEndedAt;
  return endedAt !== undefined && createdAt <= endedAt;
}

/**
 * Whether a key may be used now. A session that began by a link ends with the key or session that made the link. No key
 * outlives the keys and the subject that it was made with.
 */
export async function isGood(key: ApiKey, shell: Shell): Promise<boolean> {
  if (statusOf(key, shell.now()) !== 'valid') return false;
  if (key.kind !== 'key' && (await isLocked(shell, key.who))) return false;
  if (await hasEndedWithMaker(shell, lineageOf(key), key.createdAt)) return false;
  if (key.parent === undefined) return true;
  const parent = await keyNow(shell, key.parent);
  return parent !== undefined && statusOf(parent, shell.now()) === 'valid';
}
