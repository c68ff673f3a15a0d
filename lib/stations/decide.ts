import type { Hears } from '../../events/reported/hears.ts';
import { type Concluded, type Decision, type Grace, graced, isSame, nothing, type Tick, write } from '../core/decision.ts';
import type { Fqdn, NodeId, ZoneName } from '../core/ids.ts';
import { type EpochMs, earlier, plusMs } from '../core/time.ts';
import { heardText, isValid, quorumOf } from './rows/quorum.ts';
import { type Coordinator, lapsesAt, renewedAfterMs, type StationLease, type Stations, takeOverMs } from './stations.ts';

/** The inputs of {@link decide}, besides the passing of time. */
export type StationsInput =
  /**
   * The stations are named. A list that differs from the present one needs `update`, and a majority of the present
   * stations.
   */
  | {
      readonly type: 'name';
      readonly id: string;
      readonly zone: ZoneName;
      readonly hosts: readonly Fqdn[];
      readonly update: boolean;
      readonly by: 'operator' | 'host';
    }
  /** An operator gives the stations up, whether a majority of them is heard or not. The zone has none then. */
  | { readonly type: 'reset'; readonly id: string; readonly zone: ZoneName }
  /** A station is heard, at the time `at` of the endpoint. */
  | {
      readonly type: 'beat';
      readonly id: string;
      readonly host: Fqdn;
      readonly node: NodeId;
      readonly at: EpochMs;
      readonly hears?: Hears | undefined;
      readonly heartbeat?: StationLease['heartbeat'];
    }
  /** The coordinator service on a node was restarted: each start of it has an epoch of its own. */
  | { readonly type: 'restarted'; readonly node: NodeId; readonly epoch: number }
  /** The coordinator service on a node has failed, and the rule does not restart it. */
  | { readonly type: 'failed'; readonly node: NodeId; readonly epoch: number }
  /**
   * The services that ran on a node because of the stations are no longer registered, because that node was given up.
   */
  | { readonly type: 'unregistered'; readonly node: NodeId };

/** Decides which hosts are the stations of a zone, whose lease holds, and which of them coordinates. */
export function decide(stations: Stations | undefined, input: StationsInput | Tick, now: EpochMs): Decision<Stations> {
  if (input.type === 'name') return onName(stations, input, now);
  if (!stations) return nothing('the zone has no stations');
  switch (input.type) {
    case 'reset':
      return onReset(stations, now);
    case 'beat':
      return onHeartbeat(stations, input, now);
    case 'restarted':
      return onRestarted(stations, input, now);
    case 'failed':
      return onFailed(stations, input, now);
    case 'unregistered':
      return onUnregistered(stations, input, now);
    case 'tick':
      return onTick(stations, input, now);
  }
}

type Naming = Extract<StationsInput, { type: 'name' }>;

/**
 * Why a set may not replace the present one: how they differ, or that too few of the present stations are heard.
 * Undefined where it may.
 */
export function unnameable(stations: Stations | undefined, { hosts, update }: Pick<Naming, 'hosts' | 'update'>, now: EpochMs) {
  const differs = stations && stations.hosts.length > 0 ? differenceOf(stations.hosts, hosts) : undefined;
  if (differs === undefined) return undefined;
  if (!update) return { why: 'differs' as const, says: `other stations are named already: ${differs}. Set update to replace them` };
  const quorum = quorumOf(stations!, now);
  if (quorum.isQuorate) return undefined;
  return { why: 'no-quorum' as const, says: `a change needs a majority of the present stations: ${heardText(quorum)}` };
}

/** How two lists of hosts differ, in words; undefined where they name the same hosts. */
export function differenceOf(before: readonly string[], after: readonly string[]): string | undefined {
  const more = after.filter((host) => !before.includes(host)).sort();
  const fewer = before.filter((host) => !after.includes(host)).sort();
  if (more.length + fewer.length === 0) return undefined;
  const differences = [
    ...(more.length > 0 ? [`${more.join(', ')} ${more.length === 1 ? 'is' : 'are'} new`] : []),
    ...(fewer.length > 0 ? [`${fewer.join(', ')} ${fewer.length === 1 ? 'is' : 'are'} missing`] : []),
  ];
  return differences.join('; ');
}

