import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../../lib/api/client.ts';
import { contract } from '../../lib/contract.ts';
import type { NodeId } from '../../lib/core/ids.ts';
import { fingerprintOf } from '../../lib/identity/fingerprint.ts';
import { type KeyPair, newKeyPair } from '../../lib/identity/key-pair.ts';
import type { NodeKind } from '../../lib/nodes/node.ts';
import { someFacts, someLoad } from '../../programs/loadtest/some-host.ts';
import { eventually } from './host.ts';
import type { minionOf } from './minion-keys.ts';
import { apiAt } from './operator.ts';
import { signedClient, signedNode } from './signed-client.ts';

/** A raw Ed25519 public key, base64url. */
export const aPublicKey = (): string => generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x as string;

/** A node's agent that a test drives call by call. */
export type TestAgent = {
  readonly id: NodeId;
  readonly fqdn: string;
  readonly keys: KeyPair;
  /** Its calls are signed by its key. */
  readonly api: ApiClient;
  incarnation: number;
  readonly sendHeartbeat: (more?: object) => Promise<number>;
  readonly up: (flushed?: number, bootId?: string) => Promise<void>;
  readonly ready: () => Promise<void>;
};

export { someFacts, someLoad };

/** Joins a machine as a node by a new key, and nothing more. */
export const aJoin = (url: string, fqdn: string, keys = newKeyPair(), kind: NodeKind = 'salt') =>
  signedNode(url, keys)(contract.join, { body: { publicKey: keys.publicKey, fqdn, kind } });

/** Joins a node and brings it up: join, node-up until acknowledged, ready. */
export async function aNodeUp(url: string, fqdn: string, kind?: NodeKind): Promise<TestAgent> {
  const keys = newKeyPair();
  const admin = apiAt(url);
  const api = signedNode(url, keys);
  const joined = await aJoin(url, fqdn, keys, kind);
  if (!joined.ok) throw new Error(joined.problem.detail);
  if (!('node' in joined.body)) throw new Error(`${fqdn} waits in the pool`);
  const id = joined.body.node;
  let seq = 0;
  const agent: TestAgent = {
    id,
    fqdn,
    keys,
    api,
    incarnation: 0,
    up: async (flushed, bootId = randomUUID()) => {
      const body = {
        id: randomUUID(),
        boot: { id: bootId, kernel: 'kernel-1' },
        facts: someFacts(fqdn),
        ...(flushed !== undefined && { flushed }),
      };
      agent.incarnation = await eventually(`${fqdn} is acknowledged`, async () => {
        const answer = await api(contract.up, { params: { id }, body });
        return answer.ok && answer.body.acknowledged ? answer.body.incarnation : undefined;
      });
      seq = 0;
    },
    ready: async () => {
      await api(contract.events, {
        params: { id },
        body: [{ id: randomUUID(), type: 'node.ready', version: 1, incarnation: agent.incarnation, data: {} }],
      });
    },
    sendHeartbeat: async (more = {}) => {
      seq += 1;
      return (
        await api(contract.heartbeat, {
          params: { id },
          body: { id: randomUUID(), incarnation: agent.incarnation, seq, load: someLoad, ...more },
        })
      ).status;
    },
  };
  await agent.up();
  await agent.ready();
  await eventually(`${fqdn} is up`, async () => {
    const node = await admin(contract.getNode, { params: { id } });
    return node.ok && node.body.status === 'up' && node.body.index !== undefined;
  });
  return agent;
}

/** Heartbeats that go on; `stop` resolves when none is under way, and rejects with what one failed of. */
export type Beating = { stop(): Promise<void> };

/** Has a node send a heartbeat every so many ms. */
export function keepBeating(node: TestAgent, everyMs: number): Beating {
  const over = new AbortController();
  const beat = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await node.sendHeartbeat();
      await sleep(everyMs, undefined, { signal: over.signal }).catch(() => undefined);
    }
  };
  const beating = beat().then(
    () => undefined,
    (error: unknown) => error,
  );
  return {
    stop: async () => {
      over.abort();
      const error = await beating;
      if (error !== undefined) throw error;
    },
  };
}

/** A client system's daemon that a test drives call by call. */
export function aClient(url: string, fqdn: string) {
  const pair = newKeyPair();
  const { publicKey } = pair;
  const api = signedClient(url, pair);
  const fp = fingerprintOf(publicKey);
  let token: string | undefined;
  const keep = <T extends { headers: Headers }>(answer: T): T => {
    token = answer.headers.get('muster-token') ?? token;
    return answer;
  };
  const headers = () => (token ? { 'muster-token': token } : {});
  return {
    fp,
    publicKey,
    token: () => token,
    forget: () => {
      token = undefined;
    },
    knock: async (more: { confirmed?: string; lost?: boolean; minion?: ReturnType<typeof minionOf> } = {}) => {
      const answer = keep(await api(contract.knock, { body: { publicKey, fqdn, machineId: fp.slice(0, 32), ...more } }));
      return answer.ok ? answer.body : answer.problem.type;
    },
    status: async () => {
      const answer = keep(await api(contract.systemStatus, { query: { fp }, headers: headers() }));
      return answer.ok ? answer.body : answer.problem.type;
    },
    orphan: async () => {
      const answer = keep(await api(contract.orphan, { query: { fp }, headers: headers() }));
      return answer.ok ? (answer.body ?? answer.status) : answer.problem.type;
    },
  };
}
