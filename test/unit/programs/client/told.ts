import type { Fqdn } from '../../../../lib/core/ids.ts';
import type { EpochMs } from '../../../../lib/core/time.ts';
import { type Action, decide } from '../../../../programs/client/decide.ts';
import type { Input } from '../../../../programs/client/hear.ts';
import { type ClientRecord, type ClientState, firstState } from '../../../../programs/client/state.ts';

export const node1 = 'node1.acme.test' as Fqdn;
export const node2 = 'node2.acme.test' as Fqdn;
export const watch = { host: 'node1.acme.test', port: 4505, everyMs: 30_000 };
export const startedAt = 1_000_000 as EpochMs;

/** What a daemon did, one list of actions for each input, and where it stands. */
export type Told = { state: ClientState; did: Action[][]; at: EpochMs };

/** A daemon that starts with what was kept; its first tick has been given. */
export const aDaemon = (kept: ClientRecord = { phase: 'unheard' }, found?: Fqdn): Told =>
  told({ state: firstState(kept, startedAt, found), did: [], at: startedAt }, { type: 'tick' });

/** The daemon after one more input, `afterMs` later. */
export function told({ state, did, at }: Told, input: Input, afterMs = 0): Told {
  const now = (at + afterMs) as EpochMs;
  const step = decide(state, input, now);
  return { state: step.next, did: [...did, step.actions.filter((action) => action.do !== 'say')], at: now };
}

/** The daemon after a row of inputs, all at one moment. */
export const through = (daemon: Told, ...inputs: Input[]): Told => inputs.reduce((so, input) => told(so, input), daemon);

/** What it did upon the last input. */
export const last = ({ did }: Told): Action[] => did.at(-1) ?? [];

export const byte = (call: 'knock' | 'status', value: '0' | '1' | '2' | '3', { token = 'token-1', nextMs = 5_000 } = {}): Input => ({
  type: 'byte',
  call,
  byte: value,
  token,
  nextMs,
  random: 0.5,
});
export const place = (fqdn: Fqdn, nextMs = 5_000): Input => ({
  type: 'place',
  call: 'orphan',
  fqdn,
  token: 'token-2',
  nextMs,
  watch,
  random: 0.5,
});
export const noPlace = (nextMs = 7_000): Input => ({ type: 'no-place', call: 'orphan', nextMs, random: 0.5 });
export const driven = (ok: boolean): Input => ({ type: 'driven', ok, random: 0.5 });
export const failed = (call: 'knock' | 'status' | 'orphan', retryAfterMs = 0): Input => ({
  type: 'failed',
  call,
  why: 'away',
  unknown: false,
  retryAfterMs,
  random: 0.5,
});

/** A daemon that is onboarded on node1. */
export const onboarded = (): Told =>
  through(aDaemon(), byte('knock', '2'), place(node1), driven(true), byte('knock', '1', { token: 'token-3', nextMs: 900_000 }));