function onName(stations: Stations | undefined, { zone, hosts: given, update, by }: Naming, now: EpochMs): Decision<Stations> {
  const refused = unnameable(stations, { hosts: given, update }, now);
  if (refused) return nothing(refused.says);
  const hosts = [...new Set(given)].sort();
  if (stations && isSame(stations.hosts, hosts)) return nothing('they are in the group already');
  if (!stations && hosts.length === 0) return nothing('the zone has no stations');
  const leases = Object.fromEntries(Object.entries(stations?.leases ?? {}).filter(([host]) => hosts.includes(host as Fqdn)));
  const { leases: _before, quorateSince, ...rest } = stations ?? { epoch: 0, leases: {} };
  const named = { ...rest, zone, hosts, named: { at: now, by }, leases, ...(quorateSince !== undefined && { quorateSince }) };
  const because = hosts.length === 0 ? 'the zone has no stations any more' : `the stations are ${hosts.join(', ')}`;
  return settled(named, because, { now, loses: true });
}

/**
 * The former coordinator may act until its last heartbeat no longer counts. Stations that are named next wait for that.
 */
function onReset(stations: Stations, now: EpochMs): Decision<Stations> {
  if (stations.hosts.length === 0) return nothing('the zone has no stations');
  const { quorateSince: _none, ...rest } = stations;
  const because = `an operator gave up the stations ${stations.hosts.join(', ')}`;
  return settled({ ...rest, hosts: [], named: { at: now, by: 'reset' }, leases: {} }, because, { now, loses: true });
}

/**
 * A lease is renewed once about half of it has passed, or when the heartbeat contains news: the row of all stations is
 * not written at each heartbeat.
 */
function onHeartbeat(
  stations: Stations,
  { host, node, at, hears, heartbeat }: Extract<StationsInput, { type: 'beat' }>,
  now: EpochMs,
): Decision<Stations> {
  if (!stations.hosts.includes(host)) return nothing(`${host} is not a station`);
  const lease = stations.leases[host];
  if (lease && at <= lease.renewedAt) return nothing(`a newer heartbeat of ${host} counts`);
  if (lease?.node === node && isMadeAgain(lease.heartbeat, heartbeat)) return nothing(`this heartbeat of ${host} was heard before`);
  if (lapsesAt({ renewedAt: at }) <= now) return nothing('the heartbeat is too old to renew the lease');
  const reported = hears ?? (lease?.node === node ? lease.hears : undefined);
  const isNews = lease?.node !== node || !lease.service || !isSame(lease.hears, reported) || at - lease.renewedAt >= renewedAfterMs;
  if (!isNews) return nothing(`the lease of ${host} holds`);
  const failed = lease?.node === node && lease.failed && isValid(lease, now) ? { failed: true as const } : {};
  const leases = {
    ...stations.leases,
    [host]: {
      node,
      renewedAt: at,
      ...(heartbeat && { heartbeat }),
      ...(reported && { hears: reported }),
      service: true as const,
      ...failed,
    },
  };
  return settled({ ...stations, leases }, `${host} renewed its lease`, { now, loses: false });
}

/**
 * Whether a heartbeat is the one that last renewed the lease, or an earlier one of that incarnation. The row of its
 * node need not know it, as its message may have been lost on the way there.
 */
const isMadeAgain = (last: StationLease['heartbeat'], heartbeat: StationLease['heartbeat']): boolean =>
  last !== undefined && heartbeat?.incarnation === last.incarnation && heartbeat.seq <= last.seq;

/**
 * Leases run out only here. A function that slept, and hears one of the stations again, does not take the others for
 * lost.
 */
