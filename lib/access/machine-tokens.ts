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
 * Join tokens of nodes and onboarding tokens of client systems have this in common: both let machines into one zone,
 * until they end or are revoked.
 */

/** How long a token is valid, in ms: by default, and at the most. `tooLong` is the error for a longer request. */
export type TokenLife = { readonly usualMs: number; readonly longestMs: number; readonly tooLong: string };

/**
 * When a token made now ends: at `given`, or after the default life. Throws a {@link Refusal} for a time that has
 * passed, and for one that is too far away.
 */
export function endOfToken(given: string | undefined, now: EpochMs, { usualMs, longestMs, tooLong }: TokenLife): EpochMs {
  if (given === undefined) return plusMs(now, usualMs);
  const expiresAt = Date.parse(given) as EpochMs;
  if (expiresAt <= now) throw notTaken('/expiresAt', 'the time has passed');
  if (expiresAt > plusMs(now, longestMs)) throw notTaken('/expiresAt', tooLong);
  return expiresAt;
}

/** The refusal of a token whose field under `pointer` has an invalid value. */
export const notTaken = (pointer: string, detail: string): Refusal =>
  new Refusal('invalid', `${pointer}: ${detail}`, { errors: [{ pointer, detail }] });

/** The answer to the caller who makes a token. Only this answer has the secret, so nothing on the way may store it. */
export const madeToken = (secret: string, token: object): Answer => ({
  status: 201,
  body: { secret, token },
  headers: { 'cache-control': 'no-store' },
});

type Revoke = { readonly type: 'revoke'; readonly id: string };
/** A kind of token: its name in errors, and its decide. */
type TokenKind<S> = { readonly called: string; readonly decide: (token: S | undefined, command: Revoke, now: EpochMs) => Decision<S> };

/**
 * Revokes a token and gives its state afterwards; a token that is already revoked stays as it was. Throws a
 * {@link Refusal} when the caller sees no such token.
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
