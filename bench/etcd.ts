import { join } from 'node:path';
import type { LoadCall } from './load.ts';
import { freePorts, isInstalled, outputOf, type Started, start } from './processes.ts';

/** Whether the peer is there: Debian's package etcd-server. */
export const etcdIsInstalled = isInstalled('etcd');

/** A running etcd with leases that are kept alive through its JSON gateway, one call a lease. */
export type Etcd = Started & { readonly version: string; readonly url: string; readonly keepalives: readonly LoadCall[] };

/** How long a lease holds: longer than any benchmark, so that only the load renews it. */
const leaseSeconds = 3_600;

/** Starts etcd on loopback with its data in `folder`, and grants so many leases. */
export async function startEtcd(folder: string, leases: number): Promise<Etcd> {
  const [client, peer] = (await freePorts(2)).map((port) => `http://127.0.0.1:${port}`) as [string, string];
  const args = [
    ...['--data-dir', join(folder, 'etcd'), '--log-level', 'error'],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`],
  ];
  const etcd = await start('etcd', args, {}, async () => (await fetch(`${client}/health`)).ok);
  const ids = await Promise.all(Array.from({ length: leases }, () => grant(client)));
  const keepalives = ids.map(
    (id): LoadCall => ({ method: 'POST', path: '/v3/lease/keepalive', headers: {}, body: JSON.stringify({ ID: id }) }),
  );
  return { ...etcd, version: await versionOf(), url: client, keepalives };
}

const versionOf = async (): Promise<string> => /Version: (\S+)/.exec(await outputOf('etcd', ['--version'], 5_000))?.[1] ?? 'unknown';

async function grant(url: string): Promise<string> {
  const answer = await fetch(`${url}/v3/lease/grant`, { method: 'POST', body: JSON.stringify({ TTL: leaseSeconds }) });
  const { ID: id } = (await answer.json()) as { ID?: string };
  if (!id) throw new Error(`etcd granted no lease: ${answer.status}`);
  return id;
}
