import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { ApiClient } from '../../../lib/api/client.ts';
import { contract } from '../../../lib/contract.ts';
import { type Child, program, startChild, stopChildren } from '../child.ts';
import { casualtyAmong, startControlPlane } from '../control-plane.ts';
import { type Operator, ran } from '../operator.ts';
import { explained } from '../performance.ts';
import { agentCommand, endServices, hosts } from './hosts.ts';
import { isInNamespace } from './namespaces.ts';
import { inNamespaces, onLoopback, type Site } from './site.ts';

/** All participants: a control plane, agents with their services, and an operator at the command line. */
export type Cast = Operator & {
  readonly api: ApiClient;
  readonly site: Site;
  /** The path of a file of the demo, as its commands name it. */
  file(name: 'greeter.yaml' | 'farewell.yaml'): string;
  startAgent(host: string): void;
  /** Whether Muster has acknowledged the agent of a host since it was started. */
  isAcknowledged(host: string): boolean;
  /** Ends an agent as a crash does; its services go on. */
  killAgent(host: string): void;
  /** A process that should run and does not, with its last output; undefined when all is well. */
  casualty(): string | undefined;
};

type Company = {
  readonly folder: string;
  readonly children: Set<Child>;
  readonly agents: Map<string, Child>;
  readonly interrupted: AbortSignal;
};

/**
 * Gathers the cast and plays. Afterwards every process is stopped and the folder removed, however the play ends; that
 * includes the services, which outlive their agents on purpose.
 */
export async function withCast<T>(interrupted: AbortSignal, play: (cast: Cast) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-demo-'));
  const company: Company = { folder, children: new Set(), agents: new Map(), interrupted };
  try {
    const cast = await gather(company);
    return await play(cast).catch((error: Error) => explained(cast, error));
  } finally {
    await stopChildren([...company.agents.values()]);
    await Promise.all(hosts.map((host) => endServices(join(folder, host))));
    await stopChildren([...company.children]);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function gather({ folder, children, agents, interrupted }: Company): Promise<Cast> {
  const files = filesIn(folder);
  const { endpoint, api, env } = await startControlPlane(folder, children);
  const site = await (isInNamespace() ? inNamespaces : onLoopback)({ hosts, port: Number(new URL(endpoint).port), children });
  // On networks of their own, hosts are watched on the site's network, and call by the other.
  const rule = { name: 'demo', nodes: hosts.join(','), left: hosts.length, ...(site.uplink && { anyWatch: true as const }) };
  const admitted = await api(contract.addAdmissionRule, { body: rule });
  if (!admitted.ok) throw new Error(`the hosts are not admitted: ${admitted.problem.detail}`);
  const path = { PATH: `${files.bin}${delimiter}${process.env['PATH']}` };
  const homeOf = (host: string) => join(folder, host);
  return {
    api,
    site,
    file: (name) => join(files.types, name),
    startAgent: (host) => {
      const words = agentCommand(host, { endpoint, home: homeOf(host), watch: site.watch(host) });
      agents.set(host, startChild(host, words, { env: path, within: site.within(host) }));
    },
    isAcknowledged: (host) => agents.get(host)?.has('acknowledged') === true,
    killAgent: (host) => {
      agents.get(host)?.process.kill('SIGKILL');
      agents.delete(host);
    },
    muster: (...words) => ran([process.execPath, program('programs/cli/main.ts'), ...words, '--endpoint', endpoint], env, interrupted),
    musterAgent: (host, ...words) =>
      ran([...site.within(host), process.execPath, program('programs/agent/main.ts'), '--home', homeOf(host), ...words], {}, interrupted),
    casualty: () => casualtyAmong([...children, ...agents.values()]),
  };
}

/**
 * Puts the files of a host into the folder: the types with the path of their script, and `muster-agent`, which the
 * script calls.
 */
function filesIn(folder: string): { readonly types: string; readonly bin: string } {
  const [types, bin] = [join(folder, 'types'), join(folder, 'bin')];
  for (const one of [types, bin]) mkdirSync(one);
  for (const name of ['greeter.yaml', 'farewell.yaml']) {
    const text = readFileSync(program(`tools/demo/services/${name}`), 'utf8');
    writeFileSync(join(types, name), text.replaceAll('/usr/local/lib/greeter.sh', program('tools/demo/services/greeter.sh')));
  }
  const agent = join(bin, 'muster-agent');
  writeFileSync(agent, `#!/bin/sh\nexec '${process.execPath}' '${program('programs/agent/main.ts')}' "$@"\n`);
  chmodSync(agent, 0o755);
  return { types, bin };
}
