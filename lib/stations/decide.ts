import type { Hears } from '../../events/reported/hears.ts';
import { type Concluded, type Decision, type Grace, graced, isSame, nothing, type Tick, write } from '../decision.ts';
import type { Fqdn, NodeId, ZoneName } from '../ids.ts';
import { type EpochMs, earlier } from '../units.ts';
import { isValid, quorumOf, saidOf } from './quorum.ts';
import { type Coordinator, lapsesAt, renewedAfterMs, type Stations } from './stations.ts';

/** What may happen to the stations of a zone, besides that time passes. */
export type StationsInput =
  /** Somebody names them. A list that differs from the one that was named needs `update`, and a majority of those that were. */
  | {
      readonly type: 'name';
      readonly id: string;
      readonly zone: ZoneName;
      readonly hosts: readonly Fqdn[];
      readonly update: boolean;
      readonly by: 'operator' | 'host';
    }
  /** A station is heard, at the door's `at`. */
  | {
      readonly type: 'beat';
      readonly id: string;
      readonly host: Fqdn;
      readonly node: NodeId;
      readonly at: EpochMs;
      readonly hears?: Hears | undefined;
    };

/** Decides who the stations of a zone are, whose lease holds, and which of them coordinates. */
export function decide(stations: Stations | undefined, input: StationsInput | Tick, now: EpochMs): Decision<Stations> {
  if (input.type === 'name') return onName(stations, input, now);
  if (!stations) return nothing('the zone has no stations');
  return input.type === 'beat' ? onBeat(stations, input, now) : onTick(stations, input, now);
}

type Naming = Extract<StationsInput, { type: 'name' }>;

/** Why a set may not be named in the place of the one that is there: how they differ, or that too few of the old one are heard. Undefined where it may. */
export function unnameable(stations: Stations | undefined, { hosts, update }: Pick<Naming, 'hosts' | 'update'>, now: EpochMs) {
  const differs = stations && stations.hosts.length > 0 ? differenceOf(stations.hosts, hosts) : undefined;
  if (differs === undefined) return undefined;
  if (!update) return { why: 'differs' as const, says: `the stations are named already, and not the same: ${differs}` };
  const quorum = quorumOf(stations!, now);
  if (quorum.isQuorate) return undefined;
  return { why: 'no-quorum' as const, says: `the set changes only with a majority of the old one: ${saidOf(quorum)}` };
}

