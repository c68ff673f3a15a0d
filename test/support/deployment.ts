import admin from '../../functions/admin.ts';
import heartbeats from '../../functions/heartbeats.ts';
import knock from '../../functions/knock.ts';
import nodeDoor from '../../functions/node-door.ts';
import publish from '../../functions/publish.ts';
import reports from '../../functions/reports.ts';
import sweeps from '../../functions/sweep.ts';
import type { NodeId } from '../../lib/core/ids.ts';
import type { KeyPair } from '../../lib/identity/key-pair.ts';
import type { Reply } from '../../lib/runtime/reply.ts';
import { aRequest } from '../../tools/support/a-request.ts';
import type { TestShell } from '../../tools/support/a-shell.ts';
import { someFacts, someLoad } from '../../tools/support/actors.ts';
import { withOperator } from '../../tools/support/operator.ts';
import { keyPairOf, signedBy } from '../../tools/support/signing.ts';

/** Every function of a deployment on one shell in memory, run step by step: nothing happens by itself. */
export type Deployment = {
  /** Calls a door; signed by a machine's key when one is given. */
  readonly call: (method: string, path: string, body?: unknown, by?: KeyPair) => Promise<Reply>;
  /** Hands over what waits in the queues, until nothing does. */
  readonly deliver: () => Promise<void>;
  readonly sweep: () => Promise<void>;
  /** Publishes what was committed since the last time. */
  readonly publish: () => Promise<void>;
};

/** A deployment on this shell. */
export function aDeployment(shell: TestShell): Deployment {
  let published = 0;
  let calls = 0;
  const doors = { nodes: nodeDoor, system: knock, api: admin } as const;
  const consume = async (queue: 'heartbeats' | 'reports'): Promise<number> => {
    const messages = await shell.queue.receive(queue, 100, 60_000);
    const failed = await { heartbeats, reports }[queue].handle(messages, shell);
    await shell.queue.acknowledge(
      queue,
      messages.map(({ id }) => id).filter((id) => !failed.includes(id)),
    );
    return messages.length;
  };
  return {
    call: async (method, path, given, by) => {
      calls += 1;
      const [at, query = ''] = path.split('?') as [string, string?];
      const call = { method, path: at, query, body: given === undefined ? '' : JSON.stringify(given) };
      const headers = {
        ...(given !== undefined && { 'content-type': 'application/json' }),
        ...(by && signedBy(by, call, { deployment: shell.settings.deployment, nowMs: shell.now() })),
      };
      return doors[at.split('/')[1] as keyof typeof doors].handle(
        aRequest({ id: `call-${calls}`, ...call, headers: withOperator(at, headers) }),
        shell,
      );
    },
    deliver: async () => {
      while ((await consume('reports')) + (await consume('heartbeats')) > 0);
    },
    sweep: () => sweeps.handle('message', shell),
    publish: async () => {
      const images = shell.table.feed.slice(published);
      published = shell.table.feed.length;
      await publish.handle(images, shell);
    },
  };
}

/** A node's agent of a deployment in memory. */
export type StepAgent = {
  readonly id: NodeId;
  readonly keys: KeyPair;
  readonly fqdn: string;
  /** Says that it has started, with a boot of this name, and is acknowledged at the next delivery. */
  readonly up: (boot: string) => Promise<void>;
  readonly beat: () => Promise<void>;
};

/** Joins a node and brings it up: after this it is in the roster and takes client systems. */
export async function aStepNode({ call, deliver, sweep }: Deployment, fqdn: string): Promise<StepAgent> {
  const keys = keyPairOf(`the node ${fqdn}`);
  const joined = await call('POST', '/nodes/join', { publicKey: keys.publicKey, fqdn, kind: 'salt' }, keys);
  const { node: id } = JSON.parse(joined.body!) as { node: NodeId };
  let [incarnation, seq, boot] = [0, 0, ''];
  const say = async (what: string, body: object): Promise<Reply> => {
    const reply = await call('POST', `/nodes/${id}/${what}`, body, keys);
    if (reply.status >= 400) throw new Error(`${fqdn} ${what}: ${reply.body}`);
    return reply;
  };
  const ask = () => say('up', { id: `up-${boot}`, boot: { id: boot, kernel: 'kernel-1' }, facts: someFacts(fqdn) });
  const agent: StepAgent = {
    id,
    keys,
    fqdn,
    up: async (name) => {
      [boot, seq] = [name, 0];
      await ask();
      await deliver();
      ({ incarnation } = JSON.parse((await ask()).body!) as { incarnation: number });
    },
    beat: async () => {
      seq += 1;
      await say('heartbeat', { id: `beat-${seq}`, incarnation, seq, load: someLoad });
    },
  };
  await agent.up(`first-${fqdn}`);
  await sweep();
  await say('events', [{ id: 'ready', type: 'node.ready', version: 1, incarnation, data: {} }]);
  await deliver();
  await sweep();
  return agent;
}
