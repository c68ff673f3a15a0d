import { Agent, get } from 'node:http';
import { join } from 'node:path';
import type { Bound, Figure } from '../report/figure.ts';
import { cpuMs, peakMib } from '../report/of-process.ts';
import { freePorts, type Started, start } from '../report/processes.ts';
import { program } from '../report/program.ts';
import { median, spread } from '../rounds.ts';

/** Clusters, with the time and memory in which `system.listSystems` of all nodes should be answered. */
const clusters: readonly { nodes: number; systems: number; rounds: number; ms: Bound; mib?: Bound }[] = [
  { nodes: 10, systems: 1_000, rounds: 15, ms: { atMost: 60 } },
  { nodes: 200, systems: 100, rounds: 15, ms: { atMost: 200 } },
  { nodes: 10, systems: 15_000, rounds: 5, ms: { atMost: 800 }, mib: { atMost: 150 } },
];
/** The merge, and its peers: the same bytes copied, and a merge that makes trees, which takes turns of its own. */
const ways = ['merged', 'copied', 'trees'] as const;
type Way = (typeof ways)[number];
/** A merge by trees takes so long for a large cluster that it has fewer rounds. */
const treeRounds = 3;

const agent = new Agent({ keepAlive: true });

/** Milliseconds until the whole answer is there, and how many bytes it has. */
function called(port: number, path = '/'): Promise<{ ms: number; bytes: number }> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    get({ port, path, agent }, (answer) => {
      let bytes = 0;
      answer.on('data', (part: Buffer) => {
        bytes += part.length;
      });
      answer.once('end', () => resolve({ ms: performance.now() - began, bytes }));
      answer.once('error', reject);
    }).once('error', reject);
  });
}

const startFile = (file: string, port: number, args: readonly (string | number)[], path: string): Promise<Started> =>
  start(
    process.execPath,
    [join(import.meta.dirname, file), String(port), ...args.map(String)],
    {},
    async () => (await called(port, path)).bytes >= 0,
  );

type Measured = { readonly ms: number[]; readonly cpu: number[]; mib: number; bytes: number };

/** Rounds of all ways in turns, each in a process of its own, of which the first call does not count. */
async function measure(cluster: (typeof clusters)[number], nodesPort: number): Promise<ReadonlyMap<Way, Measured>> {
  const ports = await freePorts(ways.length);
  const args = [nodesPort, cluster.nodes, cluster.systems];
  const gateways = await Promise.all(ways.map((way, at) => startFile('merging-gateway.ts', ports[at]!, [...args, way], '/up')));
  const measured = new Map<Way, Measured>(ways.map((way) => [way, { ms: [], cpu: [], mib: 0, bytes: 0 }]));
  for (let round = -1; round < cluster.rounds; round++) {
    for (const [at, way] of ways.entries()) {
      const one = measured.get(way)!;
      if (way === 'trees' && round >= treeRounds) continue;
      const before = cpuMs(gateways[at]!.pid);
      const { ms, bytes } = await called(ports[at]!);
      one.bytes = bytes;
      one.mib = peakMib(gateways[at]!.pid);
      if (round >= 0) one.ms.push(ms);
      if (round >= 0) one.cpu.push(cpuMs(gateways[at]!.pid) - before);
    }
  }
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  return measured;
}

function figuresOf({ nodes, systems, ms, mib }: (typeof clusters)[number], measured: ReadonlyMap<Way, Measured>): Figure[] {
  const what = `${nodes} × ${systems.toLocaleString('en-US')} systems`;
  const [merged, copied, trees] = ways.map((way) => measured.get(way)!);
  const whole = (value: number): string => value.toFixed(0);
  const noted = (one: Measured): string =>
    `${spread(one.ms, whole)}; ${whole(median(one.cpu))} ms of processor time; ${(one.bytes / 1e6).toFixed(1)} MB`;
  const ratio = (peer: Measured): number => median(peer.ms) / median(merged!.ms);
  return [
    { what: `${what}, merged as bytes`, measured: median(merged!.ms), unit: 'ms', target: ms, note: noted(merged!) },
    { what: `${what}: the most memory`, measured: merged!.mib, unit: 'MiB', ...(mib && { target: mib }) },
    { what: `peer: ${what}, copied`, measured: median(copied!.ms), unit: 'ms', note: noted(copied!) },
    { what: `peer: ${what}, the most memory`, measured: copied!.mib, unit: 'MiB' },
    { what: `peer: ${what}, merged by trees`, measured: median(trees!.ms), unit: 'ms', note: noted(trees!) },
    { what: `peer: ${what}, the most memory of trees`, measured: trees!.mib, unit: 'MiB' },
    { what: `${what}: share of copying in it`, measured: ratio(copied!), unit: '' },
    { what: `${what}: trees take`, measured: ratio(trees!), unit: '×' },
  ];
}

await program(async () => {
  const [nodesPort] = await freePorts(1);
  const nodes = await startFile('canned-nodes.ts', nodesPort!, [], '/1');
  const figures: Figure[] = [];
  for (const cluster of clusters) figures.push(...figuresOf(cluster, await measure(cluster, nodesPort!)));
  await nodes.stop();
  agent.destroy();
  return figures;
});
