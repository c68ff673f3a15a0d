import type { Database } from '../database.ts';
import type { Minion } from './minion.ts';

type Known = { readonly id: number; readonly minion_id: string; readonly machine_id: string };

/**
 * Registers a minion whose key was accepted, as the server does: a known machine gets the new minion id, a known minion
 * id the new machine, and two systems that each have one of them are a conflict. Gives the number of the system, and of
 * the first action that it will carry out; undefined for a conflict, which the server only logs.
 */
export async function register(database: Database, { id, machineId }: Minion): Promise<{ sid: number; action: number } | undefined> {
  return database.transaction(async (inside) => {
    const known = await inside.rows<Known>(
      'SELECT s.id, m.minion_id, s.machine_id FROM rhnserver s JOIN suseminioninfo m ON m.server_id = s.id WHERE m.minion_id = $1 OR s.machine_id = $2',
      [id, machineId],
    );
    if (known.length > 1) return undefined;
    const [same] = known;
    const sid = same === undefined ? await add(inside, id, machineId) : await renew(inside, same.id, id, machineId);
    return { sid, action: await firstAction(inside, sid) };
  });
}

async function add(database: Database, minion: string, machineId: string): Promise<number> {
  const [server] = await database.rows<{ id: number }>(
    `INSERT INTO rhnserver (id, org_id, digital_server_id, server_arch_id, os, release, name, hostname, secret, machine_id, running_kernel, last_boot)
     VALUES (nextval('rhn_server_id_seq'), 1, $1::varchar, 1, 'Leap', '15.6', $1::varchar, $1::varchar, md5($1::text), $2, '6.4.0',
       floor(extract(epoch FROM current_timestamp))) RETURNING id`,
    [minion, machineId],
  );
  const sid = server?.id ?? 0;
  await database.rows(`INSERT INTO suseminioninfo (server_id, minion_id, os_family) VALUES ($1, $2, 'Suse')`, [sid, minion]);
  await database.rows('INSERT INTO rhnserverinfo (server_id) VALUES ($1)', [sid]);
  await database.rows(
    `INSERT INTO rhnservergroupmembers (server_id, server_group_id)
     SELECT $1, g.id FROM rhnservergroup g JOIN rhnservergrouptype t ON t.id = g.group_type WHERE t.label = 'salt_entitled' AND g.org_id = 1`,
    [sid],
  );
  return sid;
}

async function renew(database: Database, sid: number, minion: string, machineId: string): Promise<number> {
  await database.rows('UPDATE rhnserver SET machine_id = $2 WHERE id = $1 AND machine_id <> $2', [sid, machineId]);
  await database.rows('UPDATE suseminioninfo SET minion_id = $2 WHERE server_id = $1 AND minion_id <> $2', [sid, minion]);
  await database.rows('UPDATE rhnserverinfo SET checkin = current_timestamp, checkin_counter = checkin_counter + 1 WHERE server_id = $1', [
    sid,
  ]);
  return sid;
}

/** What every system does first: it reports its hardware. */
async function firstAction(database: Database, sid: number): Promise<number> {
  await database.rows(
    `INSERT INTO rhnserverhistory (id, server_id, summary) VALUES (nextval('rhn_event_id_seq'), $1, 'The system was registered')`,
    [sid],
  );
  const [action] = await database.rows<{ id: number }>(
    `INSERT INTO rhnaction (id, org_id, action_type, name, earliest_action)
     SELECT nextval('rhn_event_id_seq'), 1, id, name, current_timestamp FROM rhnactiontype WHERE label = 'hardware.refresh_list' RETURNING id`,
  );
  await database.rows('INSERT INTO rhnserveraction (server_id, action_id, status) VALUES ($1, $2, 0)', [sid, action?.id]);
  return action?.id ?? 0;
}

/** Systems have carried out their first actions. */
export const completed = (database: Database, actions: readonly number[]) =>
  database.rows(
    `UPDATE rhnserveraction SET status = 2, result_code = 0, result_msg = 'Done', pickup_time = created, completion_time = current_timestamp,
       modified = current_timestamp WHERE action_id = ANY($1) AND status < 2`,
    [actions],
  );
