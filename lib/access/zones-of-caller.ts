import type { Client } from '../clients/client.ts';
import { withoutOthers } from '../clients/rows/claims.ts';
import type { ClientCommand } from '../clients/rows/command.ts';
import type { Decision } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import type { AdminScope } from '../identity/rights.ts';
import { zoneOf } from '../journal/rows/zone-of.ts';
import { type PooledHost, zoneOfHost } from '../nodes/admission/rows/pooled-host.ts';
import { ownerOf } from '../ports/table/keys.ts';
import type { Row } from '../ports/table/table.ts';
import { defaultZone } from '../zones/zone.ts';
import { type AdminCaller, lacking } from './verify-admin.ts';

/*
 * The things that a caller sees. An administrator may be limited to some zones, and then things of other zones do not
 * exist for it. Every lookup and every list for a caller asks these functions.
 */

/**
 * Whether the caller sees things of this zone. Things of no zone belong to the deployment, and only callers who are
 * limited to no zone see them.
 */
export function seesZone({ zones, reached }: AdminCaller, zone: string | undefined): boolean {
  const sees = zones === 'all' || (zone !== undefined && (zones as readonly string[]).includes(zone));
  if (!sees && zone !== undefined) reached?.add(zone);
  return sees;
}

/**
 * A filter by zone, for lists that hold things of any zone; undefined for a caller who is limited to no zone and sees
 * all.
 */
export const ofZones = (caller: AdminCaller): ((one: { readonly zone: string }) => boolean) | undefined =>
  isEverywhere(caller) ? undefined : ({ zone }) => seesZone(caller, zone);

/** Whether the caller sees a client system: by its zone, or by the zone that it asks for while it waits. */
export const seesSystem = (caller: AdminCaller, { zone }: Client): boolean => seesZone(caller, zone);

/**
 * Whether the caller sees a host in the pool: by the zone that it was admitted into, or else by the zone that it asks
 * for.
 */
export const seesHost = (caller: AdminCaller, host: PooledHost): boolean => seesZone(caller, zoneOfHost(host));

/**
 * The same decision, if the caller sees the client system at the time of the decision: since the lookup, it may have
 * moved into another zone. Otherwise `hidden` decides, or refuses the order.
 */
export const whereSeen =
  (caller: AdminCaller, decide: ClientDecision, hidden: () => Decision<Client>): ClientDecision =>
  (client, command, now) =>
    client && !seesSystem(caller, client) ? hidden() : decide(client, command, now);

type ClientDecision = (client: Client | undefined, command: ClientCommand, now: EpochMs) => Decision<Client>;

/**
 * Whether the caller sees the events of a row: those of the nodes, services, client systems and storage clusters of its
 * zones, and those of the zones themselves.
 */
export const seesRow = (caller: AdminCaller, { key, body }: Pick<Row, 'key' | 'body'>): boolean =>
  seesZone(caller, zoneOf(ownerOf(key), body));

/**
 * The data of an event, as far as the caller may see them. Only a caller who is limited to no zone sees which other
 * keys report a machine id, since they may be of any zone.
 */
export const visibleData = <D extends object>(caller: AdminCaller, type: string, data: D): D =>
  isEverywhere(caller) ? data : withoutOthers(type, data);

/**
 * The zones that a list covers: the one that the call asks for, or else the caller's own. A caller who is limited to no
 * zone gets the default zone.
 */
export const zonesListed = ({ zones }: AdminCaller, asked: string | undefined): readonly string[] =>
  asked !== undefined ? [asked] : zones === 'all' ? [defaultZone] : [...zones].sort();

/** Whether the caller is limited to no zone. Only such callers may see the deployment as a whole. */
export const isEverywhere = ({ zones }: AdminCaller): boolean => zones === 'all';

/** Throws a Refusal unless the caller holds the scope of the route that it calls in all zones. */
export function needsEverywhere(caller: AdminCaller, scope: AdminScope): void {
  if (!isEverywhere(caller)) throw lacking(scope, `this concerns the whole deployment: it needs the scope ${scope} in all zones`);
}
