import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderAt } from '../../../lib/machine/folder.ts';
import { Feed } from '../../../programs/agent/uyuni/feed.ts';
import { install } from '../../../programs/agent/uyuni/install.ts';
import { databaseBy } from '../../../programs/agent/uyuni/reporting.ts';
import { databaseIn } from '../../../programs/agent/uyuni/rhn-conf.ts';
import { connectTo } from '../../../programs/agent/uyuni/session.ts';
import { type PlayedServer, startServer } from '../../support/uyuni/played-server.ts';
import type { Figure } from '../report/figure.ts';
import { program } from '../report/program.ts';
import { median, quantile, spread } from '../rounds.ts';

/** Runs of each contender, and how long one takes. They take turns: a shared machine changes from minute to minute. */
const pairs = 9;
const runS = 3;
const systems = 2_000;
const packages = 20_000;
/** As PostgreSQL is by itself: what is committed is on the disk. */
const durable = { fsync: 'on', full_page_writes: 'on', shared_buffers: '128MB' };

/**
 * What a call of the server's interface that writes does in the database: the session lives on, the caller's roles and
 * the system are looked up, and the system, a note, its history and the moment of its last call are written. Real ones
 * look up a good deal more.
 */
const write = `\\set sid random(1000010000, ${1_000_010_000 + systems - 1})
\\set turn random(1, 1000000)
BEGIN;
UPDATE pxtsessions SET expires = expires + 1 WHERE id = :client_id + 1;
SELECT t.label FROM rhnusergroupmembers m JOIN rhnusergroup g ON g.id = m.user_group_id JOIN rhnusergrouptype t ON t.id = g.group_type WHERE m.user_id = 1;
SELECT s.id, s.name, m.minion_id FROM rhnserver s JOIN suseminioninfo m ON m.server_id = s.id WHERE s.id = :sid AND s.org_id = 1;
SELECT t.label FROM rhnservergroupmembers m JOIN rhnservergroup g ON g.id = m.server_group_id LEFT JOIN rhnservergrouptype t ON t.id = g.group_type WHERE m.server_id = :sid;
UPDATE rhnserver SET description = 'turn ' || :turn WHERE id = :sid;
INSERT INTO rhnservernotes (id, creator, server_id, subject, note) VALUES (nextval('rhn_server_note_id_seq'), 1, :sid, 'Turn', 'turn ' || :turn);
INSERT INTO rhnserverhistory (id, server_id, summary) VALUES (nextval('rhn_event_id_seq'), :sid, 'A note was written');
UPDATE rhnserverinfo SET checkin = current_timestamp, checkin_counter = checkin_counter + 1 WHERE server_id = :sid;
END;
`;

/** The milliseconds of one write by pgbench, with so many clients; undefined where there is no pgbench. */
function msPerWrite({ reach }: PlayedServer, file: string, clients: number): number | undefined {
  const args = [
    '-n',
    '-h',
    String(reach.host),
    '-U',
    String(reach.user),
    '-c',
    String(clients),
    '-T',
    String(runS),
    '-f',
    file,
    String(reach.database),
  ];
  const { status, error, stdout, stderr } = spawnSync('pgbench', args, {
    env: { ...process.env, PGPASSWORD: String(reach.password) },
    encoding: 'utf8',
  });
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return undefined;
  const tps = Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
  if (status !== 0 || !(tps > 0)) throw new Error(`pgbench has failed: ${stderr}`);
  return (1_000 * clients) / tps;
}

/** The ratios of the watched server to the plain one, in pairs that take turns in being first. */
function ratios(run: (server: PlayedServer) => number | undefined, plain: PlayedServer, watched: PlayedServer): number[] {
  return Array.from({ length: pairs }, (_, n) => {
    const order = n % 2 === 0 ? [plain, watched] : [watched, plain];
    const took = new Map(order.map((server) => [server, run(server)]));
    return (took.get(watched) ?? 0) / (took.get(plain) ?? 1);
  });
}

/**
 * The added cost in per cent. Where the middle half of the pairs differs by more than the bound itself, the machine was
 * too busy to tell, and the figure has no target.
 */
function cost(what: string, measured: readonly number[], atMost: number): Figure {
  const percent = measured.map((ratio) => 100 * (ratio - 1));
  const isResolved = quantile(percent, 0.75) - quantile(percent, 0.25) <= atMost;
  const note = `${spread(percent, (one) => `${one.toFixed(1)} %`)}${isResolved ? '' : ': not resolved'}`;
  return { what, measured: median(percent), unit: '%', note, ...(isResolved && { target: { atMost } }) };
}

