import { readGivenFile } from '../../../lib/machine/own.ts';

/** The file in which a server keeps its own configuration. */
export const rhnConfDefault = '/etc/rhn/rhn.conf';

/** How a server reaches its database. A host that begins with `/` is the folder of a socket. */
export type DatabaseAddress = {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
};

/** How a server makes its sessions: the four secrets in their keys, and how long one lives after its last call. */
export type ServerSessions = { readonly secrets: readonly [string, string, string, string]; readonly lifetimeS: number };

/** A server's configuration that lacks what is needed; the message names the file and the keys. */
export class NoRhnConf extends Error {
  override readonly name = 'NoRhnConf';
}

/** The values of a configuration file by their keys: `key = value` in each line, `#` before a comment. */
export function valuesIn(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').flatMap((line) => {
    const found = /^\s*([^#\s=][^=]*?)\s*=\s*(.*?)\s*$/.exec(line);
    return found ? [[found[1]!, found[2]!] as const] : [];
  });
  return new Map(lines);
}

function textOf(file: string): string {
  try {
    return readGivenFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new NoRhnConf(`there is no ${file}: run this on a Uyuni server, or name its configuration by --rhn-conf <file>`, {
      cause: error,
    });
  }
}

/** The address of the database in a server's configuration. Throws {@link NoRhnConf} and errors of the file system. */
export function databaseIn(file: string): DatabaseAddress {
  const values = valuesIn(textOf(file));
  const missing = ['db_name', 'db_user', 'db_password'].filter((key) => !values.has(key));
  if (missing.length > 0) throw new NoRhnConf(`${file} has no ${missing.join(', ')}: is this the configuration of a Uyuni server?`);
  const text = (key: string, otherwise = ''): string => values.get(key) || otherwise;
  return {
    host: text('db_host', 'localhost'),
    port: Number(text('db_port', '5432')),
    database: text('db_name'),
    user: text('db_user'),
    password: text('db_password'),
  };
}

/** What the server itself takes where its configuration names no other lifetime, in seconds. */
const lifetimeDefaultS = 3_600;

/** How the server makes its sessions. Throws {@link NoRhnConf} and errors of the file system. */
export function sessionsIn(file: string): ServerSessions {
  const values = valuesIn(textOf(file));
  const [one = '', two = '', three = '', four = ''] = [1, 2, 3, 4].map((n) => values.get(`web.session_secret_${n}`));
  // The defaults of the server are empty: keys made with them would be anybody's.
  if ([one, two, three, four].includes('')) throw new NoRhnConf(`${file} lacks a web.session_secret: is the server set up?`);
  const lifetimeS = Number(values.get('web.session_database_lifetime') || lifetimeDefaultS);
  if (!Number.isSafeInteger(lifetimeS) || lifetimeS <= 0)
    throw new NoRhnConf(`${file} has a web.session_database_lifetime that is no number`);
  return { secrets: [one, two, three, four], lifetimeS };
}
