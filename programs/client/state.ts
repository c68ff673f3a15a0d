import * as z from 'zod';
import { Fqdn } from '../../lib/core/ids.ts';
import { EpochMs } from '../../lib/core/time.ts';

/** The calls that a daemon makes. */
export type CallName = 'knock' | 'status' | 'orphan';

/** The watch address of the node: the daemon opens a TCP connection to it every `everyMs`. */
export const Watch = z.strictObject({ host: z.string(), port: z.int().min(1).max(65_535), everyMs: z.int().positive() });
export type Watch = z.infer<typeof Watch>;

/** The node that this machine was assigned. */
export const Place = z.strictObject({ fqdn: Fqdn, watch: Watch.optional() });
export type Place = z.infer<typeof Place>;

/**
 * The status of the machine as its daemon knows it. `unheard`: Muster has not answered yet. `new`: it is not accepted
 * yet. `orphan`: it has no node. `told`: it has a node, and the driven software is being brought up for it.
 * `onboarded`: Muster has confirmed that. `deleted`: it is banned for ever.
 */
export const Phase = z.enum(['unheard', 'new', 'orphan', 'told', 'onboarded', 'deleted']);
export type Phase = z.infer<typeof Phase>;

/**
 * The driven software ended by itself: how often since it last stayed up for a while, when last, and in what state its
 * service was found.
 */
export const Died = z.strictObject({ times: z.int().positive(), at: EpochMs, why: z.string() });
export type Died = z.infer<typeof Died>;

/**
 * The record that the daemon stores with every change and reads at the next start. `driven` is the node that the driver
 * was last started for.
 */
export const ClientRecord = z.strictObject({
  phase: Phase,
  token: z.string().optional(),
  place: Place.optional(),
  driven: Fqdn.optional(),
  died: Died.optional(),
});
export type ClientRecord = z.infer<typeof ClientRecord>;

/**
 * The state of the driver, and its node. `unsure`: a run failed, or the daemon has just started and does not know. A
 * failed run is not repeated before `notBefore`; the opposite may run at once. `found`: something runs that this daemon
 * has not started; it is left alone until Muster has accepted or banned the machine.
 */
export type Drive =
  | { readonly is: 'off' }
  | { readonly is: 'found' | 'starting' | 'stopping'; readonly fqdn: Fqdn; readonly failures: number }
  | { readonly is: 'on'; readonly fqdn: Fqdn; readonly failures: number; readonly since: EpochMs }
  | {
      readonly is: 'unsure';
      readonly fqdn: Fqdn;
      readonly failures: number;
      readonly failed?: 'start' | 'stop';
      readonly notBefore: EpochMs;
    };

/** The whole state of a daemon, from which it decides what to do next. */
export type ClientState = {
  readonly phase: Phase;
  readonly token?: string;
  readonly place?: Place;
  readonly drive: Drive;
  /** Since when the node is lost, that is, did not answer twice in a row; until it answers or the node changes. */
  readonly lostAt: EpochMs | undefined;
  /** The next call, and its time. */
  readonly call: { readonly name: CallName; readonly at: EpochMs };
  /** The call that is under way; `again`: a knock was requested meanwhile. */
  readonly calling?: { readonly name: CallName; readonly again: boolean };
  /** Times in a row that it was not this machine's turn. */
  readonly passedOver: number;
  /** Calls that failed in a row. */
  readonly failures: number;
  readonly watching: { readonly at: EpochMs; readonly misses: number; readonly checking: boolean };
  /** The next look whether the driven software is still up; absent where the driver cannot tell. */
  readonly look?: { readonly at: EpochMs; readonly misses: number; readonly checking: boolean };
  readonly died?: Died;
  readonly ended: boolean;
  readonly wakeAt?: EpochMs;
};

/**
 * The state of a daemon that starts: it continues where it was, and knocks. `found`: the node for which something runs
 * here already; `looks`: whether the driver can tell if what it has started is up.
 */
export function firstState({ phase, token, place, driven }: ClientRecord, now: EpochMs, found?: Fqdn, looks = false): ClientState {
  const goesOn = phase === 'told' || phase === 'onboarded';
  return {
    // A new deployment may not have the ban. The daemon finds out by knocking, and drives nothing until then.
    phase: phase === 'deleted' ? 'unheard' : phase,
    ...(token !== undefined && { token }),
    ...(goesOn && place && { place }),
    drive: firstDrive(driven, found, now),
    lostAt: undefined,
    call: { name: 'knock', at: now },
    passedOver: 0,
    failures: 0,
    watching: { at: now, misses: 0, checking: false },
    ...(looks && { look: { at: now, misses: 0, checking: false } }),
    ended: false,
    wakeAt: now,
  };
}

function firstDrive(driven: Fqdn | undefined, found: Fqdn | undefined, now: EpochMs): Drive {
  if (driven !== undefined) return { is: 'unsure', fqdn: driven, failures: 0, notBefore: now };
  return found === undefined ? { is: 'off' } : { is: 'found', fqdn: found, failures: 0 };
}

/** The part of a state that is stored. */
export function recordOf({ phase, token, place, drive, died }: ClientState): ClientRecord {
  return {
    phase,
    ...(token !== undefined && { token }),
    ...(place && { place }),
    ...(drive.is !== 'off' && drive.is !== 'found' && { driven: drive.fqdn }),
    ...(died && { died }),
  };
}
