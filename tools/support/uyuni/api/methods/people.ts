import { faults } from '../faults.ts';
import { type Call, type Method, reads, wantRole, writes } from '../method.ts';
import { hashOf } from '../sessions.ts';

const roles = [
  'activation_key_admin',
  'channel_admin',
  'config_admin',
  'image_admin',
  'org_admin',
  'satellite_admin',
  'system_group_admin',
];

/** A person to be made. */
export type NewPerson = {
  readonly login: string;
  readonly password: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
};

/** Makes a person of an organisation, with roles; undefined when there is one of that login. */
export async function makePerson(
  { database }: Pick<Call, 'database'>,
  org: number,
  { login, password, firstName, lastName, email }: NewPerson,
): Promise<number | undefined> {
  const [made] = await database.rows<{ id: number }>(
    `INSERT INTO web_contact (id, org_id, login, login_uc, password)
     VALUES (nextval('web_contact_id_seq'), $1, $2::varchar, upper($2::varchar), $3) ON CONFLICT DO NOTHING RETURNING id`,
    [org, login, hashOf(password)],
  );
  if (!made) return undefined;
  await database.rows(
    `INSERT INTO web_user_personal_info (web_user_id, first_names, last_name, email, email_uc) VALUES ($1, $2, $3, $4::varchar, upper($4::varchar))`,
    [made.id, firstName, lastName, email],
  );
  await database.rows('INSERT INTO rhnuserinfo (user_id) VALUES ($1)', [made.id]);
  return made.id;
}

/** Gives a person a role, or takes it; what is so already stays. */
export const setRole = ({ database }: Pick<Call, 'database'>, user: number, role: string, has: boolean) =>
  database.rows(
    has
      ? `INSERT INTO rhnusergroupmembers (user_id, user_group_id)
         SELECT c.id, g.id FROM web_contact c JOIN rhnusergroup g ON g.org_id = c.org_id JOIN rhnusergrouptype t ON t.id = g.group_type
         WHERE c.id = $1 AND t.label = $2 ON CONFLICT DO NOTHING`
      : `DELETE FROM rhnusergroupmembers m USING rhnusergroup g JOIN rhnusergrouptype t ON t.id = g.group_type
         WHERE m.user_group_id = g.id AND m.user_id = $1 AND t.label = $2`,
    [user, role],
  );

async function wantPerson({ database, caller }: Call, login: string): Promise<number> {
  const [found] = await database.rows<{ id: number }>('SELECT id FROM web_contact WHERE login = $1 AND org_id = $2', [login, caller.org]);
  if (!found) throw faults.noSuchUser(login);
  return found.id;
}

async function create(call: Call, person: NewPerson): Promise<number> {
  wantRole(call.caller);
  if (person.password.length < 5) throw faults.invalid('The password has fewer than 5 characters');
  if ((await makePerson(call, call.caller.org, person)) === undefined) throw faults.invalid(`The login ${person.login} is taken`);
  return 1;
}

async function changeRole(call: Call, login: string, role: string, has: boolean): Promise<number> {
  wantRole(call.caller);
  if (!roles.includes(role)) throw faults.invalid(`${role} is not a role`);
  await setRole(call, await wantPerson(call, login), role, has);
  return 1;
}

/** Disables or enables a login, by an entry in the log of that. The sessions of one that is disabled end. */
const logged = (name: 'disable' | 'enable', state: 'disabled' | 'enabled') =>
  writes(`user.${name}`, { login: 'string' }, async (call, { login }) => {
    wantRole(call.caller);
    const person = await wantPerson(call, login);
    await call.database.rows(
      `INSERT INTO rhnwebcontactchangelog (id, web_contact_id, web_contact_from_id, change_state_id)
       SELECT nextval('rhn_wcon_disabled_seq'), $1, $2, id FROM rhnwebcontactchangestate WHERE label = $3`,
      [person, call.caller.id, state],
    );
    if (state === 'disabled') await call.database.rows('DELETE FROM pxtsessions WHERE web_user_id = $1', [person]);
    return 1;
  });