function onTick(stations: Stations, tick: Tick, now: EpochMs): Decision<Stations> {
  if (tick.graceUntil !== undefined && tick.graceUntil > now) return nothing('grace: Muster may have slept', tick.graceUntil);
  const next = settled(stations, 'leases have run out', { now, loses: true, ...tick });
  return next.does === 'write' && isSame(next.next, stations) ? nothing('the leases are unchanged', next.wakeAt) : next;
}

/** The same station continues to coordinate, under the epoch of its new start. */
function onRestarted(stations: Stations, { node, epoch }: Extract<StationsInput, { type: 'restarted' }>, now: EpochMs): Decision<Stations> {
  const { zone, coordinator, leases } = stations;
  if (coordinator?.node !== node || epoch <= stations.epoch) return nothing(`node ${node} does not coordinate under epoch ${epoch}`);
  const next: Coordinator = { ...coordinator, epoch, since: now };
  const because = `the coordinator on ${next.host} was restarted, epoch ${epoch}`;
  const { failed: _over, ...lease } = leases[next.host] ?? {};
  const again = {
    ...stations,
    epoch,
    coordinator: next,
    ...(leases[next.host] && { leases: { ...leases, [next.host]: lease as StationLease } }),
  };
  return write(again, because, { events: [elected(zone, next)], wakeAt: lapse(stations, { now }) });
}

/**
 * The coordinator is not restarted there. Another station that is heard must coordinate, which is decided at once. If
 * there is none, the coordinator stays.
 */
function onFailed(stations: Stations, { node, epoch }: Extract<StationsInput, { type: 'failed' }>, now: EpochMs): Decision<Stations> {
  const { coordinator, leases } = stations;
  const lease = coordinator && leases[coordinator.host];
  if (coordinator?.node !== node || coordinator.epoch !== epoch || lease?.node !== node || lease.failed)
    return nothing(`node ${node} does not coordinate under epoch ${epoch}, or has failed before`);
  const next = { ...stations, leases: { ...leases, [coordinator.host]: { ...lease, failed: true as const } } };
  return write<Stations, never>(next, `the coordinator on ${coordinator.host} has failed for good`, { wakeAt: now });
}

/**
 * The heartbeats of the node no longer count. With its next heartbeat, as another member, its services begin again, and
 * it may be elected.
 */
function onUnregistered(stations: Stations, { node }: Extract<StationsInput, { type: 'unregistered' }>, now: EpochMs): Decision<Stations> {
  const { zone, coordinator } = stations;
  const led = coordinator?.node === node;
  const { leases, ...rest } = led ? withoutCoordinator(stations, now) : stations;
  const others = Object.entries(leases).filter(([, lease]) => lease.node !== node);
  if (!led && others.length === Object.keys(leases).length) return nothing(`no station was heard from node ${node}`);
  const next: Stations = { ...rest, leases: Object.fromEntries(others) };
  return write(next, `node ${node} was given up`, { events: led ? [lost(zone, coordinator, 'lease')] : [], wakeAt: now });
}

/** `loses`: whether a coordinator and a quorum may be lost now, and not only gained. */
type Settling = Grace & { readonly now: EpochMs; readonly loses: boolean };

/** When the first of the valid leases runs out, or the former coordinator no longer acts. */
const lapse = (stations: Stations, { now, ...grace }: Grace & { readonly now: EpochMs }): EpochMs | undefined =>
  stations.hosts
    .flatMap((host) => (isValid(stations.leases[host], now) ? [graced(lapsesAt(stations.leases[host]), grace)] : []))
    .reduce<EpochMs | undefined>(
      (first, at) => earlier(first, at),
      stations.former && stations.former.until > now ? stations.former.until : undefined,
    );

/**
 * The row with the coordinator that follows from it: the present one while its lease is valid, otherwise the first
 * station with a valid lease. Each time the epoch is higher.
 */
