import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SessionSecrets, sessionLifetimeS } from './api/sessions.ts';

/** What a server's own configuration says of its database and its sessions. */
export type ServerConfiguration = {
  readonly fqdn: string;
  readonly secrets: SessionSecrets;
  readonly database: { readonly host: string; readonly name: string; readonly user: string; readonly password: string };
};

/** Writes `etc/rhn/rhn.conf` below a root, as a server has it. */
export function writeConfiguration(root: string, { fqdn, secrets, database }: ServerConfiguration): void {
  const { host, name, user, password } = database;
  const lines = {
    db_backend: 'postgresql',
    db_host: host,
    db_port: '5432',
    db_name: name,
    db_user: user,
    db_password: password,
    'java.hostname': fqdn,
    'web.session_database_lifetime': String(sessionLifetimeS),
    ...Object.fromEntries(secrets.map((secret, n) => [`web.session_secret_${n + 1}`, secret])),
  };
  const folder = join(root, 'etc/rhn');
  mkdirSync(folder, { recursive: true });
  const text = Object.entries(lines).map(([key, value]) => `${key} = ${value}\n`);
  writeFileSync(join(folder, 'rhn.conf'), text.join(''), { mode: 0o640 });
}
