import admin from '../../../functions/admin.ts';
import heartbeats from '../../../functions/heartbeats.ts';
import knock from '../../../functions/knock.ts';
import nodeDoor from '../../../functions/node-door.ts';
import publish from '../../../functions/publish.ts';
import reports from '../../../functions/reports.ts';
import storeIndex from '../../../functions/store-index.ts';
import sweep from '../../../functions/sweep.ts';
import { dayMs, secondMs } from '../../../lib/core/time.ts';
import type { KeyPair } from '../../../lib/identity/key-pair.ts';
import { emitsOf, type Row } from '../../../lib/ports/table/table.ts';
import type { Reply } from '../../../lib/runtime/reply.ts';
import type { ShellSettings } from '../../../lib/runtime/shell.ts';
import { aRequest } from '../../support/a-request.ts';
import { aShell, type TestShell } from '../../support/a-shell.ts';
import { someFacts, someLoad } from '../../support/actors.ts';
import { withOperator } from '../../support/operator.ts';
import { keyPairOf, signedBy } from '../../support/signing.ts';
import { counting, together, type Usage } from '../usage.ts';

/** The parts of a call besides its method and path; `by` is the key that signs it. */
export type Sent = { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>>; readonly by?: KeyPair };

/** The usage of functions, by their names in the wiring. */
export type UsedBy = Readonly<Record<string, Usage>>;

/** Every function on one shell in memory that counts, run step by step: nothing happens by itself. */
export type CountedSite = {
  readonly shell: TestShell;
  /** Does the work and gives the usage of each function that ran for it. */
  readonly used: (work: () => Promise<unknown>) => Promise<UsedBy>;
  /** Calls an endpoint. Throws when it refuses. */
  readonly call: (method: string, path: string, sent?: Sent) => Promise<Reply>;
  /** Hands over the messages of a queue. */
  readonly consume: (queue: 'heartbeats' | 'reports') => Promise<void>;
  readonly sweep: () => Promise<void>;
  /** Publishes the commits since the last time that have something to tell. */
  readonly publish: () => Promise<void>;
  /** Hands over all commits since the last time that only concern client systems, in one run. */
  readonly publishSilent: () => Promise<void>;
  /** Stores the index of searches. */
  readonly storeIndex: () => Promise<void>;
};

/** A node's agent, driven call by call. */
export type CountedNode = {
  readonly id: string;
  readonly fqdn: string;
  readonly keys: KeyPair;
  readonly sendHeartbeat: (more?: object) => Promise<Reply>;
  /** Fetches the list of its client systems, over which its digests are. */
  readonly fetchList: () => Promise<Reply>;
};

const handlers = {
  nodes: { name: 'node-door', handles: nodeDoor },
  system: { name: 'knock', handles: knock },
  api: { name: 'admin', handles: admin },
} as const;
const consumers = { heartbeats, reports } as const;

/**
 * A site with the settings of a deployment on AWS, but for those given, on which nothing has happened yet but what is
 * `stored`.
 */
