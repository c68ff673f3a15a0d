import type { DateTime, Value } from '../../../../lib/uyuni/xml-rpc/value.ts';
import { faults } from './faults.ts';
import type { Call } from './method.ts';

/** The number of a system that the caller may see. Throws the fault -208 for any other. */
export async function wantSystem({ database, caller }: Call, sid: number): Promise<number> {
  const [found] = await database.rows<{ id: number }>('SELECT id FROM rhnserver WHERE id = $1 AND org_id = $2', [sid, caller.org]);
  if (!found) throw faults.noSuchSystem(sid);
  return found.id;
}

/** The numbers of systems that the caller may see, each once. Throws the fault -208 for the first that is none. */
export async function wantSystems({ database, caller }: Call, sids: readonly number[]): Promise<number[]> {
  const found = await database.rows<{ id: number }>('SELECT id FROM rhnserver WHERE id = ANY($1) AND org_id = $2', [sids, caller.org]);
  const there = new Set(found.map(({ id }) => id));
  const missing = sids.find((sid) => !there.has(sid));
  if (missing !== undefined) throw faults.noSuchSystem(missing);
  return [...there];
}

/** A channel by its label. Throws the fault -210 where there is none. */
export async function wantChannel({ database }: Call, label: string): Promise<{ id: number; parent: number | null }> {
  const [found] = await database.rows<{ id: number; parent: number | null }>(
    'SELECT id, parent_channel AS parent FROM rhnchannel WHERE label = $1',
    [label],
  );
  if (!found) throw faults.noSuchChannel(label);
  return found;
}

/** A configuration channel of the caller's organisation. `isState`: it has states, and no links or folders. */
export type ConfigChannel = { readonly id: number; readonly isState: boolean };

/** A configuration channel by its label. Throws the fault -210 where the caller's organisation has none. */
export async function wantConfigChannel({ database, caller }: Call, label: string): Promise<ConfigChannel> {
  const [found] = await database.rows<ConfigChannel>(
    `SELECT f.id, t.label = 'state' AS "isState" FROM rhnconfigchannel f JOIN rhnconfigchanneltype t ON t.id = f.confchan_type_id
     WHERE f.label = $1 AND f.org_id = $2`,
    [label, caller.org],
  );
  if (!found) throw faults.noSuchChannel(label);
  return found;
}

/** A group that is no entitlement, by its name or number. Throws the fault 2201 where there is none. */
export async function wantGroup({ database, caller }: Call, group: string | number): Promise<number> {
  const [found] = await database.rows<{ id: number }>(
    `SELECT id FROM rhnservergroup WHERE ${typeof group === 'number' ? 'id' : 'name'} = $1 AND org_id = $2 AND group_type IS NULL`,
    [group, caller.org],
  );
  if (!found) throw faults.noSuchGroup(group);
  return found.id;
}

/** The name of the minion of a system. Throws a fault for a system that is none. */
export async function wantMinion(call: Call, sid: number): Promise<string> {
  const id = await wantSystem(call, sid);
  const [found] = await call.database.rows<{ minion_id: string }>('SELECT minion_id FROM suseminioninfo WHERE server_id = $1', [id]);
  if (!found) throw faults.invalidParameter('Provided systemId does not correspond to a minion');
  return found.minion_id;
}

/** What has happened to a system, as a line of its history. */
export async function remember(
  { database }: Pick<Call, 'database'>,
  sids: readonly number[],
  summary: string,
  details = '',
): Promise<void> {
  await database.rows(
    `INSERT INTO rhnserverhistory (id, server_id, summary, details)
     SELECT nextval('rhn_event_id_seq'), sid, $2, $3 FROM unnest($1::numeric[]) sid`,
    [sids, summary, details],
  );
}

/** A moment that was given, in ms. Throws a fault for a text that is none. */
export function momentOf(given: DateTime): number {
  const parts = /^(\d{4})-?(\d{2})-?(\d{2})T(\d{2}):?(\d{2}):?(\d{2})/.exec(given.text);
  if (!parts) throw faults.invalid(`${given.text} is not a date`);
  const [, year, month, day, hours, minutes, seconds] = parts.map(Number);
  return Date.UTC(year!, month! - 1, day, hours, minutes, seconds);
}

/** A field of a struct that was given, if it is a text. */
export const textIn = (struct: { readonly [name: string]: Value }, name: string): string | undefined => {
  const value = struct[name];
  return typeof value === 'string' ? value : undefined;
};

/** Refuses a struct with a field that the method does not take. */
export function wantOnly(struct: { readonly [name: string]: Value }, ...fields: readonly string[]): void {
  const other = Object.keys(struct).find((field) => !fields.includes(field));
  if (other !== undefined) throw faults.invalidParameter(`Unknown parameter ${other}, one of ${fields.join(', ')} is taken`);
}
