import { join } from 'node:path';
import { contract } from '../../lib/contract.ts';
import { aClient, aNodeUp } from '../support/actors.ts';
import { admitEveryone } from '../support/everyone.ts';
import { eventually } from '../support/host.ts';
import { apiAt, knowOperator, operatorIn } from '../support/operator.ts';
import { type Embedded, startEmbedded } from './embedded.ts';
import { type Etcd, etcdIsInstalled, startEtcd } from './etcd.ts';
import { connections, type LoadCall, type Loaded, load, loader } from './load.ts';
import type { Figure } from './report/figure.ts';
import { cpuMs } from './report/of-process.ts';
import { boundTo, freePorts, isBound, outputOf, type Started, start } from './report/processes.ts';
import { program } from './report/program.ts';
import { median, spread } from './rounds.ts';

/** As many client systems, and leases, as there are connections; the calls go through all of them. */
const clients = connections;
const seconds = 10;
const warmUpSeconds = 3;
/** How often each side is loaded. They take turns, because the load of the machine changes from minute to minute. */
const rounds = 5;
const laneSeconds = 5;

/** The embedded host with its state in `folder`, whose nodes admit any number at once. */
async function startMuster(folder: string): Promise<Embedded> {
  const home = join(folder, 'muster');
  const host = await startEmbedded(home, { env: { MUSTER_ADMIT_EVERY_MS: '0' }, flags: hostFlags(), bound: true });
  knowOperator(host.url, () => operatorIn(home));
  return host;
}

/** `--profile <folder>` has the host write a CPU profile of the run there. */
function hostFlags(): string[] {
  const at = process.argv.indexOf('--profile');
  return at === -1 ? [] : ['--cpu-prof', '--cpu-prof-dir', process.argv[at + 1]!];
}

/** A node that keeps sending heartbeats, and client systems that are confirmed on it; their status calls. */
async function population(url: string): Promise<{ calls: LoadCall[]; stop: () => void }> {
  await admitEveryone(url);
  // All of them call from this machine.
  await apiAt(url)(contract.editSettings, { body: { newKeysPerSource: 0 } });
  const node = await aNodeUp(url, 'node1.bench.test');
  const beating = setInterval(() => void node.sendHeartbeat(), 5_000);
  const systems = Array.from({ length: clients }, (_, n) => aClient(url, `web${n}.bench.test`));
  await Promise.all(systems.map((system) => system.knock()));
  const accepted = await apiAt(url)(contract.accept, { body: { systems: systems.map(({ fp }) => fp) } });
  if (!accepted.ok) throw new Error(accepted.problem.detail);
  for (const system of systems) {
    await system.knock();
    await eventually('a client system is assigned its node', async () => (await system.orphan()) === node.fqdn);
    await system.knock({ confirmed: node.fqdn });
  }
  return {
    calls: systems.map(({ fp, token }) => ({ method: 'GET', path: `/system/status?fp=${fp}`, headers: { 'muster-token': token()! } })),
    stop: () => clearInterval(beating),
  };
}

/**
 * Throws unless every client gets the answer that it is onboarded. Run before and after the load, which checks only
 * HTTP statuses.
 */
async function assertOnboarded(url: string, calls: readonly LoadCall[]): Promise<void> {
  for (const { path, headers } of calls) {
    const byte = await (await fetch(`${url}${path}`, { headers })).text();
    if (byte !== '1') throw new Error(`${path} is answered ${byte}, not 1`);
  }
}

/** node's HTTP server with nothing behind it, on the processor of the measured server. */
async function startBare(): Promise<Started & { readonly url: string }> {
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const [command, args] = boundTo('measured', [process.execPath, [join(import.meta.dirname, 'bare-http.ts'), String(port)]]);
  return { ...(await start(command, args, {}, async () => (await fetch(url)).ok)), url };
}

async function measure(folder: string): Promise<Figure[]> {
  const [host, bare] = [await startMuster(folder), await startBare()];
  const etcd = etcdIsInstalled ? await startEtcd(folder, clients) : undefined;
  const people = await population(host.url);
  const [ours, least, theirs, streamed]: [Loaded[], Loaded[], Loaded[], Loaded[]] = [[], [], [], []];
  const lanes: Lanes = { plain: [], node: [] };
  await load(host.url, people.calls, warmUpSeconds, folder);
  if (etcd) await load(etcd.url, etcd.keepalives, warmUpSeconds, folder);
  for (let round = 0; round < rounds; round++) {
    await assertOnboarded(host.url, people.calls);
    ours.push(await load(host.url, people.calls, seconds, folder));
    least.push(await load(bare.url, people.calls, seconds, folder));
    await compareLanes(lanes, host, people.calls, folder);
    if (!etcd) continue;
    theirs.push(await load(etcd.url, etcd.keepalives, seconds, folder));
    streamed.push(await byStreams(etcd));
  }
  await assertOnboarded(host.url, people.calls);
  people.stop();
  await Promise.all([host.stop(), bare.stop(), etcd?.stop()]);
  return [
    ...figuresOf('GET /system/status', ours, true),
    ...besideBare(ours, least),
    ...besideNode(lanes),
    ...(etcd ? beside(ours, { theirs, streamed }, etcd.version) : []),
  ];
}