export function aCountedSite(stored?: ReadonlyMap<string, Row>, given: Partial<ShellSettings> = {}): CountedSite {
  // Counts of zones are measured separately: here a count would be taken for part of another operation.
  const settings = {
    sweepPeriodMs: 5 * secondMs,
    zoneMaxAgeMs: 5 * secondMs,
    beatMinMs: 10 * secondMs,
    countEveryMs: dayMs,
    staysDueMs: 45 * secondMs,
    indexesUnasked: true,
    ...given,
  };
  const { shell, used } = counting(aShell(settings, stored));
  const published = { told: 0, silent: 0 };
  let tally = new Map<string, readonly Usage[]>();
  /** Runs a function so many times, each message and each commit that emits alone, and adds its usage to it. */
  const run = async <T>(name: string, runs: number, work: () => Promise<T>): Promise<T> => {
    const { usage, value } = await used(runs, work);
    tally.set(name, [...(tally.get(name) ?? []), usage]);
    return value;
  };
  return {
    shell,
    used: async (work) => {
      tally = new Map();
      await work();
      return Object.fromEntries([...tally].map(([name, usages]) => [name, together(usages)]));
    },
    call: async (method, path, { body: given, headers = {}, by } = {}) => {
      const [at, query = ''] = path.split('?') as [string, string?];
      const call = { method, path: at, query, body: given === undefined ? '' : JSON.stringify(given) };
      const sent = {
        ...(given !== undefined && { 'content-type': 'application/json' }),
        ...(by && signedBy(by, call, { deployment: shell.settings.deployment, nowMs: shell.now() })),
        ...headers,
      };
      const request = aRequest({ id: shell.newId(), ...call, headers: withOperator(at, sent) });
      const handler = handlers[at.split('/')[1] as keyof typeof handlers];
      const reply = await run(handler.name, 1, async () => handler.handles.handle(request, shell));
      if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.body}`);
      return reply;
    },
    consume: async (queue) => {
      const messages = await shell.queue.receive(queue, 100, 60_000);
      if (messages.length === 0) return;
      const failed = await run(queue, messages.length, () => consumers[queue].handle(messages, shell));
      if (failed.length > 0) throw new Error(`${queue} failed ${failed.length} messages`);
      await shell.queue.acknowledge(
        queue,
        messages.map(({ id }) => id),
      );
    },
    sweep: () => run('sweep', 1, () => sweep.handle('message', shell)),
    storeIndex: () => run('store-index', 1, () => storeIndex.handle('rule', shell)),
    publish: async () => {
      const images = shell.table.feed.slice(published.told).filter(({ row }) => emitsOf(row) === 1);
      published.told = shell.table.feed.length;
      if (images.length > 0) await run('publish', images.length, () => publish.handle(images, shell));
    },
    publishSilent: async () => {
      const images = shell.table.feed.slice(published.silent).filter(({ row }) => emitsOf(row) === 2);
      published.silent = shell.table.feed.length;
      if (images.length > 0) await run('publish', 1, () => publish.handle(images, shell));
    },
  };
}

/** A node that has joined, come up and is ready. */
export async function aCountedNode(site: CountedSite, fqdn: string): Promise<CountedNode> {
  const { shell, call, consume, sweep } = site;
  const keys = keyPairOf(fqdn);
  const joined = await call('POST', '/nodes/join', { body: { publicKey: keys.publicKey, fqdn, kind: 'salt' }, by: keys });
  const { node: id } = JSON.parse(joined.body!) as { node: string };
  await bootOf(site, { id, keys, fqdn }, 'first');
  await consume('reports');
  await sweep();
  let seq = 0;
  return {
    id,
    fqdn,
    keys,
    sendHeartbeat: (more = {}) => {
      seq += 1;
      const body = { id: shell.newId(), incarnation: 1, seq, load: someLoad, tableHash: 'x'.repeat(43), ...more };
      return call('POST', `/nodes/${id}/heartbeat`, { body, by: keys });
    },
    fetchList: () => call('GET', `/nodes/${id}/systems`, { by: keys }),
  };
}

/** Starts a machine: node-up until it is acknowledged, and ready. The report that it is ready stays in the queue. */
export async function bootOf(
  { shell, call, consume, sweep }: CountedSite,
  { id, keys, fqdn }: Pick<CountedNode, 'id' | 'keys' | 'fqdn'>,
  boot: string,
): Promise<void> {
  const up = async (): Promise<{ acknowledged: boolean; incarnation?: number }> => {
    const body = { id: shell.newId(), boot: { id: `${id} ${boot}`, kernel: '6.4.0-150600.21-default' }, facts: someFacts(fqdn) };
    return JSON.parse((await call('POST', `/nodes/${id}/up`, { body, by: keys })).body!) as { acknowledged: boolean };
  };
  await up();
  await consume('reports');
  let reply = await up();
  // A node that was down is back once its zone's plan decides so.
  if (!reply.acknowledged) {
    await sweep();
    reply = await up();
  }
  const { incarnation } = reply;
  const ready = { id: shell.newId(), type: 'node.ready', version: 1, incarnation, data: {} };
  await call('POST', `/nodes/${id}/events`, { body: [ready], by: keys });
}
