import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { apiClient } from '../../lib/api/client.ts';
import { contract } from '../../lib/contract.ts';
import { worldOf } from '../../programs/loadtest/machine.ts';
import { type Nodes, someNodes } from '../../programs/loadtest/nodes.ts';
import { aClient } from '../../tools/support/actors.ts';
import { admitEveryone } from '../../tools/support/everyone.ts';
import { eventually } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { type HostProcess, startProcess } from '../support/host-process.ts';
import { nothingAcknowledged, noting } from './acknowledged.ts';
import type { Drive } from './drivers.ts';
import { historyOf } from './evidence.ts';
import type { HostProgram } from './keeper.ts';
import { namesOfNodes } from './nodes.ts';
import { inTemporaryFolder } from './temporary.ts';

/** Connections that send status calls as fast as they are answered. */
const connections = 64;
/** The fastest that the host lets nodes beat: their leases are then short enough to run out while the load goes on. */
const beatMinMs = 500;
const nodesMax = 20;

/** What was seen of a host while it was asked for statuses. */
export type UnderLoad = {
  readonly calls: { readonly answered: number; readonly failed: number };
  /** Nodes that were suspected or lost although they beat. */
  readonly suspected: readonly string[];
  /** Whether the one that fell silent when the load began was noticed while it went on. */
  readonly silentIsNoticed: boolean;
  /** Nodes that beat and whose heartbeats were not answered meanwhile. */
  readonly unheard: readonly string[];
  /** What the host said of its own lateness. */
  readonly late: readonly string[];
};

/**
 * Loads a host with status calls from another process for so many seconds, while nodes beat and one of them falls
 * silent.
 */
export const underLoad = (program: HostProgram, seconds: number): Promise<UnderLoad> =>
  inTemporaryFolder((home) => underLoadIn(home, program, seconds));

async function underLoadIn(home: string, program: HostProgram, seconds: number): Promise<UnderLoad> {
  const env = { MUSTER_HOME: home, MUSTER_BEAT_MIN_MS: String(beatMinMs), MUSTER_ADMIT_EVERY_MS: '0', MUSTER_LOG: 'warn' };
  const host = startProcess(env, program.script, program.args);
  const over = new AbortController();
  const ack = nothingAcknowledged();
  try {
    await admitEveryone(await host.url);
    const url = await host.url;
    const api = noting(apiAt(url), ack);
    const drive: Drive = { api, ack, world: worldOf(Math.random), over: over.signal };
    const nodes = someNodes(namesOfNodes(nodesMax), {
      world: drive.world,
      over: over.signal,
      knockNow: () => undefined,
      apiOf: (signs) => noting(apiClient(url, { fetching: signs(fetch) }), ack),
    });
    try {
      return await watched(host, nodes, drive, seconds);
    } finally {
      for (const machine of nodes.machines) nodes.off(machine);
    }
  } finally {
    over.abort();
    host.kill('SIGKILL');
    await host.ended;
  }
}

async function watched(host: HostProcess, nodes: Nodes, { api, ack }: Drive, seconds: number): Promise<UnderLoad> {
  for (const machine of nodes.machines) nodes.boot(machine);
  await eventually('every node is up', async () => {
    const answer = await api(contract.status);
    return answer.ok && answer.body.zones[0]?.nodes['up'] === nodesMax;
  });
  const url = await host.url;
  const token = await anOnboarded(url);
  const silent = nodes.machines[0]!.agent!.state().node!;
  nodes.off(nodes.machines[0]!);
  ack.beats.clear();
  const calls = await loaded(`${url}/system/status?fp=${token.fp}`, token.text, seconds);
  const alive = nodes.alive();
  const history = await historyOf(
    [silent, ...alive].map((id) => `node/${id}`),
    api,
  );
  const isDoubted = (id: string): boolean =>
    history.get(`node/${id}`)!.some(({ type }) => type === 'node.suspected' || type === 'node.lost');
  host.kill('SIGTERM');
  const { complained } = await host.ended;
  return {
    calls,
    suspected: alive.filter(isDoubted),
    silentIsNoticed: isDoubted(silent),
    unheard: alive.filter((id) => !ack.beats.has(id)),
    late: complained.split('\n').filter((line) => line.includes('"sweep.late"') || line.includes('"heartbeat.late"')),
  };
}

/** A client system that is where it belongs, with the token by which it asks. */
async function anOnboarded(url: string): Promise<{ fp: string; text: string }> {
  const client = aClient(url, 'web1.chaos.test');
  await client.knock();
  await apiAt(url)(contract.accept, { body: { systems: [client.fp] } });
  await client.knock();
  const node = await eventually('the client is told its node', async () => {
    const name = await client.orphan();
    return typeof name === 'string' && name;
  });
  await client.knock({ confirmed: node });
  return { fp: client.fp, text: client.token()! };
}

/** Sends status calls from another process; how many were answered with success, and how many not. */
async function loaded(url: string, token: string, seconds: number): Promise<UnderLoad['calls']> {
  const program = join(import.meta.dirname, '../../node_modules/autocannon/autocannon.js');
  const args = ['-j', '-n', '-c', String(connections), '-d', String(seconds), '-H', `muster-token=${token}`, url];
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'ignore'], timeout: (seconds + 30) * 1000 });
  const told = JSON.parse(await text(child.stdout)) as { '2xx': number; non2xx: number; errors: number; timeouts: number };
  return { answered: told['2xx'], failed: told.non2xx + told.errors + told.timeouts };
}
