import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { type Programs, programsHere } from './programs.ts';
import { watchOver } from './watchdog.ts';

/** How a PostgreSQL ends: after its clients' present statements, at once, or as in a power cut. */
export type Ending = 'fast' | 'immediate' | 'kill';

/** A PostgreSQL of our own in a folder of its own, which is reached by a socket in that folder and by nothing else. */
export type Postgres = {
  readonly folder: string;
  /** How to reach one of its databases, by default as the user who may do everything and needs no password. */
  reach(database?: string, as?: { readonly user: string; readonly password: string }): ClientConfig;
  /** Ends the program; its folder stays. */
  end(how?: Ending): Promise<void>;
  /** Starts the program again; resolves when it takes calls. */
  start(): Promise<void>;
  /** Ends the program and removes its folder. */
  remove(): Promise<void>;
  /** The pid of the program, while it runs. */
  pid(): number | undefined;
  /** The last lines of its log. */
  log(): string;
};

/** The user of a PostgreSQL that may do everything. */
export const superuser = 'postgres';

const signals = { fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' } as const;

/**
 * Small, so that dozens run beside each other; and without a sync, since nothing in it has to outlive the machine. It
 * still outlives its own death.
 */
const settings = {
  listen_addresses: '',
  shared_buffers: '16MB',
  max_connections: '40',
  fsync: 'off',
  full_page_writes: 'off',
  max_wal_size: '256MB',
  autovacuum_naptime: '60s',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
} as const;

/** How to begin a PostgreSQL: settings beyond ours, by name. */
export type PostgresOptions = { readonly settings?: Readonly<Record<string, string>> };

/** Makes a PostgreSQL and starts it. Should this process end in any way, a watchdog ends it and removes its folder. */
export async function startPostgres({ settings: more = {} }: PostgresOptions = {}): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-pg-'));
  const programs = await programsHere(folder);
  if (programs.user) chownSync(folder, programs.user.uid, programs.user.gid);
  const dog = watchOver(folder, programs.user);
  await initialise(folder, programs);
  appendFileSync(join(folder, 'data/postgresql.conf'), confOf({ ...settings, unix_socket_directories: folder, ...more }));
  writeFileSync(join(folder, 'data/pg_hba.conf'), `local all ${superuser} trust\nlocal all all scram-sha-256\n`);
  const postgres = new Running(folder, programs);
  await postgres.start();
  return {
    folder,
    reach: postgres.reach,
    end: postgres.end,
    start: postgres.start,
    pid: postgres.pid,
    log: postgres.log,
    remove: async () => {
      await postgres.end('immediate');
      await dog.remove();
      // Another user empties the folder, and cannot remove it where the one around it is only ours.
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const confOf = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name} = '${value}'\n`)
    .join('');

async function initialise(folder: string, { initdb, user }: Programs): Promise<void> {
  const args = ['-D', join(folder, 'data'), '-U', superuser, '-A', 'trust', '--no-sync', '--no-instructions', '--locale=C', '-E', 'UTF8'];
  const child = spawn(initdb, args, { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const complaints = child.stderr.toArray();
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`initdb has failed: ${(await complaints).join('').trim()}`);
}

class Running {
  readonly #folder: string;
  readonly #programs: Programs;
  #child: ChildProcess | undefined;

  constructor(folder: string, programs: Programs) {
    this.#folder = folder;
    this.#programs = programs;
  }

  readonly pid = (): number | undefined => this.#child?.pid;

  readonly log = (): string => readFileSync(join(this.#folder, 'log'), 'utf8').slice(-4_000);

  readonly reach: Postgres['reach'] = (database = superuser, as) => ({
    host: this.#folder,
    database,
    user: as?.user ?? superuser,
    ...(as && { password: as.password }),
  });

  readonly start = async (): Promise<void> => {
    const until = Date.now() + 30_000;
    for (;;) {
      if (!this.#child) this.#spawn();
      if (await takesCalls(this.reach())) return;
      if (Date.now() > until) throw new Error(`PostgreSQL does not start:\n${this.log()}`);
      await sleep(20);
    }
  };

  readonly end = async (how: Ending = 'fast'): Promise<void> => {
    const child = this.#child;
    if (!child) return;
    const ended = once(child, 'exit');
    child.ref();
    child.kill(signals[how]);
    await ended;
  };

  /** After a kill its children hold the memory for a moment: a start that fails of that is tried again. */
  #spawn(): void {
    const log = openSync(join(this.#folder, 'log'), 'a');
    const { postgres, user } = this.#programs;
    // A group of its own: what interrupts us on a terminal is not for the database.
    const child = spawn(postgres, ['-D', join(this.#folder, 'data')], {
      ...user,
      cwd: this.#folder,
      detached: true,
      stdio: ['ignore', log, log],
    });
    child.unref();
    child.once('exit', () => {
      if (this.#child === child) this.#child = undefined;
    });
    this.#child = child;
  }
}

/** Whether a PostgreSQL takes calls by now. */
async function takesCalls(config: ClientConfig): Promise<boolean> {
  const client = new Client(config);
  // It may close the connection while it starts.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch (error) {
    const { code = '' } = error as { code?: string };
    // 57P03: it starts, or recovers. ECONNRESET and EPIPE: it ended while we asked.
    if (['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', '57P03', '57P01'].includes(code)) return false;
    throw error;
  }
}
