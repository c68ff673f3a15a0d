import type { AdminCaller } from '../../access/verify-admin.ts';
import type { RowRef } from '../../core/decision.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Node } from '../../nodes/node.ts';
import type { Row } from '../../ports/table/table.ts';
import { stateOf } from '../../runtime/content.ts';
import { readRow } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { stationsOf } from '../../stations/reads.ts';
import { heardText, heldByStations, isValid, quorumOf } from '../../stations/rows/quorum.ts';
import { type SiteOrders, siteOrdersRef } from '../../stations/site-orders/site-orders.ts';
import { type StationLease, type Stations, stationsRef } from '../../stations/stations.ts';
import { foundZone } from '../../zones/reads/found.ts';
import type { LoadedZone } from '../../zones/rows/loaded.ts';
import type { Explanation } from './routes.ts';
import { lastDecision } from './told.ts';

/**
 * The state of the stations of a zone: whether a majority is heard, who acts on site, and why they oppose giving up
 * this node.
 */
export async function stationsEntries(shell: Shell, { head }: LoadedZone, node?: Node): Promise<Explanation['also']> {
  const stations = head.stations && (await stationsOf(shell, head.name));
  if (!stations) return [];
  const now = shell.now();
  const quorum = quorumOf(stations, now);
  const { coordinator } = stations;
  const held = node?.status === 'suspect' ? heldByStations(stations, node, now) : undefined;
  const waits = node?.status === 'waiting' && !quorum.isQuorate;
  return [
    {
      subject: `the stations of zone ${head.name}`,
      because: stationsText(stations, now),
      ...(coordinator && { at: new Date(coordinator.since).toISOString() }),
    },
    ...(held === undefined ? [] : [{ subject: 'rule 17', because: held }]),
    ...(waits ? [{ subject: 'it waits', because: 'a host needs a majority of the stations to be let in for the first time' }] : []),
  ];
}

/** Whether a majority of them is heard, and which of them coordinates, as text. */
function stationsText(stations: Stations, now: EpochMs): string {
  const quorum = quorumOf(stations, now);
  const { coordinator } = stations;
  const acts = coordinator && quorum.isQuorate ? `${coordinator.host} coordinates, epoch ${coordinator.epoch}` : 'nobody coordinates';
  return `${heardText(quorum)}; ${acts}`;
}

/**
 * Why the stations of a zone are as they are: the last decision about their set, their leases and their coordinator,
 * and which of them are heard.
 */
export async function explainStations(shell: Shell, name: string, caller: AdminCaller): Promise<Explanation> {
  const { state: stations, ...row } = await ofZone<Stations>(shell, name, caller, stationsRef);
  const now = shell.now();
  const { hosts = [], leases = {}, former } = stations ?? {};
  return {
    subject: `the stations of zone ${name}`,
    state: stations && hosts.length > 0 ? stationsText(stations, now) : 'none are named',
    ...row.decision,
    also: [
      ...hosts.map((host) => ({
        subject: `station ${host}`,
        because: stationText(leases[host], now),
        ...(leases[host] && { at: new Date(leases[host].renewedAt).toISOString() }),
      })),
      ...(former && former.until > now
        ? [{ subject: 'the former coordinator', because: `node ${former.node} may still act`, at: new Date(former.until).toISOString() }]
        : []),
    ],
  };
}

/** Whether a station is heard, and whether the coordinator has failed there. */
function stationText(lease: StationLease | undefined, now: EpochMs): string {
  if (!isValid(lease, now)) return 'is not heard';
  return lease.failed ? 'is heard; the coordinator has failed there for good, and others come first' : 'is heard';
}

/** Why the orders on the site of a zone are as they are: the last decision about an order, and the waiting orders. */
export async function explainSiteOrders(shell: Shell, name: string, caller: AdminCaller): Promise<Explanation> {
  const { state: orders, ...row } = await ofZone<SiteOrders>(shell, name, caller, siteOrdersRef);
  const { power, waiting = [], wanted = [], last = 0 } = orders ?? {};
  return {
    subject: `the orders on the site of zone ${name}`,
    state: `${last} ${last === 1 ? 'was' : 'were'} given, ${waiting.length} ${waiting.length === 1 ? 'waits' : 'wait'}`,
    ...row.decision,
    also: [
      { subject: 'the rule', because: power ? `it power-cycles hosts that are down: ${power.auto}` : 'it is not configured' },
      ...waiting.map(({ n, host, epoch, at }) => ({
        subject: `order ${n}`,
        because: `${host} is power-cycled, under epoch ${epoch}`,
        at: new Date(at).toISOString(),
      })),
      ...wanted.map(({ host, since }) => ({ subject: `host ${host}`, because: 'waits for its turn', at: new Date(since).toISOString() })),
    ],
  };
}

/** A row that has its zone's name, with its last decision; a placeholder for a row that never existed. */
export async function ofZone<S>(shell: Shell, name: string, caller: AdminCaller, refOf: (zone: string) => RowRef) {
  const { head } = await foundZone(shell, name, caller);
  const row: Row | undefined = await readRow(shell, refOf(head.name));
  const never = { because: 'it never existed', since: new Date(shell.now()).toISOString(), by: '-' };
  return { state: stateOf<S>(row, shell.now()), decision: row ? lastDecision(row) : never };
}
