import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { kernelBoot } from '../../agent/facts.ts';
import { livesOf } from '../../agent/processes/born.ts';
import { readTable } from '../../agent/processes/disk.ts';
import { showing } from '../../lib/api/bearer.ts';
import { type ApiClient, apiClient } from '../../lib/api/client.ts';
import { contract } from '../../lib/api/contract.ts';
import { ZoneName } from '../../lib/ids.ts';
import { folderAt } from '../../lib/machine/folder.ts';
import { orNothing } from '../../lib/machine/os-name.ts';
import type { EpochMs } from '../../lib/units.ts';
import { operatorFile } from '../../local/host.ts';
import { type Child, hasEnded, saidBy, startChild, stopChildren } from '../child.ts';
import { freePorts } from '../ports.ts';

const program = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The zone of the demo's storage cluster, its hosts, and the facts that it is loaded from. */
export const zone = ZoneName.parse('tier1');
export const hosts = ['ssu1', 'ssu2', 'client1'].map((name) => `${name}.demo.muster.test`);
export const factsFile = program('demo/storage/facts.yaml');
/** The fastest heartbeat in the demo, so that a lost node is noticed while one watches. */
const beatMinMs = 1_000;

/** What a command of the command line said, and its exit code. */
export type Ran = { readonly code: number; readonly out: string; readonly err: string };

/** Everybody who takes part: a control plane, agents with their processes, and an operator at the command line. */
export type Cast = {
  readonly api: ApiClient;
  startAgent(host: string): void;
  /** Ends an agent as a crash does; its processes go on. */
  killAgent(host: string): void;
  /** Runs the command line as an operator would. */
  muster(...words: readonly string[]): Promise<Ran>;
  /** Somebody who should run and does not, with the last it said; undefined when all is well. */
  casualty(): string | undefined;
};

type Company = { readonly folder: string; readonly children: Child[]; readonly agents: Map<string, Child> };

/**
 * Gathers the cast and plays. Afterwards every process is stopped and the folder removed, however the play ends: those of the cluster, too, which
 * outlive their agents on purpose.
 */
export async function withCast<T>(play: (cast: Cast) => Promise<T>): Promise<T> {
  const company: Company = { folder: mkdtempSync(join(tmpdir(), 'muster-demo-')), children: [], agents: new Map() };
  try {
    return await play(await gather(company));
  } finally {
    await stopChildren([...company.agents.values(), ...company.children]);
    for (const host of hosts) await endProcesses(join(company.folder, host));
    rmSync(company.folder, { recursive: true, force: true });
  }
}

async function gather(company: Company): Promise<Cast> {
  const { folder, children, agents } = company;
  const ports = await freePorts(hosts.length);
  const env = { MUSTER_PORT: '0', MUSTER_HOME: join(folder, 'muster'), MUSTER_BEAT_MIN_MS: String(beatMinMs) };
  const plane = startChild('control plane', [program('local/main.ts')], { env });
  children.push(plane);
  const endpoint = await saidBy(plane, /Muster is at (http:\S+?),/);
  const operatorKey = join(env.MUSTER_HOME, operatorFile);
  const api = apiClient(endpoint, { timeoutMs: 10_000, fetching: showing(() => readFileSync(operatorKey, 'utf8').trim()) });
  const made = await api(contract.createZone, { body: { name: zone, kind: 'storage' } });
  if (!made.ok) throw new Error(`there is no zone ${zone}: ${made.problem.detail}`);
  const admitted = await api(contract.addAdmissionRule, { body: { name: 'demo', nodes: hosts.join(','), zone, left: hosts.length } });
  if (!admitted.ok) throw new Error(`the hosts are not admitted: ${admitted.problem.detail}`);
  return {
    api,
    startAgent: (host) => {
      agents.set(host, startChild(host, agentWords(host, { endpoint, home: join(folder, host), port: ports[hosts.indexOf(host)]! })));
    },
    killAgent: (host) => {
      agents.get(host)?.process.kill('SIGKILL');
      agents.delete(host);
    },
    muster: (...words) => ran([program('cli/main.ts'), ...words, '--endpoint', endpoint], env),
    casualty: () => {
      const ended = [...children, ...agents.values()].find(hasEnded);
      return ended && `${ended.name} has ended; the last it said:\n${ended.tail()}`;
    },
  };
}

/** What an agent is started with: its processes are children that say when they are ready. */
function agentWords(host: string, { endpoint, home, port }: { endpoint: string; home: string; port: number }): string[] {
  const self = [
    '--endpoint',
    endpoint,
    '--fqdn',
    host,
    '--watch',
    `127.0.0.1:${port}`,
    '--kind',
    'storage',
    '--zone',
    zone,
    '--home',
    home,
  ];
  const command = `${process.execPath} ${program('demo/storage/a-process.ts')}`;
  const runs = ['m0d', 'm0t1fs', 's3server', 'clovis-app'].flatMap((prefix) => ['--run', `${prefix}=${command}`]);
  return [
    program('agent/main.ts'),
    ...self,
    '--processes',
    'child',
    ...runs,
    '--ready-line',
    'ready',
    '--sysconfig',
    join(home, 'sysconfig'),
  ];
}

const ran = (words: readonly string[], env: NodeJS.ProcessEnv): Promise<Ran> =>
  new Promise((resolve) => {
    execFile(process.execPath, words, { env: { ...process.env, ...env }, encoding: 'utf8' }, (error, out, err) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, out, err });
    });
  });

/** How long a process may take to end that was asked to, in ms. */
const patienceMs = 3_000;

/** Ends whatever an agent had on its record that still lives: it is asked first, and killed after a while. */
async function endProcesses(home: string): Promise<void> {
  const lives = livesOf(
    kernelBoot(
      orNothing(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
      Date.now() as EpochMs,
      uptime(),
    ),
  );
  const living = (readTable(folderAt(home))?.held ?? []).flatMap(({ life }) => (life && lives.isOn(life) ? [life] : []));
  for (const { pid } of living) process.kill(pid, 'SIGTERM');
  const until = Date.now() + patienceMs;
  while (living.some((life) => lives.isOn(life)) && Date.now() < until) await sleep(50);
  for (const life of living) if (lives.isOn(life)) process.kill(life.pid, 'SIGKILL');
}