/** How two lists of hosts differ, in words; undefined for two that name the same ones. */
export function differenceOf(before: readonly string[], after: readonly string[]): string | undefined {
  const more = after.filter((host) => !before.includes(host)).sort();
  const fewer = before.filter((host) => !after.includes(host)).sort();
  if (more.length + fewer.length === 0) return undefined;
  const said = [
    ...(more.length > 0 ? [`${more.join(', ')} ${more.length === 1 ? 'is' : 'are'} new`] : []),
    ...(fewer.length > 0 ? [`${fewer.join(', ')} ${fewer.length === 1 ? 'is' : 'are'} missing`] : []),
  ];
  return said.join('; ');
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

/** A lease is renewed once about half of it has passed, or when what the station says is news: a row of all of them is not written at each of its beats. */
function onBeat(stations: Stations, { host, node, at, hears }: Extract<StationsInput, { type: 'beat' }>, now: EpochMs): Decision<Stations> {
  if (!stations.hosts.includes(host)) return nothing(`${host} is no station`);
  const lease = stations.leases[host];
  if (lease && at <= lease.renewedAt) return nothing(`${host} was heard since`);
  if (lapsesAt({ renewedAt: at }) <= now) return nothing('the word is older than the lease it would renew');
  const said = hears ?? (lease?.node === node ? lease.hears : undefined);
  const isNews = lease?.node !== node || !isSame(lease.hears, said) || at - lease.renewedAt >= renewedAfterMs;
  if (!isNews) return nothing(`the lease of ${host} holds`);
  const leases = { ...stations.leases, [host]: { node, renewedAt: at, ...(said && { hears: said }) } };
  return settled({ ...stations, leases }, `${host} is heard`, { now, loses: false });
}

/** Only here a lease runs out: whoever slept, and hears one of them again, does not take the others for lost. */
function onTick(stations: Stations, tick: Tick, now: EpochMs): Decision<Stations> {
  if (tick.graceUntil !== undefined && tick.graceUntil > now) return nothing('grace: we may have slept', tick.graceUntil);
  const next = settled(stations, 'leases have run out', { now, loses: true, ...tick });
  return next.does === 'write' && isSame(next.next, stations) ? nothing('their leases are as they were', next.wakeAt) : next;
}

/** `loses`: whether a coordinator and a quorum may be lost now, and not only found. */
type Settling = Grace & { readonly now: EpochMs; readonly loses: boolean };

/** The row with the coordinator that follows from it: the one there is while its lease holds, else the first whose lease does, each time with a higher number. */
function settled(stations: Stations, because: string, { now, loses, ...grace }: Settling): Decision<Stations> {
  const quorum = quorumOf(stations, now);
  const wakeAt = stations.hosts
    .flatMap((host) => (isValid(stations.leases[host], now) ? [graced(lapsesAt(stations.leases[host]), grace)] : []))
    .reduce<EpochMs | undefined>((first, at) => earlier(first, at), undefined);
  if (!quorum.isQuorate || quorum.stations === 0) {
    if (!loses) return write<Stations, never>(stations, `${because}; ${saidOf(quorum)}`, { wakeAt });
    const { coordinator, quorateSince: _none, ...rest } = stations;
    const events = coordinator ? [lost(stations.zone, coordinator, quorum.stations === 0 ? 'unnamed' : 'quorum')] : [];
    return write(rest, quorum.stations === 0 ? because : `${because}; ${saidOf(quorum)}`, { events, wakeAt });
  }
  return elected(stations, `${because}; ${saidOf(quorum)}`, { now, loses, wakeAt, heard: quorum.heard });
}

function elected(
  stations: Stations,
  because: string,
  { now, loses, wakeAt, heard }: Settling & { readonly wakeAt: EpochMs | undefined; readonly heard: readonly string[] },
): Decision<Stations> {
  const { zone, coordinator, leases } = stations;
  const isNew = stations.quorateSince === undefined;
  const quorate = { ...stations, quorateSince: stations.quorateSince ?? now };
  const quorum = isNew
    ? [{ type: 'station.quorate', version: 1, data: { zone, heard: [...heard], stations: stations.hosts.length } } satisfies Concluded]
    : [];
  const holds = coordinator && leases[coordinator.host]?.node === coordinator.node && isValid(leases[coordinator.host], now);
  if (coordinator && (holds || (!loses && leases[coordinator.host]?.node === coordinator.node)))
    return write(quorate, because, { events: quorum, wakeAt });
  const host = heard[0]! as Fqdn;
  const next: Coordinator = { host, node: leases[host]!.node, epoch: stations.epoch + 1, since: now };
  const events: Concluded[] = [
    ...quorum,
    ...(coordinator ? [lost(zone, coordinator, stations.hosts.includes(coordinator.host) ? 'lease' : 'unnamed')] : []),
    { type: 'coordinator.elected', version: 1, data: { zone, host, node: next.node, epoch: next.epoch } },
  ];
  return write({ ...quorate, epoch: next.epoch, coordinator: next }, `${because}; ${host} coordinates, epoch ${next.epoch}`, {
    events,
    wakeAt,
  });
}

/** `lease`: it is heard no more. `quorum`: too few of all are. `unnamed`: it is no station any more. */
const lost = (zone: ZoneName, { host, node, epoch }: Coordinator, by: 'lease' | 'quorum' | 'unnamed'): Concluded => ({
  type: 'coordinator.lost',
  version: 1,
  data: { zone, host, node, epoch, by },
});
