import * as z from 'zod';
import { Fqdn } from '../../lib/core/ids.ts';
import type { EpochMs } from '../../lib/core/time.ts';

/** What a daemon may ask of Muster. */
export type CallName = 'knock' | 'status' | 'orphan';

/** Where the daemon looks whether its node lives: a TCP connect, every so many ms. */
export const Watch = z.strictObject({ host: z.string(), port: z.int().min(1).max(65_535), everyMs: z.int().positive() });
export type Watch = z.infer<typeof Watch>;

/** The node that this machine was told. */
export const Place = z.strictObject({ fqdn: Fqdn, watch: Watch.optional() });
export type Place = z.infer<typeof Place>;

/**
 * What we know of the machine: `unheard` Muster has not answered yet, `new` nobody accepted it yet, `orphan` it has
 * nowhere to report, `told` it has a node and what we drive is being brought up for it, `onboarded` Muster has that
 * confirmed, `deleted` it is banned, for ever.
 */
export const Phase = z.enum(['unheard', 'new', 'orphan', 'told', 'onboarded', 'deleted']);
export type Phase = z.infer<typeof Phase>;

/**
 * Written down with every change, read at the next start. `driven` is the node that the driver was last started for.
 */
export const Kept = z.strictObject({ phase: Phase, token: z.string().optional(), place: Place.optional(), driven: Fqdn.optional() });
export type Kept = z.infer<typeof Kept>;

/**
 * What the driver is doing, and for which node. `unsure`: it failed, or we have just started and do not know. What
 * failed is not tried again before `notBefore`; the opposite may be done at once. `found`: it runs, and nobody here has
 * started it: it is left alone until Muster has accepted or banned the machine.
 */
export type Drive =
  | { readonly is: 'off' }
  | { readonly is: 'found' | 'starting' | 'on' | 'stopping'; readonly fqdn: Fqdn; readonly failures: number }
  | {
      readonly is: 'unsure';
      readonly fqdn: Fqdn;
      readonly failures: number;
      readonly failed?: 'start' | 'stop';
      readonly notBefore: EpochMs;
    };

/** Everything that the next decision rests on. */
export type ClientState = {
  readonly phase: Phase;
  readonly token?: string;
  readonly place?: Place;
  readonly drive: Drive;
  /** Since when the node is lost: it was not heard twice in a row. Until the watch succeeds or the node changes. */
  readonly lostAt: EpochMs | undefined;
  /** What is called next, and when. */
  readonly call: { readonly name: CallName; readonly at: EpochMs };
  /** The call that is under way; `again`: a knock was asked for meanwhile. */
  readonly calling?: { readonly name: CallName; readonly again: boolean };
  /** Times in a row that it was not this machine's turn. */
  readonly passedOver: number;
  /** Calls that failed in a row. */
  readonly failures: number;
  readonly watching: { readonly at: EpochMs; readonly misses: number; readonly checking: boolean };
  readonly ended: boolean;
  readonly wakeAt?: EpochMs;
};

/**
 * The state of a daemon that starts: it goes on where it was, and knocks. `found`: the node for which something runs
 * here already.
 */
export function firstState({ phase, token, place, driven }: Kept, now: EpochMs, found?: Fqdn): ClientState {
  const goesOn = phase === 'told' || phase === 'onboarded';
  return {
    // A ban that was lifted by a new deployment is found out by knocking; nothing is driven until then.
    phase: phase === 'deleted' ? 'unheard' : phase,
    ...(token !== undefined && { token }),
    ...(goesOn && place && { place }),
    drive: firstDrive(driven, found, now),
    lostAt: undefined,
    call: { name: 'knock', at: now },
    passedOver: 0,
    failures: 0,
    watching: { at: now, misses: 0, checking: false },
    ended: false,
    wakeAt: now,
  };
}

function firstDrive(driven: Fqdn | undefined, found: Fqdn | undefined, now: EpochMs): Drive {
  if (driven !== undefined) return { is: 'unsure', fqdn: driven, failures: 0, notBefore: now };
  return found === undefined ? { is: 'off' } : { is: 'found', fqdn: found, failures: 0 };
}

/** What of a state is written down. */
export function keptOf({ phase, token, place, drive }: ClientState): Kept {
  return {
    phase,
    ...(token !== undefined && { token }),
    ...(place && { place }),
    ...(drive.is !== 'off' && drive.is !== 'found' && { driven: drive.fqdn }),
  };
}
