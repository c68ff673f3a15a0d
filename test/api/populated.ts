import type { Route } from '../../lib/api/route.ts';
import { contract } from '../../lib/contract.ts';
import { ServiceTypeName, ZoneName } from '../../lib/core/ids.ts';
import { fingerprintOf } from '../../lib/identity/fingerprint.ts';
import { serviceTypeExamples } from '../../lib/openapi/service-type-examples.ts';
import { aNodeUp } from '../../tools/support/actors.ts';
import { fabricatedFacts } from '../../tools/support/facts/fabricated.ts';
import { goodFacts } from '../../tools/support/loading.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { signedClient } from '../../tools/support/signed-client.ts';
import { keyPairOf } from '../../tools/support/signing.ts';

/** The names under which a deployment has what the parameters of paths name. */
export type Known = Readonly<Record<'zone' | 'storage' | 'node' | 'fp' | 'type' | 'fid', string>>;

/**
 * Puts something of each kind into an embedded host: a node, an accepted client system, a type of services, and a
 * storage cluster with its facts. Throws what the host refuses it with.
 */
export async function populated(url: string): Promise<Known> {
  const [zone, storage, type] = [ZoneName.parse('default'), ZoneName.parse('lab'), ServiceTypeName.parse('greeter')];
  const call = callerAt(url);
  const node = 'node1.acme.org';
  await aNodeUp(url, node);
  // The same key each time: what is called must not depend on chance.
  const keys = keyPairOf('web1.acme.org');
  const knock = { publicKey: keys.publicKey, fqdn: 'web1.acme.org', machineId: '4c4c4544003010358033b4c04f' };
  const fp = fingerprintOf(keys.publicKey);
  await signedClient(url, keys)(contract.knock, { body: knock });
  await call(contract.accept, { body: { systems: [fp] } });
  await call(contract.putServiceType, { params: { zone, type }, body: serviceTypeExamples.putServiceType.body });
  await call(contract.createZone, { body: { name: storage, kind: 'storage' } });
  return { zone, storage, node, fp, type, fid: await loadedFid(call, storage) };
}

type Caller = ReturnType<typeof callerAt>;

/** A client of the API as the operator, which throws what is refused. */
function callerAt(url: string) {
  const api = apiAt(url);
  return async <T extends Route>(route: T, sent: Parameters<typeof api<T>>[1]) => {
    const answer = await api(route, sent);
    if (!answer.ok) throw new Error(`${route.method} ${route.path}: ${answer.problem.detail}`);
    return answer.body;
  };
}

/** Loads the facts of a small cluster into a storage zone; the fid of one of its processes. */
async function loadedFid(call: Caller, zone: ZoneName): Promise<string> {
  const { cut, expansion } = goodFacts(fabricatedFacts({ servers: 2, devicesEach: 4 }));
  const { load } = await call(contract.beginMeroLoad, { params: { zone }, body: { identity: cut.identity, size: cut.size } });
  for (const [n, page] of cut.pages.entries()) await call(contract.putMeroLayout, { params: { zone, load, n }, body: { page } });
  for (const [n, servers] of cut.servers.entries())
    await call(contract.putMeroServers, { params: { zone, load, n }, body: { servers: [...servers] } });
  await call(contract.finishMeroLoad, { params: { zone, load }, body: {} });
  return expansion.nodes[0]!.processes[0]!.fid;
}