async function bulkRatios(plain: PlayedServer, watched: PlayedServer): Promise<number[]> {
  const run = async ({ database }: PlayedServer): Promise<number> => {
    const startedAt = performance.now();
    await database.rows('INSERT INTO rhnchannelpackage (channel_id, package_id) SELECT 101, id FROM rhnpackage');
    await database.rows('DELETE FROM rhnchannelpackage WHERE channel_id = 101');
    return performance.now() - startedAt;
  };
  for (const { database } of [plain, watched])
    await database.rows(`INSERT INTO rhnpackage (id) SELECT nextval('rhn_package_id_seq') FROM generate_series(1, ${packages})`);
  const measured: number[] = [];
  for (let n = 0; n < pairs; n++) {
    const order = n % 2 === 0 ? [plain, watched] : [watched, plain];
    const took = new Map<PlayedServer, number>();
    for (const server of order) took.set(server, await run(server));
    measured.push((took.get(watched) ?? 0) / (took.get(plain) ?? 1));
  }
  return measured;
}

const updates = 10_000;

/**
 * The processor time of a statement that changes a system, in µs, of the database's own process: other programs on the
 * machine count for nothing in it.
 */
async function usPerUpdate({ database }: PlayedServer): Promise<number> {
  return database.transaction(async (inside) => {
    const [backend] = await inside.rows<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const before = cpuMsOf(backend?.pid ?? 0);
    await inside.rows(
      `DO $$ BEGIN FOR n IN 1..${updates} LOOP UPDATE rhnserver SET description = n::text WHERE id = 1000010000 + n % ${systems}; END LOOP; END $$`,
    );
    return (1_000 * (cpuMsOf(backend?.pid ?? 0) - before)) / updates;
  });
}

/** What a process has computed, in ms, as Linux counts it in hundredths of a second. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

async function processorTime(plain: PlayedServer, watched: PlayedServer): Promise<Figure> {
  const added: number[] = [];
  for (let n = 0; n < pairs; n++) {
    const bare = await usPerUpdate(plain);
    added.push((await usPerUpdate(watched)) - bare);
  }
  const what = 'processor time added to a statement that changes one system';
  return { what, measured: median(added), unit: 'µs', target: { atMost: 150 }, note: spread(added, (one) => `${one.toFixed(0)} µs`) };
}

/** How many rows a second the agent reads, remembers, reports to nobody, and deletes. */
async function pace(server: PlayedServer, folder: string): Promise<number> {
  const feed = new Feed({
    ...databaseBy(() => databaseIn(join(server.root, 'etc/rhn/rhn.conf'))),
    folder: folderAt(folder),
    newSource: randomUUID,
    send: async () => ({ is: 'taken' }),
    say: (line) => console.error(line),
  });
  await feed.pass();
  await server.database.rows(
    `DO $$ BEGIN FOR n IN 1..20000 LOOP UPDATE rhnserver SET description = n::text WHERE id = 1000010000 + n % ${systems}; END LOOP; END $$`,
  );
  const startedAt = performance.now();
  const rows = await feed.pass();
  const perSecond = rows / ((performance.now() - startedAt) / 1000);
  await feed.close();
  return perSecond;
}

async function measure(folder: string): Promise<Figure[]> {
  const plain = await startServer({ fqdn: 'plain.acme.test', systems, settings: durable });
  const watched = await startServer({ fqdn: 'watched.acme.test', systems, settings: durable });
  const session = await connectTo(databaseIn(join(watched.root, 'etc/rhn/rhn.conf')));
  await install(session);
  await session.close();
  for (const { database } of [plain, watched])
    await database.rows(`INSERT INTO pxtsessions (id, web_user_id, value) SELECT n, 1, '' FROM generate_series(1, 8) n`);
  const file = join(folder, 'write.sql');
  writeFileSync(file, write);
  const figures: Figure[] = [];
  for (const clients of [1, 8]) {
    if (msPerWrite(plain, file, clients) === undefined) {
      figures.push({ what: 'cost of a write: pgbench is not installed', measured: 0, unit: '%' });
      break;
    }
    msPerWrite(watched, file, clients);
    const measured = ratios((server) => msPerWrite(server, file, clients), plain, watched);
    figures.push(cost(`added to a durable write of a system, ${clients === 1 ? 'one client' : `${clients} clients`}`, measured, 5));
  }
  figures.push(await processorTime(plain, watched));
  figures.push(cost(`added to a bulk change of ${packages.toLocaleString('en-US')} rows`, await bulkRatios(plain, watched), 25));
  const perSecond = await pace(watched, join(folder, 'agent'));
  figures.push({
    what: 'changes that the agent reads, remembers and deletes',
    measured: perSecond,
    unit: '/s',
    target: { atLeast: 1_000 },
  });
  await Promise.all([plain.stop(), watched.stop()]);
  return figures;
}

await program(measure);
