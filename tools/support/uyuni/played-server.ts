import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ClientConfig } from 'pg';
import { makePerson, setRole } from './api/methods/people.ts';
import { serveApi } from './api/serve.ts';
import type { SessionSecrets } from './api/sessions.ts';
import { noTroubles, type Troubles } from './api/troubles.ts';
import { writeConfiguration } from './configuration.ts';
import { type Connections, connectTo, type Database, schemaSql } from './database.ts';
import { fill } from './fill.ts';
import { type Postgres, startPostgres } from './postgres/postgres.ts';
import { watchOver } from './postgres/watchdog.ts';
import { KeyFolders } from './salt/key-folders.ts';
import { Onboarding } from './salt/onboarding.ts';
import { writeSaltKey } from './salt/salt-key.ts';

/** The names by which a server has its database, as its installer gives them. */
const databaseName = 'susemanager';
const databaseUser = 'spacewalk';

/** A person who may do everything in the organisation of a played server. */
export const administrator = { login: 'admin', password: 'admin-of-acme' } as const;

/** A played Uyuni server: a real PostgreSQL, its interface, and the key folders of its Salt master. */
export type PlayedServer = {
  readonly fqdn: string;
  /** Where its interface is. */
  readonly url: string;
  /** What is `/` on a real server: `etc/rhn/rhn.conf`, `etc/salt/pki/master`. */
  readonly root: string;
  readonly postgres: Postgres;
  /** The database as the server uses it, by connections of its own. */
  readonly database: Database;
  /** How the server reaches the database, and every program that reads its configuration. */
  readonly reach: ClientConfig;
  readonly keys: KeyFolders;
  /** The program that stands in place of salt-key. */
  readonly saltKey: string;
  /** The minions that call it. */
  readonly onboarding: Onboarding;
  /** What goes wrong with its interface. */
  readonly troubles: Troubles;
  readonly secrets: SessionSecrets;
  /** Ends the server and removes all that is of it. */
  stop(): Promise<void>;
};

/** How a server begins: its name, its systems, the port of its interface, and settings of its PostgreSQL. */
export type ServerOptions = {
  readonly fqdn?: string;
  readonly systems?: number;
  readonly port?: number;
  readonly settings?: Readonly<Record<string, string>>;
};

/** Starts a played server. Should this process end in any way, all that is of the server ends and goes with it. */
export async function startServer({
  fqdn = 'uyuni1.acme.test',
  systems = 0,
  port,
  settings = {},
}: ServerOptions = {}): Promise<PlayedServer> {
  const root = mkdtempSync(join(tmpdir(), 'muster-uyuni-'));
  const dog = watchOver(root, undefined);
  const password = randomBytes(12).toString('hex');
  const secrets = [1, 2, 3, 4].map(() => randomBytes(20).toString('hex')) as unknown as SessionSecrets;
  const postgres = await startPostgres({ settings });
  const reach = await makeDatabase(postgres, password);
  const database = connectTo(reach);
  const keys = new KeyFolders(root);
  writeConfiguration(root, { fqdn, secrets, database: { host: postgres.folder, name: databaseName, user: databaseUser, password } });
  await makeAdministrator(database);
  if (systems > 0) await fill(database, keys, { systems, prefix: fqdn.split('.')[0]! });
  const troubles = noTroubles();
  const served = await serveApi({ database, keys, secrets, troubles }, port);
  const stop = async () => {
    await served.close();
    await database.close();
    await postgres.remove();
    await dog.remove();
  };
  const onboarding = new Onboarding(database, keys);
  const saltKey = writeSaltKey(root);
  return { fqdn, url: served.url, root, postgres, database, reach, keys, saltKey, onboarding, troubles, secrets, stop };
}

async function makeDatabase(postgres: Postgres, password: string): Promise<ClientConfig> {
  await statement(postgres.reach(), `CREATE ROLE ${databaseUser} LOGIN PASSWORD '${password}'`);
  await statement(postgres.reach(), `CREATE DATABASE ${databaseName} OWNER ${databaseUser} STRATEGY file_copy`);
  const reach = postgres.reach(databaseName, { user: databaseUser, password });
  await statement(reach, schemaSql());
  return reach;
}

async function statement(config: ClientConfig, sql: string): Promise<void> {
  const client = new Client(config);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

async function makeAdministrator(database: Connections): Promise<void> {
  const person = { ...administrator, firstName: 'Ada', lastName: 'Admin', email: 'admin@acme.test' };
  const id = await makePerson({ database }, 1, person);
  for (const role of ['org_admin', 'satellite_admin']) await setRole({ database }, id ?? 0, role, true);
}
