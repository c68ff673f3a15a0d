import { type Hears, pingsMax } from '../../events/reported/hears.ts';
import type { Tick } from '../decision.ts';
import type { DesiredStation } from '../desired/desired.ts';
import { Later } from '../errors.ts';
import type { Node } from '../nodes/node.ts';
import { apply } from '../runtime/apply.ts';
import { stateOf } from '../runtime/content.ts';
import type { Shell } from '../runtime/shell.ts';
import { decide, type StationsInput } from '../stations/decide.ts';
import { haltOf } from '../stations/quorum.ts';
import { leaseMs, type Stations, stationsRef } from '../stations/stations.ts';
import { keyOf } from '../table/keys.ts';
import type { EpochMs } from '../units.ts';
import type { LoadedZone } from '../zones/loaded.ts';
import { rosterSize, standingAt } from '../zones/roster.ts';
import { admitted } from '../zones/standing.ts';
import type { ZoneHead } from '../zones/zone.ts';

type Speaker = Pick<Node, 'id' | 'fqdn' | 'zone'>;
type Head = Pick<ZoneHead, 'stations' | 'membersVersion'> | undefined;

/** Whether a node's host is a station of its zone. */
export const isStationOf = (head: Head, { fqdn }: Pick<Node, 'fqdn'>): boolean => head?.stations?.includes(fqdn) === true;

/** What being a station adds to the revision of what a node should do: it is told whom to look for, and that changes with the members of the zone. */
export const stationRevision = (head: Head, node: Pick<Node, 'fqdn'>): number => (isStationOf(head, node) ? 1 + head!.membersVersion : 0);

/** What a station is told: whom of its zone to look for, and where. Undefined for any other node. */
export function stationTold({ head, members }: LoadedZone, node: Pick<Node, 'fqdn'>): DesiredStation | undefined {
  if (!isStationOf(head, node)) return undefined;
  const size = Math.min(rosterSize(head.roster), pingsMax);
  const pings = members.slice(0, size).flatMap((member, index) => {
    return member && admitted(standingAt(head.roster, index)) ? [{ index, address: member.watch }] : [];
  });
  return { leaseMs, size, pings };
}

type Word = { readonly id: string; readonly at: EpochMs; readonly hears?: Hears | undefined };

/** The stations of a zone; undefined where none were ever named. */
export const stationsOf = async (shell: Shell, zone: string): Promise<Stations | undefined> =>
  stateOf<Stations>(await shell.table.read(keyOf(stationsRef(zone))), shell.now());

/**
 * A station is heard. Its heartbeat is answered whatever becomes of its lease: what weather keeps from that the next one makes good, of which three
 * come within a lease.
 */
export async function hearStation(shell: Shell, speaker: Speaker, word: Word): Promise<void> {
  try {
    await heard(shell, speaker, word);
  } catch (error) {
    if (!(error instanceof Later)) throw error;
    shell.log('warn', 'report.later', { id: word.id, reason: error.code, detail: error.message });
  }
}

async function heard(shell: Shell, { id: node, fqdn, zone }: Speaker, { id, at, hears }: Word): Promise<Stations | undefined> {
  const input: StationsInput = { type: 'beat', id: `${id}-station`, host: fqdn, node, at, hears };
  const { decision, state } = await apply<Stations, StationsInput>(shell, stationsRef(zone), input, decide);
  const told = decision.does === 'write' && decision.events.length > 0;
  shell.log(told ? 'info' : 'debug', 'stations.decided', { zone, does: decision.does, because: decision.because });
  return state;
}

/**
 * Why a host that was never a member may not become one yet; undefined once it may. It says node-up all the time, and where it is a station itself
 * that is how it is heard.
 */
export async function haltNow(shell: Shell, node: Speaker, word: Word): Promise<string | undefined> {
  const stations = await heard(shell, node, word);
  return haltOf(stations, shell.now());
}

/** Time has passed for the stations of a zone: leases run out, and another coordinates. */
export async function tickStations(shell: Shell, zone: string, tick: Tick): Promise<void> {
  const input = { ...tick, id: `tick-${shell.newId()}` };
  const { decision } = await apply<Stations, typeof input>(shell, stationsRef(zone), input, decide);
  shell.log('debug', 'stations.decided', { zone, does: decision.does, because: decision.because });
}
