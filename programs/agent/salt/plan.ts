import type { Fingerprint } from '../../../lib/core/ids.ts';
import { type EpochMs, hourMs, minuteMs } from '../../../lib/core/time.ts';
import type { KeyStates, MinionKey } from './keys.ts';
import type { Memory, Verdict } from './memory.ts';

/**
 * When keys may be removed at a master, and how many at once. `from` and `to` are minutes of the day in the host's
 * local time.
 */
export type Removal = { readonly window: { readonly from: number; readonly to: number }; readonly batch: number };

/** One action on keys at a master. `why` goes into the log. */
export type KeyAction =
  | { readonly do: 'accept'; readonly key: MinionKey }
  | { readonly do: 'reject'; readonly key: MinionKey; readonly why: string }
  | { readonly do: 'remove'; readonly keys: readonly MinionKey[] };

/** How often to ask about a waiting key; an action needs a verdict that is no older. */
export const freshMs = minuteMs;
/**
 * When to ask again about a key that has no place here: it may come back, and a ban may be all that Muster knew of it.
 */
const againMs = 15 * minuteMs;
/**
 * When to ask again about a key that Muster does not know: it belongs to other software, or its client system waits for
 * an administrator and then knocks again.
 */
const unknownMs = hourMs;
/** The most keys to ask about at once. */
export const questionsMax = 20;
/**
 * How long a client system must be gone before its key is removed: it may come back, and its next node needs time to
 * take it.
 */
export const goneMs = hourMs;
/**
 * The wait between two removals: each makes every minion of the master exchange keys again, and the first wave must
 * pass before the next.
 */
export const betweenMs = 15 * minuteMs;

/**
 * The keys to ask Muster about now: first those whose place was revoked, then those that wait, then those never asked
 * about, then the others, oldest answer first.
 */
export function questionsDue({ pending, accepted, rejected }: KeyStates, { verdicts }: Memory, now: EpochMs): MinionKey[] {
  const age = ({ fp }: MinionKey): number => now - (verdicts[fp]?.askedAt ?? Number.NEGATIVE_INFINITY);
  const due = (keys: readonly MinionKey[], after: (verdict: Verdict) => number) =>
    keys
      .filter((key) => {
        const verdict = verdicts[key.fp];
        return !verdict || age(key) >= after(verdict);
      })
      .sort((a, b) => age(b) - age(a));
  const doubted = [...accepted, ...pending].filter(({ fp }) => verdicts[fp]?.doubted);
  const others = [
    ...due(pending, () => freshMs),
    ...due(accepted, ({ verdict, goneAt, askedAt }) => {
      if (verdict === 'unknown') return unknownMs;
      // A client system that just left the list may have moved, or be pinned here, which no list shows. One on the list
      // needs no question.
      if (goneAt !== undefined) return askedAt < goneAt ? 0 : againMs;
      return verdict === 'accept' ? Number.POSITIVE_INFINITY : againMs;
    }),
    ...due(rejected, ({ verdict, goneAt }) => (verdict !== 'unknown' && verdict !== 'banned' && goneAt === undefined ? freshMs : againMs)),
  ];
  return [...new Set([...doubted, ...others])].slice(0, questionsMax);
}

/** The actions that are due now. Takes none on a verdict that is not fresh, or on a key that Muster does not know. */
export function actionsDue(keys: KeyStates, memory: Memory, now: EpochMs, minute: number, removal: Removal): KeyAction[] {
  const verdictOn = ({ fp }: MinionKey): Verdict | undefined => {
    const verdict = memory.verdicts[fp];
    return verdict && !verdict.doubted && now - verdict.askedAt < freshMs ? verdict : undefined;
  };
  return [
    ...keys.pending.flatMap((key) => onPending(key, verdictOn(key))),
    ...keys.rejected.flatMap((key) => (verdictOn(key)?.verdict === 'accept' ? [{ do: 'accept', key } as const] : [])),
    // A ban does not wait for the night.
    ...keys.accepted.flatMap((key) => (verdictOn(key)?.verdict === 'banned' ? [{ do: 'reject', key, why: 'it is banned' } as const] : [])),
    ...removals(keys, memory, now, minute, removal, verdictOn),
  ];
}

function onPending(key: MinionKey, verdict: Verdict | undefined): KeyAction[] {
  switch (verdict?.verdict) {
    case 'accept':
      return [{ do: 'accept', key }];
    case 'banned':
      return [{ do: 'reject', key, why: 'it is banned' }];
    case 'not-yours':
      return [{ do: 'reject', key, why: `it belongs ${verdict.node === undefined ? 'elsewhere' : `to ${verdict.node}`}` }];
    default:
      return [];
  }
}

function removals(
  { accepted }: KeyStates,
  { removedAt }: Memory,
  now: EpochMs,
  minute: number,
  { window, batch }: Removal,
  verdictOn: (key: MinionKey) => Verdict | undefined,
): KeyAction[] {
  if (!isOpen(window, minute) || (removedAt !== undefined && now - removedAt < betweenMs)) return [];
  const moved = accepted.filter((key) => {
    const verdict = verdictOn(key);
    return verdict?.verdict === 'not-yours' && verdict.goneAt !== undefined && now - verdict.goneAt >= goneMs;
  });
  return moved.length === 0 ? [] : [{ do: 'remove', keys: moved.slice(0, batch) }];
}

/** Whether a window contains this minute of the day; one that begins later than it ends spans midnight. */
export const isOpen = ({ from, to }: Removal['window'], minute: number): boolean =>
  from <= to ? minute >= from && minute < to : minute >= from || minute < to;

/**
 * Client systems that came here and whose metadata was not applied yet, or not at the revision that Muster has named.
 * The key of their minion is accepted, and they are on the list, or pinned here.
 */
export function appliesDue(
  { accepted }: KeyStates,
  memory: Memory,
  list: ReadonlySet<string> | undefined,
): { fp: Fingerprint; id: string }[] {
  const applied = new Set<string>(memory.applied);
  return accepted.flatMap(({ id, fp }) => {
    const { fp: name, verdict } = memory.verdicts[fp] ?? {};
    if (name === undefined || !list || (applied.has(name) && !isNewer(memory, name))) return [];
    return list.has(name) || verdict === 'accept' ? [{ fp: name, id }] : [];
  });
}

const isNewer = ({ revisions, wanted }: Memory, fp: Fingerprint): boolean => (wanted?.[fp] ?? 0) > (revisions?.[fp] ?? 0);
