import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '../../../lib/api/client.ts';
import { contract } from '../../../lib/contract.ts';
import { administrator, type PlayedServer } from '../../support/uyuni/played-server.ts';
import { type Child, program, startChild, stopChildren } from '../child.ts';
import { casualtyAmong, startControlPlane } from '../control-plane.ts';
import { type Operator, ran } from '../operator.ts';
import { explained } from '../performance.ts';
import { freePorts } from '../ports.ts';
import { type Daemons, someDaemons } from './daemons.ts';
import { Servers } from './servers.ts';

/** The servers of the demo: the first two have systems, and the third is empty. */
export const names = ['uyuni1', 'uyuni2', 'uyuni3'].map((name) => `${name}.acme.test`) as [string, string, string];

/**
 * All participants: a control plane and agents, each a process; and in this process the played servers, and the daemons
 * of their systems.
 */
export type Cast = Operator & {
  readonly api: ApiClient;
  readonly servers: Servers;
  readonly daemons: Daemons;
  /** The configuration of a server, which its agent and the commands of the operator there read. */
  rhnConf(fqdn: string): string;
  startAgent(fqdn: string): void;
  /** Loses a server and the agent on it, as when its machine dies. */
  destroy(fqdn: string): Promise<void>;
  /** What should run and does not, with its last output; undefined when all is well. */
  casualty(): string | undefined;
};

type Company = {
  readonly folder: string;
  readonly children: Set<Child>;
  readonly agents: Map<string, Child>;
  readonly servers: Servers;
  readonly interrupted: AbortSignal;
  daemons?: Daemons;
};

/** Gathers the cast and plays. Everything is stopped and the folder removed afterwards, however the play ends. */
export async function withCast<T>(interrupted: AbortSignal, play: (cast: Cast) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-demo-'));
  const company: Company = { folder, children: new Set(), agents: new Map(), servers: new Servers(), interrupted };
  try {
    const cast = await gather(company);
    return await play(cast).catch((error: Error) => explained(cast, error));
  } finally {
    company.daemons?.stop();
    await stopChildren([...company.agents.values(), ...company.children]);
    await company.servers.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function gather(company: Company): Promise<Cast> {
  const { folder, children, agents, servers, interrupted } = company;
  const ports = await freePorts(names.length);
  const { endpoint, api, env } = await startControlPlane(folder, children, { MUSTER_ADMIT_EVERY_MS: '0' });
  const admitted = await api(contract.addAdmissionRule, { body: { name: 'demo', nodes: names.join(','), left: names.length } });
  if (!admitted.ok) throw new Error(`the servers are not admitted: ${admitted.problem.detail}`);
  company.daemons = someDaemons(endpoint, servers);
  const homeOf = (fqdn: string) => join(folder, fqdn);
  const run = (path: string, words: readonly string[]) => ran([process.execPath, program(path), ...words], env, interrupted);
  return {
    api,
    servers,
    daemons: company.daemons,
    rhnConf: (fqdn) => rhnConfOf(servers.of(fqdn)),
    startAgent: (fqdn) => {
      const place = { endpoint, home: homeOf(fqdn), port: ports[names.indexOf(fqdn)]!, account: accountIn(folder, servers.of(fqdn)) };
      agents.set(fqdn, startChild(`agent of ${fqdn}`, agentCommand(servers.of(fqdn), place)));
    },
    destroy: async (fqdn) => {
      agents.get(fqdn)?.process.kill('SIGKILL');
      agents.delete(fqdn);
      await servers.destroy(fqdn);
    },
    muster: (...words) => run('programs/cli/main.ts', [...words, '--endpoint', endpoint]),
    musterAgent: (fqdn, ...words) => run('programs/agent/main.ts', ['--home', homeOf(fqdn), ...words]),
    casualty: () => casualtyAmong([...children, ...agents.values()]) ?? servers.failure(),
  };
}

const rhnConfOf = ({ root }: PlayedServer): string => join(root, 'etc/rhn/rhn.conf');

/** Writes the file with the agent's account on a server; gives its path. */
function accountIn(folder: string, { fqdn, url }: PlayedServer): string {
  const path = join(folder, `${fqdn}.account.json`);
  writeFileSync(path, JSON.stringify({ address: url, ...administrator }), { mode: 0o600 });
  return path;
}

type AgentPlace = { readonly endpoint: string; readonly home: string; readonly port: number; readonly account: string };

/** The command line of a server's agent: it keeps keys and metadata there, and reports what changes. */
const agentCommand = (server: PlayedServer, { endpoint, home, port, account }: AgentPlace): string[] => [
  program('programs/agent/main.ts'),
  ...['--endpoint', endpoint, '--fqdn', server.fqdn, '--kind', 'uyuni', '--home', home, '--watch', `127.0.0.1:${port}`],
  ...['--watch-source', `salt-master:${server.root}`, '--manage-keys', '--salt-key', server.saltKey],
  ...['--report-changes', rhnConfOf(server), '--uyuni-account', account],
];