const person = { login: 'string', password: 'string', firstName: 'string', lastName: 'string', email: 'string' } as const;

/** People, their roles, and organisations. */
export const peopleMethods: readonly Method[] = [
  reads('user.listUsers', {}, ({ database, caller }) =>
    database.rows(
      `SELECT id, login, login_uc, id NOT IN (SELECT id FROM rhnwebcontactdisabled) AS enabled FROM web_contact WHERE org_id = $1 ORDER BY login`,
      [caller.org],
    ),
  ),
  reads('user.getDetails', { login: 'string' }, async (call, { login }) => {
    const [found] = await call.database.rows(
      `SELECT p.first_names, p.first_names AS first_name, p.last_name, coalesce(p.email, '') AS email, c.org_id, o.name AS org_name, p.prefix,
         coalesce(to_char(i.last_logged_in, 'YYYY-MM-DD'), '') AS last_login_date, to_char(c.created, 'YYYY-MM-DD') AS created_date,
         c.id NOT IN (SELECT id FROM rhnwebcontactdisabled) AS enabled, i.use_pam_authentication = 'Y' AS use_pam, c.read_only = 'Y' AS read_only,
         i.email_notify = 1 AS errata_notification
       FROM web_contact c JOIN web_user_personal_info p ON p.web_user_id = c.id JOIN rhnuserinfo i ON i.user_id = c.id
       JOIN web_customer o ON o.id = c.org_id WHERE c.id = $1`,
      [await wantPerson(call, login)],
    );
    return found ?? {};
  }),
  writes('user.create', person, create),
  writes('user.create', { ...person, usePamAuth: 'int' }, create),
  writes('user.delete', { login: 'string' }, async (call, { login }) => {
    wantRole(call.caller);
    await call.database.rows('DELETE FROM web_contact WHERE id = $1', [await wantPerson(call, login)]);
    return 1;
  }),
  logged('disable', 'disabled'),
  logged('enable', 'enabled'),
  writes('user.setReadOnly', { login: 'string', readOnly: 'boolean' }, async (call, { login, readOnly }) => {
    wantRole(call.caller);
    await call.database.rows('UPDATE web_contact SET read_only = $2 WHERE id = $1', [await wantPerson(call, login), readOnly ? 'Y' : 'N']);
    return 1;
  }),
  reads('user.listAssignableRoles', {}, async () => roles),
  reads('user.listRoles', { login: 'string' }, async (call, { login }) =>
    (
      await call.database.rows<{ label: string }>(
        `SELECT t.label FROM rhnusergroupmembers m JOIN rhnusergroup g ON g.id = m.user_group_id
         JOIN rhnusergrouptype t ON t.id = g.group_type WHERE m.user_id = $1 ORDER BY t.label`,
        [await wantPerson(call, login)],
      )
    ).map(({ label }) => label),
  ),
  writes('user.addRole', { login: 'string', role: 'string' }, (call, { login, role }) => changeRole(call, login, role, true)),
  writes('user.removeRole', { login: 'string', role: 'string' }, (call, { login, role }) => changeRole(call, login, role, false)),
  reads('org.listOrgs', {}, ({ database }) =>
    database.rows(
      `SELECT o.id, o.name, (SELECT count(*) FROM web_contact c WHERE c.org_id = o.id) AS active_users,
         (SELECT count(*) FROM rhnserver s WHERE s.org_id = o.id) AS systems, 0 AS trusts,
         (SELECT count(*) FROM rhnservergroup g WHERE g.org_id = o.id AND g.group_type IS NULL) AS system_groups,
         (SELECT count(*) FROM rhnregtoken t WHERE t.org_id = o.id) AS activation_keys, 0 AS kickstart_profiles,
         (SELECT count(*) FROM rhnconfigchannel f WHERE f.org_id = o.id) AS configuration_channels, false AS staging_content_enabled
       FROM web_customer o ORDER BY o.name`,
    ),
  ),
];
