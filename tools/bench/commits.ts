import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type EpochMs, plusMs } from '../../lib/core/time.ts';
import { openStorage } from '../../lib/ports/storage/storage.ts';
import type { Put } from '../../lib/ports/table/table.ts';
import type { Figure } from './report/figure.ts';
import { program } from './report/program.ts';
import { median, quantile, spread } from './rounds.ts';

/** The numbers of commits that are under way at a time. */
const widths = [1, 8, 64, 256] as const;
/**
 * How long every contender runs in each round. They run in turn, because the disk of a shared machine changes from
 * minute to minute.
 */
const runMs = 1_200;
const rounds = 5;
const now = () => Date.now() as EpochMs;

/** A row as a heartbeat leaves it: some 600 bytes, one place in the due index. */
function aPut(n: number): Put {
  const id = `n${n.toString(16).padStart(16, '0')}`;
  const load = { load1: 0.12, load5: 0.2, load15: 0.2, memoryUsedMib: 812, memoryMib: 4_096, systems: 412 };
  const boot = { id: '1f5b0d0e-6f3c-4a6e-9a51-6f0f7a3b2c11', kernel: '6.1.0-18-amd64', receivedAt: now() };
  const node = {
    id,
    fqdn: `${id}.bench.test`,
    kind: 'salt',
    zone: 'default',
    status: 'up',
    weight: 1,
    labels: {},
    incarnation: 3,
    generation: 1,
  };
  return {
    put: {
      key: { pk: `node#${id}`, sk: 'node' },
      body: { ...node, index: n, seq: 4_711, boot, load, heardAt: now(), leaseUntil: plusMs(now(), 38_000) },
      at: now(),
      by: id,
      because: 'heartbeat 4711 renewed its lease',
      events: [],
      eventSeq: 2,
      wakeAt: plusMs(now(), 38_000),
    },
    readRev: 0,
  };
}

/** Milliseconds from a write of one database page until it is on the disk. */
function fsyncMs(folder: string): number[] {
  const file = openSync(join(folder, 'fsync'), 'w');
  const page = new Uint8Array(4_096).fill(1);
  const took = Array.from({ length: 300 }, () => {
    writeSync(file, page);
    const startedAt = performance.now();
    fsyncSync(file);
    return performance.now() - startedAt;
  });
  closeSync(file);
  return took;
}

/** Commits a second of our table, so many under way at a time. */
async function ours(file: string, width: number): Promise<number> {
  const storage = openStorage({ file, now, defer: (run) => void setImmediate(run) });
  let done = 0;
  const startedAt = performance.now();
  const writer = async (): Promise<void> => {
    while (performance.now() - startedAt < runMs) {
      done += 1;
      await storage.table.commit([aPut(done)]);
    }
  };
  await Promise.all(Array.from({ length: width }, writer));
  const perSecond = done / ((performance.now() - startedAt) / 1000);
  storage.close();
  return perSecond;
}

/** Inserts a second of plain SQLite with the same settings, the same text a row, and a transaction for each. */
function raw(file: string): number {
  const db = new DatabaseSync(file);
  db.exec(
    'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE plain (id TEXT PRIMARY KEY, body TEXT)',
  );
  const insert = db.prepare('INSERT INTO plain VALUES (?, ?)');
  let done = 0;
  const startedAt = performance.now();
  while (performance.now() - startedAt < runMs) {
    done += 1;
    const { put } = aPut(done);
    // No BEGIN: a statement alone is a transaction.
    insert.run(put.key.pk, JSON.stringify(put.body));
  }
  const perSecond = done / ((performance.now() - startedAt) / 1000);
  db.close();
  return perSecond;
}

async function measure(folder: string): Promise<Figure[]> {
  const peer: number[] = [];
  const table = widths.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    peer.push(raw(join(folder, `raw-${round}.db`)));
    for (const [n, width] of widths.entries()) table[n]!.push(await ours(join(folder, `muster-${round}-${width}.db`), width));
  }
  const synced = fsyncMs(folder);
  const whole = (one: number) => one.toFixed(0);
  return [
    {
      what: 'fsync of one 4 KB page on this disk',
      measured: median(synced),
      unit: 'ms',
      note: `p99 ${quantile(synced, 0.99).toFixed(2)} ms of ${synced.length}`,
    },
    {
      what: 'peer: node:sqlite, a transaction an insert (WAL, synchronous FULL)',
      measured: median(peer),
      unit: '/s',
      note: spread(peer, whole),
    },
    ...widths.flatMap((width, n): Figure[] => {
      const of = width === 1 ? 'one by one' : `${width} at a time`;
      const ratios = table[n]!.map((one, round) => one / peer[round]!);
      return [
        { what: `durable commits of the SQLite table, ${of}`, measured: median(table[n]!), unit: '/s', note: spread(table[n]!, whole) },
        { what: `beside the peer, ${of}`, measured: median(ratios), unit: '×', note: spread(ratios, (one) => one.toFixed(2)) },
      ];
    }),
  ];
}

await program(measure);
