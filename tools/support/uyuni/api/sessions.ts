import { createHash, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import type { Database } from '../database.ts';
import { faults } from './faults.ts';
import type { Caller } from './method.ts';

/** The four secrets by which a server signs its session keys. Another server has others, and refuses these keys. */
export type SessionSecrets = readonly [string, string, string, string];

/** How long a session lives after its last call, in seconds, as `web.session_database_lifetime` says. */
export const sessionLifetimeS = 3_600;

/** The key of a session by its number: the number, and a hash of it between the secrets of the server. */
export function sessionKey(id: string, [one, two, three, four]: SessionSecrets): string {
  const hash = createHash('sha256').update([one, two, id, three, four].join(':')).digest('hex');
  return `${id}x${hash}`;
}

/** A password as it is kept: salted and hashed. */
export function hashOf(password: string): string {
  const salt = randomBytes(8).toString('hex');
  // As cheap as scrypt is: a played server has no password worth guessing.
  return `$played$${salt}$${scryptSync(password, salt, 24, { N: 2 }).toString('hex')}`;
}

function matches(password: string, hash: string): boolean {
  const [, , salt = '', kept = ''] = hash.split('$');
  const expected = Buffer.from(kept, 'hex');
  return expected.length === 24 && timingSafeEqual(expected, scryptSync(password, salt, 24, { N: 2 }));
}

type Contact = { readonly id: number; readonly password: string };

/** Begins a session of a person for so many seconds after its last call; gives its key. Throws the fault 2950. */
export async function login(
  database: Database,
  secrets: SessionSecrets,
  { login: name, password, durationS = sessionLifetimeS }: { login: string; password: string; durationS?: number },
): Promise<string> {
  const [contact] = await database.rows<Contact>(
    `SELECT c.id, c.password FROM web_contact c WHERE c.login_uc = upper($1) AND c.id NOT IN (SELECT id FROM rhnwebcontactdisabled)`,
    [name],
  );
  if (!contact || !matches(password, contact.password)) throw faults.wrongLogin();
  const [session] = await database.rows<{ id: number }>(
    `INSERT INTO pxtsessions (id, web_user_id, expires, value)
     VALUES (nextval('pxt_id_seq'), $1, floor(extract(epoch FROM clock_timestamp())) + $2, '') RETURNING id`,
    [contact.id, durationS],
  );
  await database.rows('UPDATE rhnuserinfo SET last_logged_in = current_timestamp WHERE user_id = $1', [contact.id]);
  return sessionKey(String(session?.id), secrets);
}

/** Ends a session. Throws the server's fault for a key that is none. */
export async function logout(database: Database, secrets: SessionSecrets, key: string): Promise<void> {
  await database.rows('DELETE FROM pxtsessions WHERE id = $1', [idOf(key, secrets)]);
}

/** Who calls with a key, whose session lives on from now. Throws the server's fault for a key that is none. */
export async function callerOf(database: Database, secrets: SessionSecrets, key: string): Promise<Caller> {
  const id = idOf(key, secrets);
  const [caller] = await database.rows<Caller>(
    `UPDATE pxtsessions s SET expires = greatest(s.expires, floor(extract(epoch FROM clock_timestamp())) + $2)
     FROM web_contact c
     WHERE s.id = $1 AND s.web_user_id = c.id AND s.expires >= extract(epoch FROM clock_timestamp())
     RETURNING c.id, c.login, c.org_id AS org, c.read_only = 'Y' AS "readOnly",
       (SELECT coalesce(array_agg(t.label), '{}') FROM rhnusergroupmembers m
        JOIN rhnusergroup g ON g.id = m.user_group_id JOIN rhnusergrouptype t ON t.id = g.group_type WHERE m.user_id = c.id) AS roles`,
    [id, sessionLifetimeS],
  );
  if (!caller) throw faults.noSuchSession(id);
  return caller;
}

/** The number of a session by its key. A key may have blanks around it, as spacecmd sends them. */
function idOf(given: string, secrets: SessionSecrets): string {
  const key = given.trim();
  const [id = ''] = key.split('x');
  if (!/^[1-9]\d*x[a-f0-9]{64}$/.test(key) || sessionKey(id, secrets) !== key) throw faults.wrongSession(id);
  return id;
}
