import { ZoneName } from '../../lib/core/ids.ts';
import { secondMs } from '../../lib/core/time.ts';
import { clusterRef, type StorageCluster } from '../../lib/mero/clusters/cluster.ts';
import { keyOf } from '../../lib/ports/table/keys.ts';
import { goodFacts, load } from '../support/loading.ts';
import { stepped, type World } from '../support/stepped.ts';
import { type Figure, plain } from './report/figure.ts';
import { program } from './report/program.ts';
import { bootstrapFacts, processesEach, SimulatedHost } from './sites/mero-hosts.ts';

/** How many hosts, of ten processes each. */
const sizes = [3, 30, 300] as const;
/** Rows a process, with its history and the rows of its host and cluster. */
const rowsTarget = { atMost: 12 };
/**
 * The cost of a process at one size, relative to that at a tenth of the size: 1 is linear, and more grows with the
 * size.
 */
const linearTarget = { atMost: 1.5 };
/** A cluster that is not at its highest level after so many seconds of virtual time has failed. */
const secondsMax = 300;

/**
 * The cost of a bootstrap: rows written, units of a table that charges as DynamoDB does, and time on this machine, in
 * ms.
 */
type Taken = {
  readonly rows: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly cpuMs: number;
  readonly wallMs: number;
};
/** The same for one process, and how long its cluster took, in seconds of virtual time. */
type Bootstrap = Taken & { readonly processes: number; readonly seconds: number };

/** A storage zone with hosts that have called in and send heartbeats; nothing is loaded. */
async function hostsUp(world: World, count: number): Promise<void> {
  await world.call('POST', '/api/v1/zones', { name: 'lab', kind: 'storage' });
  const { body } = await world.call('POST', '/api/v1/node-tokens', { nodes: '*.acme.org', uses: count, kind: 'storage', zone: 'lab' });
  const { secret } = body as { secret: string };
  const hosts = Array.from({ length: count }, (_, n) => new SimulatedHost(world, n));
  // All join together: one after another, each would wait while the earlier ones send heartbeats, which takes quadratic
  // time.
  for (const host of hosts) await host.join(secret);
  for (const host of hosts) await host.up();
  await world.step(0);
  for (const host of hosts) await host.up();
  for (const host of hosts) await host.ready();
  world.every(secondMs, async () => {
    for (const host of hosts) await host.second();
  });
  await world.step(30 * secondMs);
}

async function isUp({ table }: World): Promise<boolean> {
  const { reached, underWaySince } = (await table.read(keyOf(clusterRef('lab'))))!.body as StorageCluster;
  return reached === 3 && underWaySince === undefined;
}

/**
 * Loads facts and starts the cluster, until it is at its highest level and waits for no process. Throws when that
 * fails.
 */
async function bootstrap(hosts: number): Promise<Bootstrap> {
  const world = await stepped({ hearsAtOnce: true });
  await hostsUp(world, hosts);
  const { cut } = goodFacts(bootstrapFacts(hosts));
  const { meter } = world.table;
  const [before, cpu, begunAt] = [{ ...meter }, process.cpuUsage(), performance.now()];
  await load(world.environment('admin'), ZoneName.parse('lab'), cut);
  const { status, body } = await world.call('POST', '/api/v1/zones/lab/mero/start', {});
  if (status !== 202) throw new Error(`the start was answered ${status}: ${JSON.stringify(body)}`);
  let seconds = 0;
  for (; !(await isUp(world)); seconds++) {
    if (seconds >= secondsMax) throw new Error(`a cluster of ${hosts} hosts is not up after ${secondsMax} s`);
    await world.step(secondMs);
  }
  const [used, wallMs, processes] = [process.cpuUsage(cpu), performance.now() - begunAt, hosts * processesEach];
  const each = (sum: number): number => sum / processes;
  return {
    processes,
    seconds,
    wallMs: each(wallMs),
    cpuMs: each((used.user + used.system) / 1_000),
    rows: each(meter.rowsWritten - before.rowsWritten),
    readUnits: each(meter.readUnits - before.readUnits),
    writeUnits: each(meter.writeUnits - before.writeUnits),
  };
}

/** The figures of one size. */
const figuresOf = ({ processes, seconds, rows, readUnits, writeUnits, cpuMs, wallMs }: Bootstrap): Figure[] => [
  {
    what: `a bootstrap of ${plain(processes)} processes on ${plain(processes / processesEach)} hosts: rows written a process`,
    measured: rows,
    unit: 'rows',
    target: rowsTarget,
    note: `history and heartbeats included; ${plain(writeUnits)} write and ${plain(readUnits)} read units; ${seconds} s until all run, by heartbeats every 10 s`,
  },
  {
    what: 'processor time a process',
    measured: cpuMs,
    unit: 'ms',
    note: `${plain(wallMs)} ms until done; ${plain((wallMs * processes) / 1_000)} s for all`,
  },
];

await program(async () => {
  // Once for the compiler.
  await bootstrap(sizes[1]);
  const taken: Bootstrap[] = [];
  for (const hosts of sizes) taken.push(await bootstrap(hosts));
  const [, middle, large] = taken as [Bootstrap, Bootstrap, Bootstrap];
  return [
    ...taken.flatMap(figuresOf),
    {
      what: `a process of ${plain(large.processes)} by one of ${plain(middle.processes)}: processor time`,
      measured: large.cpuMs / middle.cpuMs,
      unit: 'times',
      target: linearTarget,
      note: 'linear is 1',
    },
  ];
});
