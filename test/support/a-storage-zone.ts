import { Agent } from '../../tools/support/players.ts';
import type { World, WorldReply } from '../../tools/support/stepped.ts';

/** The storage zone of a world, and what is ordered there. */
export type StorageZone = {
  /** Calls the API under the zone's path. */
  readonly call: (method: string, path: string, body?: unknown) => Promise<WorldReply>;
  /** A host joins by a token, and is up when this resolves. */
  readonly host: (fqdn: string) => Promise<Agent>;
};

/** Makes the storage zone `lab` in a world. */
export async function aStorageZone(world: World): Promise<StorageZone> {
  await world.call('POST', '/api/v1/zones', { name: 'lab', kind: 'storage' });
  const { body } = await world.call('POST', '/api/v1/node-tokens', { nodes: '*.acme.org', uses: 100, kind: 'storage', zone: 'lab' });
  const { secret } = body as { secret: string };
  return {
    call: (method, path, sent) => world.call(method, `/api/v1/zones/lab/${path}`, sent),
    host: (fqdn) => new Agent(world, fqdn).start({ kind: 'storage', zone: 'lab', token: secret }),
  };
}