/** The processor time of the host for a call, in µs, by round: on the plain lane, and through node:http. */
type Lanes = { readonly plain: number[]; readonly node: number[] };

/** A call with a field that no plain call has: the host hands its connection to node:http. */
const throughNode = ({ headers, ...call }: LoadCall): LoadCall => ({ ...call, headers: { ...headers, 'x-through': 'node' } });

async function compareLanes(lanes: Lanes, host: Embedded, calls: readonly LoadCall[], folder: string): Promise<void> {
  for (const [of, sent] of [
    [lanes.plain, calls],
    [lanes.node, calls.map(throughNode)],
  ] as const) {
    const before = cpuMs(host.pid);
    const { perSecond } = await load(host.url, sent, laneSeconds, folder);
    of.push(((cpuMs(host.pid) - before) * 1_000) / (perSecond * laneSeconds));
  }
}

/** What the plain lane saves: below 1.3 it would not be worth its code. */
function besideNode({ plain, node }: Lanes): Figure[] {
  const ratios = node.map((one, round) => one / plain[round]!);
  const [fast, slow] = [plain, node].map((some) => `${median(some).toFixed(1)} µs`);
  return [
    {
      what: 'processor time of a status call through node:http beside the plain lane, same host',
      measured: median(ratios),
      unit: '×',
      target: { atLeast: 1.3 },
      note: `${spread(ratios, (one) => one.toFixed(2))}; ${slow} and ${fast}`,
    },
  ];
}

/** etcd's leases kept alive over gRPC, a stream on a connection of its own for each, from another process. */
const byStreams = async ({ url, leases }: Etcd): Promise<Loaded> => {
  const args = [join(import.meta.dirname, 'grpc-load.ts'), url, String(seconds), ...leases];
  return JSON.parse(await outputOf(...boundTo('loading', [process.execPath, args]), (seconds + 20) * 1000)) as Loaded;
};

function figuresOf(what: string, loads: readonly Loaded[], isOurs: boolean): Figure[] {
  const perSecond = loads.map((one) => one.perSecond);
  const by = `${what.includes('gRPC') ? 'streams' : loader}, ${connections} connections, ${seconds} s a round${isBound ? ', on one processor, loaded from another' : ''}${etcdIsInstalled ? '' : '; no etcd on the path to stand beside it'}`;
  return [
    {
      what,
      measured: median(perSecond),
      unit: '/s',
      ...(isOurs && { target: { atLeast: 25_000 } }),
      note: spread(perSecond, (one) => one.toFixed(0)),
    },
    { what: `${what}, p50`, measured: median(loads.map((one) => one.p50Ms)), unit: 'ms', note: by },
    {
      what: `${what}, p99`,
      measured: median(loads.map((one) => one.p99Ms)),
      unit: 'ms',
      ...(isOurs && { target: { atMost: 25 } }),
      note: spread(
        loads.map((one) => one.p99Ms),
        (one) => one.toFixed(2),
      ),
    },
  ];
}

/** The result of a server on this machine that does nothing: no handler on node's HTTP server can be faster. */
const besideBare = (ours: readonly Loaded[], least: readonly Loaded[]): Figure[] => [
  figuresOf("peer: node's HTTP server, which answers one byte and looks at nothing", least, false)[0]!,
  ratioOf("GET /system/status beside node's HTTP server alone", ours, least),
];

/**
 * The peer's own figures by its JSON gateway and by gRPC streams, and the ratios of each round, whose loads ran one
 * after the other.
 */
function beside(
  ours: readonly Loaded[],
  { theirs, streamed }: { readonly theirs: readonly Loaded[]; readonly streamed: readonly Loaded[] },
  version: string,
): Figure[] {
  return [
    ...figuresOf(`peer: etcd ${version}, POST /v3/lease/keepalive`, theirs, false),
    ...figuresOf(`peer: etcd ${version}, gRPC LeaseKeepAlive`, streamed, false),
    ratioOf("GET /system/status beside etcd's HTTP keepalives", ours, theirs, 3),
    ratioOf("GET /system/status beside etcd's gRPC keepalives", ours, streamed, 1.3),
  ];
}

function ratioOf(what: string, ours: readonly Loaded[], theirs: readonly Loaded[], atLeast?: number): Figure {
  const ratios = ours.map((one, round) => one.perSecond / theirs[round]!.perSecond);
  return {
    what,
    measured: median(ratios),
    unit: '×',
    ...(atLeast !== undefined && { target: { atLeast } }),
    note: spread(ratios, (one) => one.toFixed(2)),
  };
}

await program(measure);
