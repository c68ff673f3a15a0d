import { join } from 'node:path';
import type { LoadCall } from './load.ts';
import { boundTo, type Command, freePorts, isInstalled, outputOf, type Started, start } from './report/processes.ts';

/** Whether the peer is installed: Debian's package etcd-server. */
export const etcdIsInstalled = isInstalled('etcd');

/** A running etcd with leases that are kept alive through its JSON gateway, one call a lease. */
export type Etcd = Started & {
  readonly version: string;
  readonly url: string;
  readonly leases: readonly string[];
  readonly keepalives: readonly LoadCall[];
};

/** How long a lease holds: longer than any benchmark, so that only the load renews it. */
const leaseSeconds = 3_600;

/** Starts etcd on loopback, on a processor of its own, with its data in `folder`, and grants so many leases. */
export async function startEtcd(folder: string, leases: number): Promise<Etcd> {
  const etcd = await running(folder, (command) => boundTo('measured', command));
  const ids = await Promise.all(Array.from({ length: leases }, () => grant(etcd.url)));
  const keepalives = ids.map(
    (id): LoadCall => ({ method: 'POST', path: '/v3/lease/keepalive', headers: {}, body: JSON.stringify({ ID: id }) }),
  );
  return { ...etcd, leases: ids, keepalives };
}

/** An etcd that runs alone on loopback, with its data in `folder`. */
async function running(
  folder: string,
  bound = (command: Command): Command => command,
): Promise<Started & { readonly version: string; readonly url: string }> {
  const [client, peer] = (await freePorts(2)).map((port) => `http://127.0.0.1:${port}`) as [string, string];
  const args = [
    ...['--data-dir', join(folder, 'etcd'), '--log-level', 'error'],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`],
  ];
  const etcd = await start(...bound(['etcd', args]), {}, async () => (await fetch(`${client}/health`)).ok);
  return { ...etcd, version: await versionOf(), url: client };
}

const versionOf = async (): Promise<string> => /Version: (\S+)/.exec(await outputOf('etcd', ['--version'], 5_000))?.[1] ?? 'unknown';

async function grant(url: string, ttlS = leaseSeconds): Promise<string> {
  const { ID: id } = await asked<{ ID?: string }>(url, 'lease/grant', { TTL: ttlS });
  if (!id) throw new Error('etcd granted no lease');
  return id;
}

/** A call of etcd's JSON gateway. Throws when it is refused. */
async function asked<T>(url: string, path: string, body: object): Promise<T> {
  const answer = await fetch(`${url}/v3/${path}`, { method: 'POST', body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`etcd answers ${path} with ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The result for leases that are not kept alive, times in ms. */
export type Expiry = { readonly version: string; readonly lateMs: number };

/** How long after the first grant all leases are due: longer than granting them takes. */
const dueAfterMs = 120_000;

/**
 * Grants so many leases with a key each, all due at one moment, and keeps none alive; waits until etcd has deleted the
 * last key. Throws when granting takes too long for that, or when a key is left five minutes later.
 */
export async function expiryOf(folder: string, count: number): Promise<Expiry> {
  const etcd = await running(folder);
  const dueAt = Date.now() + dueAfterMs;
  for (let done = 0; done < count; done += atATime)
    await Promise.all(
      Array.from({ length: Math.min(atATime, count - done) }, async (_, n) => {
        const lease = await grant(etcd.url, Math.ceil((dueAt - Date.now()) / 1_000));
        await asked(etcd.url, 'kv/put', { key: base64(`client/${done + n}`), value: base64('1'), lease });
      }),
    );
  if (Date.now() > dueAt - 5_000) throw new Error(`granting ${count} leases took longer than ${dueAfterMs / 1_000} s`);
  const all = { key: base64('client/'), range_end: base64('client0'), count_only: true };
  while (Number((await asked<{ count?: string }>(etcd.url, 'kv/range', all)).count ?? 0) > 0) {
    if (Date.now() > dueAt + 300_000) throw new Error('etcd holds keys of leases that ran out five minutes ago');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const lateMs = Date.now() - dueAt;
  await etcd.stop();
  return { version: etcd.version, lateMs };
}

/** Grants under way at once. */
const atATime = 200;
