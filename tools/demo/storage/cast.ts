import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '../../../lib/api/client.ts';
import { contract } from '../../../lib/contract.ts';
import { type Child, hasEnded, outputOf, program, startChild, stopChildren } from '../child.ts';
import { casualtyAmong, startControlPlane } from '../control-plane.ts';
import { type Operator, ran } from '../operator.ts';
import { explained } from '../performance.ts';
import { freePorts, freeRange } from '../ports.ts';
import { agentCommand, aProcess, endProcesses, hosts, zone } from './hosts.ts';

/**
 * All participants: a control plane, agents with their processes, an operator at the command line, and a separate
 * launcher.
 */
export type Cast = Operator & {
  readonly api: ApiClient;
  /** The facts of the cluster. */
  readonly factsFile: string;
  startAgent(host: string): void;
  /** Ends an agent as a crash does; its processes go on. */
  killAgent(host: string): void;
  /** Starts a process that Muster does not start, by its configuration; resolves once it is ready. */
  launch(name: string, variables: Readonly<Record<string, string>>): Promise<Launched>;
  /** A process that should run and does not, with its last output; undefined when all is well. */
  casualty(): string | undefined;
};

/** A process that a launcher has started; `end` ends it. */
export type Launched = { readonly pid: number; runs(): boolean; end(): Promise<void> };

type Company = {
  readonly folder: string;
  readonly children: Set<Child>;
  readonly agents: Map<string, Child>;
  readonly interrupted: AbortSignal;
};

/**
 * Gathers the cast and plays. Afterwards every process is stopped and the folder removed, however the play ends; that
 * includes the processes of the cluster, which outlive their agents on purpose.
 */
export async function withCast<T>(interrupted: AbortSignal, play: (cast: Cast) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-demo-'));
  const company: Company = { folder, children: new Set(), agents: new Map(), interrupted };
  try {
    const cast = await gather(company);
    return await play(cast).catch((error: Error) => explained(cast, error));
  } finally {
    await stopChildren([...company.agents.values(), ...company.children]);
    await Promise.all(hosts.map((host) => endProcesses(join(folder, host))));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function gather(company: Company): Promise<Cast> {
  const { folder, children, agents, interrupted } = company;
  const ports = await freePorts(hosts.length);
  const factsFile = await factsIn(folder);
  const { endpoint, api, env } = await startControlPlane(folder, children);
  await prepare(api);
  const run = (path: string, words: readonly string[]) => ran([process.execPath, program(path), ...words], env, interrupted);
  return {
    api,
    factsFile,
    startAgent: (host) => {
      agents.set(host, startChild(host, agentCommand(host, { endpoint, home: join(folder, host), port: ports[hosts.indexOf(host)]! })));
    },
    killAgent: (host) => {
      agents.get(host)?.process.kill('SIGKILL');
      agents.delete(host);
    },
    muster: (...words) => run('programs/cli/main.ts', [...words, '--endpoint', endpoint]),
    musterAgent: (host, ...words) => run('programs/agent/main.ts', ['--home', join(folder, host), ...words]),
    launch: (name, variables) => launched(name, variables, children),
    casualty: () => casualtyAmong([...children, ...agents.values()]),
  };
}

/** Creates a storage zone, and a rule that lets the hosts into it. Throws the refusal of either. */
async function prepare(api: ApiClient): Promise<void> {
  const made = await api(contract.createZone, { body: { name: zone, kind: 'storage' } });
  if (!made.ok) throw new Error(`there is no zone ${zone}: ${made.problem.detail}`);
  const admitted = await api(contract.addAdmissionRule, { body: { name: 'demo', nodes: hosts.join(','), zone, left: hosts.length } });
  if (!admitted.ok) throw new Error(`the hosts are not admitted: ${admitted.problem.detail}`);
}

/** The range of ports for s3servers in the facts, and how many of them are used. */
const portsWritten = { from: 18081, to: 18099, used: 2 };

/** Writes the facts of the demo to this folder, with free ports. */
async function factsIn(folder: string): Promise<string> {
  const { from, to, used } = portsWritten;
  const text = readFileSync(program('tools/demo/storage/facts.yaml'), 'utf8');
  const first = await freeRange(from, used);
  const file = join(folder, 'facts.yaml');
  writeFileSync(file, text.replace(`[${from}, ${to}]`, `[${first}, ${first + to - from}]`));
  return file;
}

async function launched(name: string, variables: Readonly<Record<string, string>>, children: Set<Child>): Promise<Launched> {
  const child = startChild(name, [aProcess], { env: variables });
  children.add(child);
  await outputOf(child, /^(ready)$/m);
  return {
    pid: child.process.pid!,
    runs: () => !hasEnded(child),
    end: async () => {
      children.delete(child);
      await stopChildren([child]);
    },
  };
}
