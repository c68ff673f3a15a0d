import { Refusal } from '../api/problem.ts';
import type { Decision, RowRef } from '../core/decision.ts';
import type { ZoneName } from '../core/ids.ts';
import { type EpochMs, plusMs } from '../core/time.ts';
import { apply } from '../runtime/apply.ts';
import type { Answer } from '../runtime/on-route.ts';
import type { Shell } from '../runtime/shell.ts';
import type { AdminCaller } from './verify-admin.ts';
import { seesZone } from './zones-of-caller.ts';

/*
 * What join tokens of nodes and onboarding tokens of client systems have in common: both let machines into one zone,
 * until they end or are revoked.
 */

/** Until when a token holds: when nobody says, and at the most; `tooLong` is what one is told who asks for longer. */
export type TokenLife = { readonly usualMs: number; readonly longestMs: number; readonly tooLong: string };

/**
 * The moment at which a token ends that is made now. Throws a {@link Refusal} for one that has passed or is too far.
 */
export function endOfToken(given: string | undefined, now: EpochMs, { usualMs, longestMs, tooLong }: TokenLife): EpochMs {
  if (given === undefined) return plusMs(now, usualMs);
  const expiresAt = Date.parse(given) as EpochMs;
  if (expiresAt <= now) throw notTaken('/expiresAt', 'a moment that has passed');
  if (expiresAt > plusMs(now, longestMs)) throw notTaken('/expiresAt', tooLong);
  return expiresAt;
}

/** The refusal of a token that cannot be as the field under `pointer` says. */
export const notTaken = (pointer: string, detail: string): Refusal =>
  new Refusal('invalid', `${pointer}: ${detail}`, { errors: [{ pointer, detail }] });

/** The answer to whoever makes a token: the secret is in it and nowhere else, so nothing on the way may keep it. */
export const madeToken = (secret: string, token: object): Answer => ({
  status: 201,
  body: { secret, token },
  headers: { 'cache-control': 'no-store' },
});

type Revoke = { readonly type: 'revoke'; readonly id: string };
/** A kind of token: what people call it, and how it decides. */
type TokenKind<S> = { readonly called: string; readonly decide: (token: S | undefined, command: Revoke, now: EpochMs) => Decision<S> };

/**
 * Revokes a token, and gives it as it is then; one that is revoked already stays as it was. Throws a {@link Refusal}
 * when there is none for the caller.
 */
export async function revokedToken<S extends { readonly zone: ZoneName }>(
  shell: Shell,
  ref: RowRef,
  { called, decide }: TokenKind<S>,
  { call, caller }: { readonly call: string; readonly caller: AdminCaller },
): Promise<S> {
  const mine = (token: S | undefined): S | undefined => (token && seesZone(caller, token.zone) ? token : undefined);
  const { state } = await apply<S, Revoke>(shell, ref, { type: 'revoke', id: call }, (token, command, now) =>
    decide(mine(token), command, now),
  );
  const token = mine(state);
  if (!token) throw new Refusal('unknown-token', `no ${called} has the id ${ref.id}, or it ended more than a month ago`);
  return token;
}
