import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { callText } from '../../../lib/uyuni/xml-rpc/write.ts';
import type { Figure } from '../report/figure.ts';
import { cpuMs, peakMib } from '../report/of-process.ts';
import { freePorts, type Started, start } from '../report/processes.ts';
import { program } from '../report/program.ts';
import { median, quantile, spread } from '../rounds.ts';

/** Clusters, with the ms and the MiB in which `system.listSystems` of all nodes should be answered. */
const clusters: readonly { nodes: number; systems: number; rounds: number; ms: number; mib?: number }[] = [
  { nodes: 10, systems: 1_000, rounds: 15, ms: 60 },
  { nodes: 200, systems: 100, rounds: 15, ms: 200 },
  { nodes: 10, systems: 15_000, rounds: 7, ms: 800, mib: 150 },
];
/** Small calls of a round, directly and through the gateway in turns; the first rounds do not count. */
const small = { calls: 1_000, rounds: 5, before: 2 };
/** How long a node that hangs is waited for, in seconds. */
const deadlineS = 1;

const agent = new Agent({ keepAlive: true });

/** Calls a server or the gateway; gives how long it took to its last byte, in ms, and the text of a small answer. */
function called(port: number, body: string, headers: Readonly<Record<string, string>> = {}): Promise<{ ms: number; text: string }> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', port, path: '/rpc/api', agent, headers: { ...headers, 'content-length': Buffer.byteLength(body) } };
    request(options, (answer) => {
      let text = '';
      answer.on('data', (part: Buffer) => {
        if (text.length < 1_000) text += part.toString('latin1');
      });
      answer.once('end', () => resolve({ ms: performance.now() - began, text }));
      answer.once('error', reject);
    })
      .once('error', reject)
      .end(body);
  });
}

type Cluster = { readonly nodes: number; readonly systems: number; readonly hanging?: number };
type Running = {
  readonly ports: readonly number[];
  readonly gateway: Started;
  readonly port: number;
  readonly key: string;
  stop(): Promise<void>;
};

/** Played nodes, the gateway as a program before them, and a session. */
async function running(folder: string, { nodes, systems, hanging = 0 }: Cluster): Promise<Running> {
  const [port, ...ports] = await freePorts(nodes + 1);
  const file = join(folder, `nodes-${nodes}-${systems}-${hanging}.json`);
  const listed = ports.map((one, at) => ({
    name: `node${at + 1}.bench.test`,
    url: `http://127.0.0.1:${one}`,
    systems: Array.from({ length: systems }, (_, n) => [1_500_000_000 + at * systems + n, 1_000_010_000 + n]),
  }));
  writeFileSync(file, JSON.stringify({ nodes: listed }));
  const login = callText('auth.login', ['somebody', 'secret']);
  const isUp = (at: number) => async (): Promise<boolean> => (await called(at, login)).text.includes('<string>');
  const canned = [join(import.meta.dirname, 'canned-nodes.ts'), ports.join(','), String(systems), String(hanging)];
  const played = await start(process.execPath, canned, {}, isUp(ports[0]!));
  const program = [join(import.meta.dirname, '../../../programs/gateway/main.ts'), '--nodes', file, '--port', String(port)];
  const gateway = await start(process.execPath, ['--max-semi-space-size=4', ...program], {}, isUp(port!));
  const key = /<string>(\w+)</.exec((await called(port!, login)).text)?.[1];
  if (key === undefined) throw new Error('nobody is signed in');
  return {
    ports,
    gateway,
    port: port!,
    key,
    stop: async () => {
      await Promise.all([gateway.stop(), played.stop()]);
    },
  };
}

async function lists(folder: string, cluster: (typeof clusters)[number]): Promise<Figure[]> {
  const { nodes, systems, rounds, ms, mib } = cluster;
  const at = await running(folder, cluster);
  const list = callText('system.listSystems', [at.key]);
  const [through, direct, cpu]: [number[], number[], number[]] = [[], [], []];
  for (let round = -2; round < rounds; round++) {
    const before = cpuMs(at.gateway.pid);
    const one = (await called(at.port, list)).ms;
    const used = cpuMs(at.gateway.pid) - before;
    const own = (await called(at.ports[0]!, list)).ms;
    if (round < 0) continue;
    through.push(one);
    direct.push(own);
    cpu.push(used);
  }
  const peak = peakMib(at.gateway.pid);
  await at.stop();
  const what = `${nodes} × ${systems.toLocaleString('en-US')} systems`;
  const shown = (values: readonly number[]): string => spread(values, (value) => value.toFixed(1));
  return [
    {
      what: `${what}, listed through the gateway`,
      measured: median(through),
      unit: 'ms',
      target: { atMost: ms },
      note: `${shown(through)}; ${median(cpu)} ms of processor time of the gateway`,
    },
    {
      what: `peer: the ${systems.toLocaleString('en-US')} systems of one of these servers, directly`,
      measured: median(direct),
      unit: 'ms',
      note: shown(direct),
    },
    { what: `${what}: the most memory`, measured: peak, unit: 'MiB', ...(mib !== undefined && { target: { atMost: mib } }) },
  ];
}

async function smallCalls(folder: string): Promise<Figure[]> {
  const at = await running(folder, { nodes: 3, systems: 100 });
  const through = callText('system.getName', [at.key, 1_500_000_000]);
  const direct = callText('system.getName', ['1x', 1_000_010_000]);
  const timed = async (port: number, body: string): Promise<number[]> => {
    const all: number[] = [];
    for (let n = 0; n < small.calls; n++) all.push((await called(port, body)).ms);
    return all;
  };
  const [over, cpu, peer]: [number[], number[], number[]] = [[], [], []];
  for (let round = -small.before; round < small.rounds; round++) {
    const own = median(await timed(at.ports[0]!, direct));
    const before = cpuMs(at.gateway.pid);
    const one = median(await timed(at.port, through));
    const used = (cpuMs(at.gateway.pid) - before) / small.calls;
    if (round < 0) continue;
    peer.push(own);
    over.push(one - own);
    cpu.push(used);
  }
  await at.stop();
  const shown = (value: number): string => value.toFixed(2);
  return [
    { what: 'a small call over a direct one, p50', measured: median(over), unit: 'ms', target: { atMost: 1 }, note: spread(over, shown) },
    {
      what: 'processor time of the gateway for a small call',
      measured: median(cpu),
      unit: 'ms',
      target: { atMost: 0.35 },
      note: spread(cpu, shown),
    },
    { what: 'peer: a small call of one server, directly, p50', measured: median(peer), unit: 'ms', note: spread(peer, shown) },
  ];
}

async function hanging(folder: string): Promise<Figure[]> {
  const at = await running(folder, { nodes: 10, systems: 1_000, hanging: 1 });
  const list = callText('system.listSystems', [at.key]);
  const over: number[] = [];
  // After three failures in a row it would be left alone.
  for (let round = 0; round < 3; round++)
    over.push((await called(at.port, list, { 'x-deadline': String(deadlineS) })).ms - deadlineS * 1_000);
  await at.stop();
  return [
    {
      what: 'one of 10 nodes hangs: an answer of the others, after its deadline',
      measured: quantile(over, 1),
      unit: 'ms',
      target: { atMost: 60 },
      note: spread(over, (value) => value.toFixed(1)),
    },
  ];
}

await program(async (folder) => {
  const figures: Figure[] = await smallCalls(folder);
  for (const cluster of clusters) figures.push(...(await lists(folder, cluster)));
  figures.push(...(await hanging(folder)));
  agent.destroy();
  return figures;
});
