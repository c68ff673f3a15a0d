import type { Decision, Plan, Tick } from '../core/decision.ts';
import { Later } from '../core/errors.ts';
import { type EpochMs, earlier, minuteMs } from '../core/time.ts';
import { intervalNow } from '../deployment/reads.ts';
import { sweepRef, tickBetween } from '../deployment/rows/sweep.ts';
import type { Node } from '../nodes/node.ts';
import type { Row } from '../ports/table/table.ts';
import { applyPlan, type Reading } from '../runtime/apply-plan.ts';
import { stateOf } from '../runtime/content.ts';
import { readRow } from '../runtime/read.ts';
import type { Shell } from '../runtime/shell.ts';
import { planOwn } from '../services/changes/own.ts';
import { ownOfStations } from '../services/changes/own-plan.ts';
import { lookAtSupervision } from '../services/changes/supervision.ts';
import { decide, type StationsInput } from './decide.ts';
import { haltOf, isOverdue, isValid } from './rows/quorum.ts';
import { type Stations, stationsRef } from './stations.ts';

type Speaker = Pick<Node, 'id' | 'fqdn' | 'zone'>;
type Heartbeat = Pick<Extract<StationsInput, { type: 'beat' }>, 'id' | 'at' | 'hears' | 'heartbeat'>;

/**
 * Applies the heartbeat of a station. The heartbeat is answered even if its lease cannot be renewed: after a transient
 * failure the next heartbeat renews it, and three of them come within a lease. Returns the stations as they are then;
 * undefined after such a failure.
 */
export async function hearStation(shell: Shell, speaker: Speaker, heartbeat: Heartbeat): Promise<Stations | undefined> {
  try {
    return await heard(shell, speaker, heartbeat);
  } catch (error) {
    if (!(error instanceof Later)) throw error;
    shell.log('warn', 'report.later', { id: heartbeat.id, reason: error.code, detail: error.message });
    return undefined;
  }
}

async function heard(shell: Shell, { id: node, fqdn, zone }: Speaker, { id, ...heartbeat }: Heartbeat): Promise<Stations | undefined> {
  const input: StationsInput = { type: 'beat', id: `${id}-station`, host: fqdn, node, ...heartbeat };
  const { decision, state } = await applyStations(shell, { id: input.id, zone }, (reading) => planStations(shell, reading, zone, input));
  const hasEvents = decision.does === 'write' && decision.events.length > 0;
  shell.log(hasEvents ? 'info' : 'debug', 'stations.decided', { zone, does: decision.does, because: decision.because });
  warnOfHalt(shell, zone, state);
  return state && isOverdue(state, shell.now()) ? timePassed(shell, zone, state) : state;
}

/**
 * How long after the stations were named no alarm is raised because too few of them are heard, in ms: they are being
 * started.
 */
const beginsWithinMs = 5 * minuteMs;

/** Logs for an alarm that no majority is heard while the zone waits for one. */
function warnOfHalt(shell: Shell, zone: string, stations: Stations | undefined): void {
  const halt = haltOf(stations, shell.now());
  if (halt !== undefined && stations!.hosts.length > 0 && shell.now() - stations!.named.at > beginsWithinMs)
    shell.log('warn', 'stations.no-quorum', { zone, because: halt });
}

/**
 * Applies the passing of time when a station is heard while the coordinator is overdue. That is not left to the next
 * sweep, unless the sweep must tell first whether Muster slept.
 */
async function timePassed(shell: Shell, zone: string, stations: Stations): Promise<Stations> {
  const row = (await readRow(shell, sweepRef()))?.body;
  const tick = tickBetween(row, { periodMs: shell.settings.sweepPeriodMs, intervalMs: await intervalNow(shell) }, shell.now());
  return (tick && (await passTime(shell, zone, tick)).state) ?? stations;
}

/** Applies the passing of time to the stations of a zone: leases run out, and another station coordinates. */
export async function passTime(shell: Shell, zone: string, tick: Tick): Promise<StationsPlan> {
  const id = `tick-${shell.newId()}`;
  const plan = await applyStations(shell, { id, zone }, (reading) => planStations(shell, reading, zone, tick));
  shell.log('debug', 'stations.decided', { zone, does: plan.decision.does, because: plan.decision.because });
  return plan;
}

/**
 * A decision about the stations of a zone with the changes that follow from it, the row before it, and the state after
 * it.
 */
export type StationsPlan = Plan & {
  readonly decision: Decision<Stations>;
  readonly row: Row | undefined;
  readonly state: Stations | undefined;
};

/**
 * Carries out a plan about the stations of a zone, and has the supervision planned again where their services have
 * begun or ended.
 */
export async function applyStations<P extends StationsPlan>(
  shell: Shell,
  { id, zone }: { readonly id: string; readonly zone: string },
  make: (reading: Reading) => Promise<P>,
): Promise<P> {
  const plan = await applyPlan(shell, { id }, make);
  if (plan.changes.some(({ ref }) => ref.noun === 'service')) await lookAtSupervision(shell, zone);
  return plan;
}

/**
 * Decides about the stations of a zone. In the same commit the services change that run because of them, so that the
 * coordinator service is nowhere else than where the row says.
 */
export async function planStations(shell: Shell, reading: Reading, zone: string, input: StationsInput | Tick): Promise<StationsPlan> {
  const ref = stationsRef(zone);
  const row = await reading.row(ref);
  const now = shell.now();
  const before = stateOf(row, now);
  const decided = decide(before, input, now);
  const because = [decided.because];
  if (decided.does !== 'write') return { changes: [], because, decision: decided, row, state: before };
  const wakeAt = input.type === 'tick' ? decided.wakeAt : earlier(row?.wakeAt, decided.wakeAt);
  const { wakeAt: _own, ...rest } = decided;
  const decision: Decision<Stations> = { ...rest, ...(wakeAt !== undefined && { wakeAt }) };
  const serviceChanges = await planOwn(reading, { ...ownOf(before, decided.next, now), because: decided.because }, now);
  return { changes: [{ ref, readRev: row?.rev ?? 0, decision }, ...serviceChanges], because, decision, row, state: decided.next };
}

/**
 * The services of the stations before and after. When a host is heard again, it is unknown whether its node still has
 * what ran there.
 */
function ownOf(before: Stations | undefined, after: Stations, now: EpochMs) {
  const back = after.hosts.filter((host) => after.leases[host]?.service && !isValid(before?.leases[host], now));
  const nodes = back.map((host) => after.leases[host]!.node);
  const own = ownOfStations(after);
  return { before: ownOfStations(before), after: own, again: own.filter(({ node }) => nodes.includes(node)) };
}

/**
 * Why a host that was never a member may not become one yet; undefined once it may. The host reports node-up all the
 * time, and if it is a station itself, these reports are its heartbeats.
 */
export async function haltNow(shell: Shell, node: Speaker, heartbeat: Heartbeat): Promise<string | undefined> {
  const stations = await heard(shell, node, heartbeat);
  return haltOf(stations, shell.now());
}
