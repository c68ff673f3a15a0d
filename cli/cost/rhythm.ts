import { digestEvery } from '../../agent/state.ts';
import { wiring } from '../../infra/wiring.ts';
import { nextSeconds, renewAfterS } from '../../lib/doors/intervals.ts';
import { intervalMsOf, jitter, leaseMsOf } from '../../lib/nodes/lease.ts';
import { type EpochMs, secondMs } from '../../lib/units.ts';
import { pageSlots, slotsFor } from '../../lib/zones/slots.ts';
import { around, usual } from './usual.ts';

/** How large a deployment is. */
export type Size = {
  readonly clients: number;
  readonly nodes: number;
  /** The share of client systems that their nodes see, so that they need not call often themselves. */
  readonly covered: number;
};

/** The fastest heartbeat of a deployment that nobody has set otherwise, in ms. */
const beatMinMs = 10 * secondMs;
/** Seconds of a month. */
const monthS = usual.hours * 3600;

/** How often each thing happens in a month, from the protocol's own intervals; and what a list or a map is as large as. */
export type Rhythm = {
  readonly intervalS: number;
  readonly heartbeats: number;
  readonly digests: number;
  readonly ticks: number;
  readonly sweeps: number;
  readonly sweepPeriodS: number;
  readonly statuses: number;
  readonly renewals: number;
  readonly counts: number;
  readonly clientsPerNode: number;
  readonly slots: number;
  readonly mapPages: number;
  /** How soon a client system that has died is known to be gone, in seconds: its node's next two digests do not show it. */
  readonly deadKnownInS: number;
};

/** The rhythm of a deployment of a size. */
export function rhythmOf({ clients, nodes, covered }: Size): Rhythm {
  const intervalS = intervalMsOf(nodes, beatMinMs) / secondMs;
  const heartbeats = (nodes * monthS) / intervalS;
  // What arms the next tick is the newest heartbeat, half an interval old on the mean.
  const tickS = leaseMsOf(intervalS * secondMs) / secondMs - intervalS / 2;
  const sweepPeriodS = wiring.functions['sweep']!.everySeconds!.aws;
  return {
    intervalS,
    heartbeats,
    digests: covered > 0 && clients > 0 ? heartbeats / digestEvery : 0,
    ticks: (nodes * monthS) / tickS,
    sweeps: monthS / sweepPeriodS,
    sweepPeriodS,
    statuses: clients * (covered * (monthS / pulseS(true)) + (1 - covered) * (monthS / pulseS(false))),
    renewals: clients * (covered * (monthS / renewAfterS(true)) + (1 - covered) * (monthS / renewAfterS(false))),
    counts: monthS / countEveryS,
    clientsPerNode: nodes === 0 ? 0 : clients / nodes,
    slots: slotsFor(nodes),
    mapPages: Math.ceil(slotsFor(nodes) / pageSlots),
    deadKnownInS: Math.round(2 * digestEvery * intervalS * (1 + jitter) + around.lookS),
  };
}

/** A zone is counted as often as infra lets it, whatever its size: every ten minutes (lib/runtime/aws-shell.ts). */
const countEveryS = 600;

/** Seconds between two calls of a client system that is where it belongs, on the mean. */
const pulseS = (covered: boolean): number => nextSeconds('onboarded', { now: 0 as EpochMs, random: 0.5, covered });
