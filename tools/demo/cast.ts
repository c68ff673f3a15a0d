import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '../../lib/api/client.ts';
import { contract } from '../../lib/contract.ts';
import { type Child, program, startChild, stopChildren } from './child.ts';
import { casualtyAmong, startControlPlane } from './control-plane.ts';
import type { FromFleet, Look, ToFleet } from './fleet/messages.ts';
import { freePorts } from './ports.ts';

/** All participants: processes of their own, in one temporary folder. */
export type Cast = {
  readonly api: ApiClient;
  readonly endpoint: string;
  /** The names of the nodes. */
  readonly nodes: readonly string[];
  startAgent(node: string): void;
  killAgent(node: string): void;
  startFleet(systems: number): void;
  look(): Promise<Look>;
  /** A process that should run and does not, with its last output; undefined when all is well. */
  casualty(): string | undefined;
};

type Company = { readonly folder: string; readonly children: Set<Child>; readonly agents: Map<string, Child> };

/** Gathers the cast and plays; every process is stopped and the folder removed afterwards, however the play ends. */
export async function withCast<T>(nodes: readonly string[], play: (cast: Cast) => Promise<T>): Promise<T> {
  const company: Company = { folder: mkdtempSync(join(tmpdir(), 'muster-demo-')), children: new Set(), agents: new Map() };
  try {
    return await play(await gather(nodes, company));
  } finally {
    await stopChildren([...company.agents.values(), ...company.children]);
    rmSync(company.folder, { recursive: true, force: true });
  }
}

async function gather(nodes: readonly string[], company: Company): Promise<Cast> {
  const { folder, children, agents } = company;
  const ports = await freePorts(nodes.length);
  const { endpoint, api } = await startControlPlane(folder, children, { MUSTER_ADMIT_EVERY_MS: '0' });
  const { fleet, knockUrl } = await callFleet(children);
  const admitted = await api(contract.addAdmissionRule, { body: { name: 'demo', nodes: nodes.join(','), left: nodes.length } });
  if (!admitted.ok) throw new Error(`the nodes are not admitted: ${admitted.problem.detail}`);
  const seenFiles = Object.fromEntries(nodes.map((node) => [node, join(folder, `${node}.seen`)]));
  const tell = (message: ToFleet) => fleet.process.send(message);
  return {
    api,
    endpoint,
    nodes,
    startAgent: (node) => {
      const self = ['--endpoint', endpoint, '--fqdn', node, '--watch', `127.0.0.1:${ports[nodes.indexOf(node)]}`];
      const hook = `'${process.execPath}' '${program('tools/demo/hook/main.ts')}' ${knockUrl}`;
      const files = ['--home', join(folder, node), '--systems-seen', seenFiles[node]!, '--release-hook', hook];
      agents.set(node, startChild(node, [program('programs/agent/main.ts'), ...self, ...files]));
    },
    killAgent: (node) => {
      agents.get(node)?.process.kill('SIGKILL');
      agents.delete(node);
    },
    startFleet: (systems) => tell({ do: 'start', endpoint, systems, seenFiles }),
    look: () =>
      new Promise((resolve) => {
        fleet.process.once('message', (message: FromFleet) => message.is === 'look' && resolve(message));
        tell({ do: 'look' });
      }),
    casualty: () => casualtyAmong([...children, ...agents.values()]),
  };
}

/** Starts the fleet, which waits for its cue; gives the address for release hooks. */
async function callFleet(children: Set<Child>): Promise<{ fleet: Child; knockUrl: string }> {
  const fleet = startChild('fleet', [program('tools/demo/fleet/main.ts')], { ipc: true });
  children.add(fleet);
  const knockUrl = await new Promise<string>((resolve, reject) => {
    fleet.process.once('message', (message: FromFleet) => message.is === 'ready' && resolve(message.knockUrl));
    void fleet.exited.then(() => reject(new Error(`the fleet ended:\n${fleet.tail()}`)));
  });
  return { fleet, knockUrl };
}
