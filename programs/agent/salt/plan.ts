import { keysAskedMax } from '../../../lib/clients/systems/routes.ts';
import type { Fingerprint } from '../../../lib/core/ids.ts';
import { type EpochMs, hourMs, minuteMs } from '../../../lib/core/time.ts';
import type { KeyStates, MinionKey } from './keys.ts';
import type { Memory, Verdict } from './memory.ts';

/**
 * When keys may be removed at a master, and how many at once. `from` and `to` are minutes of the day in the host's
 * local time.
 */
export type Removal = { readonly window: { readonly from: number; readonly to: number }; readonly batch: number };

/** One action on keys at a master, at most {@link actionKeysMax} of them. `why` goes into the log. */
export type KeyAction =
  | { readonly do: 'accept'; readonly keys: readonly MinionKey[] }
  | { readonly do: 'reject'; readonly keys: readonly MinionKey[]; readonly why: string }
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
/**
 * How long a key that Muster does not know counts as new. A minion shows its key to the master at once, and the daemon
 * beside it names the key to Muster some seconds later, when the minion has stayed up: a new key is asked about in each
 * pass.
 */
const newMs = 2 * minuteMs;
/** The most keys to ask about in a pass: four calls, which read a row or two for each key. */
export const questionsMax = 4 * keysAskedMax;
/**
 * The most keys to accept or reject at once: `salt-key` takes a second or so however many they are, and those after
 * them wait.
 */
export const actionKeysMax = 100;
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
  const due = (keys: readonly MinionKey[], after: (verdict: Verdict, key: MinionKey) => number) =>
    keys
      .filter((key) => {
        const verdict = verdicts[key.fp];
        return !verdict || age(key) >= after(verdict, key);
      })
      .sort((a, b) => age(b) - age(a));
  const doubted = [...accepted, ...pending].filter(({ fp }) => verdicts[fp]?.doubted);
  const others = [
    ...due(pending, ({ verdict }, { since }) => (verdict === 'unknown' && now - since < newMs ? 0 : freshMs)),
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
    return isFresh(verdict, now) ? verdict : undefined;
  };
  const isIt = (key: MinionKey, verdict: Verdict['verdict']): boolean => verdictOn(key)?.verdict === verdict;
  const accepted = [...keys.pending, ...keys.rejected].filter((key) => isIt(key, 'accept'));
  // A ban does not wait for the night.
  const banned = [...keys.pending, ...keys.accepted].filter((key) => isIt(key, 'banned'));
  const strangers = Map.groupBy(
    keys.pending.filter((key) => isIt(key, 'not-yours')),
    (key) => verdictOn(key)?.node ?? '',
  );
  return [
    ...rejections(banned, 'it is banned'),
    ...batches(accepted).map((some) => ({ do: 'accept', keys: some }) as const),
    ...[...strangers].flatMap(([node, all]) => rejections(all, `it belongs ${node ? `to ${node}` : 'elsewhere'}`)),
    ...removals(keys, memory, now, minute, removal, verdictOn),
  ];
}

/** Whether an action may be taken on a verdict: it is new enough, and its client system was not revoked since. */
export const isFresh = (verdict: Verdict | undefined, now: EpochMs): boolean =>
  verdict !== undefined && !verdict.doubted && now - verdict.askedAt < freshMs;

const rejections = (keys: readonly MinionKey[], why: string): KeyAction[] =>
  batches(keys).map((some) => ({ do: 'reject', keys: some, why }));

const batches = (keys: readonly MinionKey[]): (readonly MinionKey[])[] =>
  Array.from({ length: Math.ceil(keys.length / actionKeysMax) }, (_, n) => keys.slice(n * actionKeysMax, (n + 1) * actionKeysMax));

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
