import type { Client } from '../clients/client.ts';
import type { ClientCommand } from '../clients/rows/command.ts';
import { withoutOthers } from '../clients/rows/machine-id.ts';
import type { Decision } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import type { AdminScope } from '../identity/rights.ts';
import { type PooledHost, zoneOfHost } from '../nodes/admission/rows/pooled-host.ts';
import type { Node } from '../nodes/node.ts';
import { ownerOf } from '../ports/table/keys.ts';
import type { Row } from '../ports/table/table.ts';
import type { Service } from '../services/service.ts';
import { defaultZone } from '../zones/zone.ts';
import { type AdminCaller, lacking } from './verify-admin.ts';

/*
 * What is there for a caller: an administrator may be limited to some zones, and what is of any other is to him as if
 * it were not. Whatever is looked up or listed for a caller is asked here.
 */

/**
 * Whether what is of this zone is there for the caller. What is of no zone is the deployment's, for those who are
 * limited to none.
 */
export function seesZone({ zones, reached }: AdminCaller, zone: string | undefined): boolean {
  const sees = zones === 'all' || (zone !== undefined && (zones as readonly string[]).includes(zone));
  if (!sees && zone !== undefined) reached?.add(zone);
  return sees;
}

/**
 * Whether what is of a zone is there for the caller, for lists that hold what is of any; undefined for who is limited
 * to none, who sees all.
 */
export const ofZones = (caller: AdminCaller): ((one: { readonly zone: string }) => boolean) | undefined =>
  isEverywhere(caller) ? undefined : ({ zone }) => seesZone(caller, zone);

/** Whether a client system is there for the caller: by the zone that it is of, or asks for while it waits. */
export const seesSystem = (caller: AdminCaller, { zone }: Client): boolean => seesZone(caller, zone);

/** Whether a host in the pool is there for the caller: by the zone that it was admitted into, or else asks for. */
export const seesHost = (caller: AdminCaller, host: PooledHost): boolean => seesZone(caller, zoneOfHost(host));

/**
 * The same decision on a client system that is there for the caller as it is decided upon: since it was looked up it
 * may have come into another zone. What becomes of the order else is for `hidden` to say, or to refuse.
 */
export const whereSeen =
  (caller: AdminCaller, decide: ClientDecision, hidden: () => Decision<Client>): ClientDecision =>
  (client, command, now) =>
    client && !seesSystem(caller, client) ? hidden() : decide(client, command, now);

type ClientDecision = (client: Client | undefined, command: ClientCommand, now: EpochMs) => Decision<Client>;

/**
 * Whether what a row concludes is there for the caller: the events of its zones' nodes, client systems and storage
 * clusters, and of the zones themselves.
 */
export function seesRow(caller: AdminCaller, { key, body }: Pick<Row, 'key' | 'body'>): boolean {
  const { noun, id } = ownerOf(key);
  if (noun === 'zone' || noun === 'stations' || noun === 'site-orders') return seesZone(caller, id);
  if (noun === 'node') return seesZone(caller, (body as Node).zone);
  if (noun === 'service') return seesZone(caller, (body as Service).zone);
  if (noun === 'cluster') return seesZone(caller, id);
  // Their ids are the zone, a slash, and what they go by.
  if (noun === 'process' || noun === 'mero-node') return seesZone(caller, id.slice(0, id.lastIndexOf('/')));
  return noun === 'client' ? seesSystem(caller, body as Client) : isEverywhere(caller);
}

/**
 * What an event says, as far as it is for the caller: which other keys say a machine id is only for who is limited to
 * no zone, since they may be of any.
 */
export const shownOf = <D extends object>(caller: AdminCaller, type: string, data: D): D =>
  isEverywhere(caller) ? data : withoutOthers(type, data);

/** The zones that a list is about when it is asked for this one, or for none. */
export const zonesListed = ({ zones }: AdminCaller, asked: string | undefined): readonly string[] =>
  asked !== undefined ? [asked] : zones === 'all' ? [defaultZone] : [...zones].sort();

/** Whether the caller is limited to no zone: what concerns the deployment as a whole is for such alone. */
export const isEverywhere = ({ zones }: AdminCaller): boolean => zones === 'all';

/** Throws a Refusal unless the caller holds the scope of the route that it calls in all zones. */
export function needsEverywhere(caller: AdminCaller, scope: AdminScope): void {
  if (!isEverywhere(caller)) throw lacking(scope, `this concerns the whole deployment: it needs the scope ${scope} in all zones`);
}