function settled(stations: Stations, because: string, settling: Settling): Decision<Stations> {
  const { now, loses } = settling;
  const quorum = quorumOf(stations, now);
  const why = quorum.stations === 0 ? because : `${because}; ${heardText(quorum)}`;
  if (quorum.isQuorate && quorum.stations > 0) return led(stations, why, { ...settling, heard: quorum.heard });
  if (!loses) return write<Stations, never>(stations, why, { wakeAt: lapse(stations, settling) });
  const { quorateSince: _none, ...rest } = withoutCoordinator(stations, now);
  const events = stations.coordinator ? [lost(stations.zone, stations.coordinator, quorum.stations === 0 ? 'unnamed' : 'quorum')] : [];
  return write(rest, why, { events, wakeAt: lapse(rest, settling) });
}

/**
 * The row without its coordinator. The agent of the coordinator may act until its last heartbeat no longer counts. If
 * that heartbeat is no longer known, it may have come just now.
 */
function withoutCoordinator({ coordinator, former, ...rest }: Stations, now: EpochMs): Stations {
  const lease = coordinator && rest.leases[coordinator.host];
  const until = lease?.node === coordinator?.node && lease ? lapsesAt(lease) : plusMs(now, takeOverMs);
  const last = coordinator ? { node: coordinator.node, until } : former;
  return { ...rest, ...(last && last.until > now && { former: last }) };
}

/**
 * A majority is heard. The coordinator continues. Once it no longer acts, the first station by name that is heard
 * follows. Stations where the coordinator service has not failed for good come before the others.
 */
function led(stations: Stations, because: string, settling: Settling & { readonly heard: readonly string[] }): Decision<Stations> {
  const { now, loses, heard } = settling;
  const { zone, coordinator, leases } = stations;
  const quorate = { ...stations, quorateSince: stations.quorateSince ?? now };
  const quorum: Concluded[] =
    stations.quorateSince === undefined
      ? [{ type: 'station.quorate', version: 1, data: { zone, heard: [...heard], stations: stations.hosts.length } }]
      : [];
  const able = heard.filter((one) => !leases[one]!.failed);
  const isThere = coordinator !== undefined && leases[coordinator.host]?.node === coordinator.node;
  const isPassedOver = coordinator !== undefined && isThere && leases[coordinator.host]!.failed === true && able.length > 0;
  if (coordinator && isThere && !isPassedOver && (!loses || isValid(leases[coordinator.host], now)))
    return write(quorate, because, { events: quorum, wakeAt: lapse(quorate, settling) });
  const rest = withoutCoordinator(quorate, now);
  const { former, ...free } = rest;
  const by = coordinator && (!stations.hosts.includes(coordinator.host) ? 'unnamed' : isPassedOver ? 'failed' : 'lease');
  const events = [...quorum, ...(coordinator ? [lost(zone, coordinator, by!)] : [])];
  const host = (able.length > 0 ? able : heard).find((one) => !former || leases[one]!.node === former.node) as Fqdn | undefined;
  if (!host) return write(rest, `${because}; node ${former!.node} may still act`, { events, wakeAt: lapse(rest, settling) });
  const next: Coordinator = { host, node: leases[host]!.node, epoch: stations.epoch + 1, since: now };
  return write({ ...free, epoch: next.epoch, coordinator: next }, `${because}; ${host} coordinates, epoch ${next.epoch}`, {
    events: [...events, elected(zone, next)],
    wakeAt: lapse(free, settling),
  });
}

const elected = (zone: ZoneName, { host, node, epoch }: Coordinator): Concluded => ({
  type: 'coordinator.elected',
  version: 1,
  data: { zone, host, node, epoch },
});

/**
 * `lease`: it is no longer heard. `quorum`: too few of all stations are. `unnamed`: it is no longer a station.
 * `failed`: the coordinator service has failed there for good.
 */
const lost = (zone: ZoneName, { host, node, epoch }: Coordinator, by: 'lease' | 'quorum' | 'unnamed' | 'failed'): Concluded => ({
  type: 'coordinator.lost',
  version: 1,
  data: { zone, host, node, epoch, by },
});
