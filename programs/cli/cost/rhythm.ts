import { wiring } from '../../../infra/wiring.ts';
import { nextSeconds, renewAfterS } from '../../../lib/clients/intervals.ts';
import { intervalMsOf, jitter, leaseMsOf } from '../../../lib/core/lease.ts';
import { clamp, type EpochMs, secondMs } from '../../../lib/core/time.ts';
import { pageSlots, slotsFor } from '../../../lib/zones/map/rows/slots.ts';
import { digestEvery } from '../../agent/state.ts';
import { overheads, usual } from './usual.ts';

/** How large a deployment is. */
export type Size = {
  readonly clients: number;
  readonly nodes: number;
  /** The share of client systems that their nodes see, so that they need not call often themselves. */
  readonly covered: number;
};

/** The default interval of the fastest heartbeat of a deployment, in ms. */
const beatMinMs = 10 * secondMs;
/** Seconds of a month. */
const monthS = usual.hours * 3600;

/** How often each thing happens in a month, from the protocol's own intervals, and the sizes of lists and maps. */
export type Rhythm = {
  readonly intervalS: number;
  readonly heartbeats: number;
  readonly digests: number;
  /** Looks at nodes that stay due, and at those that are moved to when they are due next. */
  readonly glances: number;
  readonly ticks: number;
  readonly sweeps: number;
  readonly sweepPeriodS: number;
  readonly statuses: number;
  readonly renewals: number;
  readonly counts: number;
  readonly clientsPerNode: number;
  readonly slots: number;
  readonly mapPages: number;
  /**
   * How soon a client system that has died is known to be gone, in seconds: its node's next two digests do not contain
   * it.
   */
  readonly deadKnownInS: number;
};

/** The rhythm of a deployment of a size. */
export function rhythmOf({ clients, nodes, covered }: Size): Rhythm {
  const intervalS = intervalMsOf(nodes, beatMinMs) / secondMs;
  const heartbeats = (nodes * monthS) / intervalS;
  const sweepPeriodS = wiring.functions['sweep']!.everySeconds!.aws;
  const looks = (nodes * monthS) / lookS(intervalS, sweepPeriodS);
  return {
    intervalS,
    heartbeats,
    digests: covered > 0 && clients > 0 ? heartbeats / digestEvery : 0,
    glances: looks * stayShare(intervalS),
    ticks: looks * (1 - stayShare(intervalS)),
    sweeps: monthS / sweepPeriodS,
    sweepPeriodS,
    statuses: clients * (covered * (monthS / pulseS(true)) + (1 - covered) * (monthS / pulseS(false))),
    renewals: clients * (covered * (monthS / renewAfterS(true)) + (1 - covered) * (monthS / renewAfterS(false))),
    counts: monthS / countEveryS(clients),
    clientsPerNode: nodes === 0 ? 0 : clients / nodes,
    slots: slotsFor(nodes),
    mapPages: Math.ceil(slotsFor(nodes) / pageSlots),
    deadKnownInS: Math.round(2 * digestEvery * intervalS * (1 + jitter) + overheads.lookS),
  };
}

/** A node stays due where its lease runs out within so many seconds (lib/runtime/aws-shell.ts). */
const staysDueS = 45;

/**
 * The seconds that are left of a node's lease when a sweep looks: the age of its newest heartbeat is anything up to an
 * interval and its jitter.
 */
function leftS(intervalS: number): { readonly least: number; readonly most: number } {
  const most = leaseMsOf(intervalS * secondMs) / secondMs;
  return { least: most - intervalS * (1 + jitter), most };
}

/** The share of looks in which a node stays due. */
function stayShare(intervalS: number): number {
  const { least, most } = leftS(intervalS);
  return clamp((staysDueS - least) / (most - least), 0, 1);
}

/** The mean time between two looks at a node: a period of the sweep where it stays due, else the rest of its lease. */
function lookS(intervalS: number, sweepPeriodS: number): number {
  const stays = stayShare(intervalS);
  const { least, most } = leftS(intervalS);
  return stays * sweepPeriodS + (1 - stays) * ((Math.max(least, Math.min(staysDueS, most)) + most) / 2);
}

/**
 * A zone is counted every ten minutes (lib/runtime/aws-shell.ts), or a millisecond a client system when that is longer,
 * up to twenty (lib/zones/tick/count.ts).
 */
const countEveryS = (clients: number): number => Math.max(600, Math.min(clients / 1_000, 1_200));

/** The mean number of seconds between two calls of a client system that is where it belongs. */
const pulseS = (covered: boolean): number => nextSeconds('onboarded', { now: 0 as EpochMs, random: 0.5, covered });
