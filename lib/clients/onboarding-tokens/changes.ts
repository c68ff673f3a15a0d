import { type IsMade, type Made, madeView, revokeMade, statesIn } from '../../access/made.ts';
import type { PlannedChange, RowRef } from '../../core/decision.ts';
import { numbered, onboardingShares, onboardingTokenList } from '../../ports/table/keys.ts';
import type { Row } from '../../ports/table/table.ts';
import { apply } from '../../runtime/apply.ts';
import type { Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Shell } from '../../runtime/shell.ts';
import { decide } from './decide.ts';
import { type OnboardingToken, onboardingTokenRef, type UseOfToken } from './onboarding-token.ts';
import { refusedShare } from './reads/turns.ts';
import { rememberToken } from './reads/valid.ts';
import {
  closeShare,
  faultOfShare,
  hasRoom,
  isShared,
  newShare,
  roomOf,
  type Shared,
  shareOf,
  type TokenShare,
  useShare,
  waitFor,
} from './rows/share.ts';

/** A machine that uses a token, for the first time or again after a conflict: `attempt` counts from 0. */
type Use = { readonly use: UseOfToken; readonly fp: string; readonly attempt: number };

/** A share of a token as it was read. */
type HeldShare = { readonly n: number; readonly ref: RowRef; readonly readRev: number; readonly share: TokenShare };

/**
 * Counts one more use of the token with this id, by a machine that presents its secret. Gives the change that counts
 * it, or one that changes nothing and has the reason; and the token, if it exists. Throws a Refusal if the token
 * accepts the machine later, at its pace.
 */
export async function countUse(
  shell: Shell,
  reading: Reading,
  id: string,
  { use, fp, attempt }: Use,
): Promise<{ readonly token: OnboardingToken | undefined; readonly count: PlannedChange }> {
  const ref = onboardingTokenRef(id);
  const row = await reading.row(ref);
  const now = shell.now();
  const token = stateOf(row, now);
  if (!isShared(token)) return { token, count: { ref, readRev: row?.rev ?? 0, decision: decide(token, use, now) } };
  const { share, n, ...place } = await shareFor(shell, reading, token, { fp, attempt });
  const waitMs = faultOfShare(token, share, use, now) === undefined ? waitFor(token, share, now) : 0;
  if (waitMs > 0) throw refusedShare(shell, token, n, waitMs);
  return { token, count: { ...place, decision: useShare(token, share, use, now) } };
}

const refAt = ({ id }: Shared, n: number): RowRef => ({ noun: 'onboarding-share', id: numbered(id, n) });

/** How many shares further a machine comes after a conflict: an odd number, so that it comes to each of 64. */
const furtherBy = 17;

/**
 * The share that counts a machine: its own while that has room, or after a conflict another; otherwise one of those
 * with room, each as likely as its room, so that the last machines do not all come to the same; its own when none has.
 */
async function shareFor(shell: Shell, reading: Reading, token: Shared, { fp, attempt }: Pick<Use, 'fp' | 'attempt'>): Promise<HeldShare> {
  const own = (shareOf(fp, token) + attempt * furtherBy) % token.shares;
  const first = heldAt(token, own, await reading.row(refAt(token, own)), shell);
  if (hasRoom(first.share) || first.share.closedAt !== undefined) return first;
  const rows = await rowsOf(shell, token);
  const others = Array.from({ length: token.shares }, (_, n) => heldAt(token, n, rows.get(n), shell)).filter(({ share }) => hasRoom(share));
  const room = others.reduce((sum, { share }) => sum + roomOf(share), 0);
  if (room === 0) {
    rememberToken(shell, token, true);
    return first;
  }
  let place = (Number.parseInt(fp.slice(0, 8), 16) + attempt * furtherBy) % room;
  const chosen = others.find(({ share }) => {
    place -= roomOf(share);
    return place < 0;
  });
  if (!chosen) return first;
  const row = rows.get(chosen.n);
  if (row) reading.remember(row);
  return chosen;
}

const heldAt = (token: Shared, n: number, row: Row | undefined, { now }: Pick<Shell, 'now'>): HeldShare => ({
  n,
  ref: refAt(token, n),
  readRev: row?.rev ?? 0,
  share: stateOf<TokenShare>(row, now()) ?? newShare(token, n),
});

/** The shares of a token that accepted any machine, by their numbers: one query, whatever their number. */
async function rowsOf({ table }: Pick<Shell, 'table'>, { id, shares }: Shared): Promise<ReadonlyMap<number, Row>> {
  const { pk, from, to, numberIn } = onboardingShares(id);
  const { items } = await table.query({ pk, from, to, limit: shares });
  return new Map(items.map((row) => [numberIn(row.key.sk), row]));
}

/** A token with the count of all machines that it accepted. */
export async function counted(shell: Shell, token: OnboardingToken): Promise<OnboardingToken> {
  if (!isShared(token)) return token;
  const rows = [...(await rowsOf(shell, token)).values()];
  return { ...token, used: rows.reduce((sum, row) => sum + (row.body as TokenShare).used, 0) };
}

/**
 * Closes every share of a revoked token. The row of the token stops machines that knock from now on; this stops calls
 * that have read it before, so that no machine is accepted once the order is answered. The audit does not attribute
 * this to the caller a second time.
 */
export async function closeShares({ actor: _caller, ...shell }: Shell, token: OnboardingToken): Promise<void> {
  if (!isShared(token)) return;
  await Promise.all(
    Array.from({ length: token.shares }, (_, n) =>
      apply<TokenShare, { readonly id: string }>(shell, refAt(token, n), { id: shell.newId() }, (share, _input, now) =>
        closeShare(token, share ?? newShare(token, n), now),
      ),
    ),
  );
}

/**
 * The valid onboarding tokens that were made with a credential that is about to end, and for each the function that
 * ends it with its shares.
 */
export async function onboardingTokensMade(shell: Shell, isMade: IsMade): Promise<Made[]> {
  const tokens = await statesIn<OnboardingToken>(shell, onboardingTokenList);
  return tokens
    .filter((token) => token.revokedAt === undefined && token.expiresAt > shell.now() && isMade(token))
    .map(({ id, zone, createdAt }) => ({
      view: madeView('onboarding-token', id, zone, createdAt),
      end: async (shell, call) => {
        const token = await revokeMade<OnboardingToken>(shell, onboardingTokenRef(id), call, decide);
        if (token) await closeShares(shell, token);
      },
    }));
}
