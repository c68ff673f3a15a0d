import { Refusal } from '../api/problem.ts';
import type { Route } from '../api/route.ts';
import { sourceOf } from '../core/address.ts';
import { secondMs } from '../core/time.ts';
import { Buckets, type RateName } from './rates.ts';
import { cached, type Shell } from './shell.ts';
import type { Caller } from './verify.ts';

/** The paths of a machine's or a person's first call, which only its network address identifies. */
export const newcomersPaths: readonly string[] = ['/nodes/join', '/api/v1/sign-in', '/session', '/session/callback', '/session/renew'];

/**
 * Counts a call without a verified caller for its network address, or for what vouches for it there, apart from the
 * address. Throws a {@link Refusal} over the limit.
 */
export function limitSource(shell: Shell, { path }: Pick<Route, 'path'>, source: string, apart?: string): void {
  // A caller on this machine could do worse to it than call.
  if (source === '127.0.0.1' || source === '::1') return;
  if (apart !== undefined) limit(shell, 'token', apart, 'this onboarding token, from this network address,');
  else limitAddress(shell, path, sourceOf(source));
}

function limitAddress(shell: Shell, path: string, counted: string): void {
  limit(shell, 'source', counted, 'this network address');
  if (newcomersPaths.includes(path)) limit(shell, 'newcomers', counted, 'this network address');
}

/** Counts a call of a verified caller, by its name. Throws a {@link Refusal} over the limit. */
export function limitCaller(shell: Shell, { who, actor }: Pick<Caller, 'who' | 'actor'>): void {
  const called = actor?.who ?? who;
  if (!isCounted({ who, ...(actor && { actor }) })) return;
  const kind = /^(node|client):/.exec(called)?.[1] as 'node' | 'client' | undefined;
  limit(shell, kind ?? 'admin', actor?.key ?? called, called);
}

/**
 * Whether calls of a caller are counted. The operator's secret belongs to this host, as its state does; a person who
 * signed in by a link of the operator is elsewhere, and has a key.
 */
export function isCounted({ who, actor }: Pick<Caller, 'who' | 'actor'>): boolean {
  const called = actor?.who ?? who;
  return called !== 'anyone' && (called !== 'operator' || actor?.key !== undefined);
}

function limit(shell: Shell, name: RateName, caller: string, called: string): void {
  const rate = shell.settings.rates?.[name];
  if (!rate) return;
  const waitMs = cached(shell, `rates ${name}`, () => new Buckets()).take(caller, rate, shell.now());
  if (waitMs === 0) return;
  throw new Refusal('rate-limited', `${called} made more than ${rate.perSecond} calls a second: wait, then call again`, {
    headers: { 'retry-after': String(Math.ceil(waitMs / secondMs)) },
  });
}
