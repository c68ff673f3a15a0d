import { hash } from 'node:crypto';
import type { ServerSessions } from '../rhn-conf.ts';
import type { Session } from '../session.ts';

/** A session of the server: its key, the login as the server writes it, and how long it lives after its last call. */
export type MintedSession = { readonly key: string; readonly login: string; readonly lifetimeS: number };
/** A session that was made, or why none was. */
export type Minted = ({ readonly ok: true } & MintedSession) | { readonly ok: false; readonly why: string };

/** For what a session is: the server shows its pages to nobody who may only call its API. */
export type MintOptions = ServerSessions & { readonly use: 'pages' | 'api'; readonly organisation?: string | undefined };

type Found = {
  readonly id: number;
  readonly login: string;
  readonly organisation: string;
  readonly off: boolean;
  readonly apiOnly: boolean;
};

const contactSql = `SELECT c.id::bigint AS id, c.login, o.name AS organisation, c.read_only = 'Y' AS "apiOnly",
  c.ignore_flag = 'Y' OR EXISTS (SELECT FROM rhnwebcontactdisabled d WHERE d.id = c.id) AS off
  FROM web_contact c JOIN web_customer o ON o.id = c.org_id WHERE c.login_uc = upper($1)`;

const sessionSql = `INSERT INTO pxtsessions (id, web_user_id, expires, value)
  VALUES (nextval('pxt_id_seq'), $1, floor(extract(epoch FROM clock_timestamp())) + $2, '') RETURNING id::text AS id`;

/**
 * Makes a session of a server for a login, as the server does after it has checked a password: a row, and a key of the
 * number of that row and a hash over it between the four secrets of the server (SessionManager.java of Uyuni). A login
 * that the server would refuse gets none. Throws errors of PostgreSQL and of the network.
 */
export const mintSession = (session: Session, login: string, options: MintOptions): Promise<Minted> =>
  session.transaction(async () => {
    const [contact] = (await session.rows(contactSql, [login])) as Found[];
    const why = whyNot(contact, login, options);
    if (!contact || why !== undefined) return { ok: false, why: why ?? '' };
    const { secrets, lifetimeS } = options;
    const [row] = (await session.rows(sessionSql, [contact.id, lifetimeS])) as [{ readonly id: string }];
    await session.rows('UPDATE rhnuserinfo SET last_logged_in = current_timestamp WHERE user_id = $1', [contact.id]);
    return { ok: true, key: sessionKey(row.id, secrets), login: contact.login, lifetimeS };
  });

function whyNot(contact: Found | undefined, login: string, { organisation, use }: MintOptions): string | undefined {
  if (!contact) return `the server has no login ${login}`;
  if (contact.off) return `the login ${contact.login} is disabled on the server`;
  if (organisation !== undefined && contact.organisation !== organisation)
    return `the login ${contact.login} is of the organisation ${contact.organisation}, and not of ${organisation}`;
  return use === 'pages' && contact.apiOnly ? `the login ${contact.login} may only call the API of the server` : undefined;
}

const sessionKey = (id: string, [one, two, three, four]: ServerSessions['secrets']): string =>
  `${id}x${hash('sha256', [one, two, id, three, four].join(':'))}`;
