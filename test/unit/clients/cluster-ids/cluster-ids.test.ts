import { beforeEach, describe, expect, it } from 'vitest';
import admin from '../../../../functions/admin.ts';
import type { SystemView } from '../../../../lib/clients/admin-routes.ts';
import { type Client, clientRef } from '../../../../lib/clients/client.ts';
import { blockSize, newClusterId } from '../../../../lib/clients/cluster-ids/changes.ts';
import { clusterIdRef, clusterIdsRef, decideClusterIds, firstId, keepsOwn } from '../../../../lib/clients/cluster-ids/cluster-ids.ts';
import { Conflict } from '../../../../lib/core/errors.ts';
import { clusterIdMax, type NodeId, type ZoneName } from '../../../../lib/core/ids.ts';
import { fingerprintOf } from '../../../../lib/identity/fingerprint.ts';
import { rightsOf } from '../../../../lib/identity/rights.ts';
import { keyOf } from '../../../../lib/ports/table/keys.ts';
import type { Put } from '../../../../lib/ports/table/table.ts';
import { apply } from '../../../../lib/runtime/apply.ts';
import { read } from '../../../../lib/runtime/read.ts';
import type { Shell } from '../../../../lib/runtime/shell.ts';
import { restored } from '../../../../programs/transfer/import.ts';
import { storeDirectly } from '../../../../tools/bench/sizes.ts';
import { aRequest } from '../../../../tools/support/a-request.ts';
import { aShell, type TestShell } from '../../../../tools/support/a-shell.ts';
import { keyPairOf } from '../../../../tools/support/signing.ts';
import { aKey, showing } from '../../../support/callers.ts';
import { aDeployment, type Deployment } from '../../../support/deployment.ts';

/* Tools of Uyuni know systems by numbers of 31 bits: each client system has one over all servers, and for life. */

let shell: TestShell;
let deployment: Deployment;
beforeEach(() => {
  shell = aShell();
  deployment = aDeployment(shell);
});

const fpOf = (key: string) => fingerprintOf(keyPairOf(key).publicKey);
const knock = (key: string, more: object = {}) => {
  shell.step(1);
  const pair = keyPairOf(key);
  const body = { publicKey: pair.publicKey, fqdn: `${key}.acme.org`, machineId: `of ${key}`, ...more };
  return deployment.call('POST', '/system/knock', body, pair);
};
const api = async (method: string, path: string, body?: object) => {
  const reply = await deployment.call(method, `/api/v1/${path}`, body);
  return { status: reply.status, body: JSON.parse(reply.body ?? 'null') as SystemView & { items?: SystemView[]; detail?: string } };
};
const accept = (...keys: string[]) => api('POST', 'systems/accept', { systems: keys.map(fpOf) });
const idOf = async (by: string | number) => (await api('GET', `systems/${by}`)).body.clusterId;
const given = () => read(shell, clusterIdsRef());
/** Another environment on the same table: it has nothing of what this one has cached. */
const another = (): Shell => ({ ...shell, caches: new Map() });

describe('cluster ids', () => {
  it('are given in the order of calls, one commit for 64 of them, also for those at the same time', async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, () => newClusterId(shell)));

    expect(ids).toEqual(Array.from({ length: 100 }, (_, n) => firstId + n));
    expect((await shell.table.read(keyOf(clusterIdsRef())))!.rev).toBe(2);
  });

  it('are given once by environments that reserve at the same time', async () => {
    const environments = [another(), another(), another()];
    const ids = (await Promise.all(environments.flatMap((one) => Array.from({ length: 70 }, () => newClusterId(one))))).sort(
      (a, b) => a - b,
    );

    expect(new Set(ids).size).toBe(210);
    expect(await given()).toEqual({ next: firstId + 6 * blockSize });
  });

  it('are given once where the answer of a reservation is lost', async () => {
    let isLost = false;
    const { commit } = shell.table;
    const losing: Shell = {
      ...another(),
      table: {
        ...shell.table,
        commit: async (changes) => {
          await commit.call(shell.table, changes);
          if (isLost || (changes[0] as Put).put.key.sk !== 'cluster-ids') return;
          isLost = true;
          throw new Conflict('cluster-ids all', 'the answer is lost');
        },
      },
    };

    expect([await newClusterId(losing), await newClusterId(another())]).toEqual([firstId, firstId + blockSize]);
    expect(isLost).toBe(true);
  });

  it('end with the largest number that XML-RPC holds, and nobody is given one twice then', async () => {
    await storeDirectly(shell, { noun: 'cluster-ids', id: 'all' }, { next: clusterIdMax - blockSize });
    expect(await newClusterId(shell)).toBe(clusterIdMax - blockSize);
    await expect(newClusterId(another())).rejects.toMatchObject({ code: 'cluster-ids.ended', retry: 'never' });
  });

  it('continue a million further on behind an import, which may have lost some that tools know', async () => {
    await newClusterId(shell);
    const row = (await shell.table.read(keyOf(clusterIdsRef())))!;
    expect(restored(row, false).body).toEqual({ next: firstId + blockSize + 1_000_000 });
    expect(restored(row, true)).toBe(row);
  });
});

describe('the first server that is adopted', () => {
  const [first, second] = ['n0000000000000001', 'n0000000000000002'] as NodeId[];

  it('is the one of the first adoption, for good', () => {
    const once = decideClusterIds(undefined, { type: 'adopt', id: '1', server: first! });
    expect(once).toMatchObject({ does: 'write', next: { next: firstId, server: first } });
    expect(decideClusterIds({ next: firstId, server: first! }, { type: 'adopt', id: '2', server: second! })).toMatchObject({
      does: 'nothing',
    });
  });

  it('keeps its own ids, as far as they are below those that Muster gives', () => {
    expect(keepsOwn(undefined, first!, 1_000_010_000)).toBe(true);
    expect(keepsOwn({ next: firstId, server: first! }, first!, 1_000_010_000)).toBe(true);
    expect(keepsOwn({ next: firstId, server: first! }, second!, 1_000_010_000)).toBe(false);
    expect([firstId, 0, undefined].map((own) => keepsOwn(undefined, first!, own))).toEqual([false, false, false]);
  });
});

describe('a client system', () => {
  it('has an id from its acceptance on, which finds it, is searched for, and is shown', async () => {
    await knock('web1');
    expect(await idOf(fpOf('web1'))).toBeUndefined();
    await accept('web1');

    expect(await idOf(fpOf('web1'))).toBe(firstId);
    expect((await api('GET', `systems/${firstId}`)).body).toMatchObject({ fp: fpOf('web1'), clusterId: firstId });
    expect(await api('GET', `systems/${firstId + 1}`)).toMatchObject({
      status: 404,
      body: { detail: `no client system has the cluster id ${firstId + 1}` },
    });
    expect((await api('GET', `systems/find?q=cluster-id:${firstId}`)).body.items).toMatchObject([{ fp: fpOf('web1') }]);
    expect((await api('GET', `systems/find?q=cluster-id:${firstId + 1}`)).body.items).toEqual([]);
  });

  it('is not found by its id by a caller who may not see its zone', async () => {
    await knock('web1');
    await accept('web1');
    const status = async (zone: string) => {
      const headers = showing((await aKey(shell, rightsOf(['read'], [zone as ZoneName]))).text);
      return (await admin.handle(aRequest({ path: `/api/v1/systems/${firstId}`, headers }), shell)).status;
    };
    expect([await status('default'), await status('other')]).toEqual([200, 404]);
  });

  it.each(['0', '2147483648', '01500000000', '15000000000'])('is not asked for by %s', async (text) => {
    expect((await api('GET', `systems/${text}`)).status).toBe(422);
  });

  it('keeps its id when it is accepted again, taken off its node, and banned', async () => {
    await knock('web1');
    await Promise.all([accept('web1'), accept('web1')]);
    const id = await idOf(fpOf('web1'));
    await accept('web1');
    await api('POST', 'systems/unregister', { systems: [fpOf('web1')] });
    await knock('web1');
    expect(await idOf(fpOf('web1'))).toBe(id);
    await api('POST', 'systems/ban', { systems: [fpOf('web1')] });
    expect((await api('GET', `systems/${id}`)).body).toMatchObject({ fp: fpOf('web1'), status: 'deleted', clusterId: id });
  });

  it('has one of its own where many are accepted at once', async () => {
    const keys = Array.from({ length: 90 }, (_, n) => `web${n}`);
    for (const key of keys) await knock(key);
    await accept(...keys);
    const ids = await Promise.all(keys.map((key) => idOf(fpOf(key))));
    expect(new Set(ids).size).toBe(90);
    expect(ids.every((id) => id !== undefined && id >= firstId)).toBe(true);
    for (const [n, id] of ids.entries()) expect(await read(shell, clusterIdRef(id!))).toEqual({ of: fpOf(keys[n]!) });
  });

  it('is given another id where its environment holds a block that was given before', async () => {
    await storeDirectly(shell, { noun: 'cluster-id', id: String(firstId) }, { of: fpOf('other') });
    await knock('web1');
    const { body } = await accept('web1');
    expect(body).toMatchObject({ results: [{ done: false, busy: true }] });
    await accept('web1');
    expect(await idOf(fpOf('web1'))).toBe(firstId + 1);
    expect(await read(shell, clusterIdRef(firstId))).toEqual({ of: fpOf('other') });
  });

  it('has the id of the key that it replaces, which that has no longer', async () => {
    await knock('old');
    await accept('old');
    const id = await idOf(fpOf('old'));
    await knock('new', { fqdn: 'old.acme.org' });
    await api('POST', `systems/${fpOf('old')}/replace`, { by: fpOf('new') });

    expect(await idOf(fpOf('new'))).toBe(id);
    expect(await idOf(fpOf('old'))).toBeUndefined();
    expect((await api('GET', `systems/${id}`)).body).toMatchObject({ fp: fpOf('new') });
  });

  it('that was accepted before there were ids is given one by its next knock, and only then', async () => {
    await knock('web1');
    await accept('web1');
    const ref = clientRef(fpOf('web1'));
    await apply(shell, ref, { id: 'older' }, (client) => {
      const { clusterId: _id, ...older } = client as Extract<Client, { standing: 'accepted' }>;
      return { does: 'write', next: older as Client, because: 'an earlier version wrote it', events: [] };
    });
    expect(await idOf(fpOf('web1'))).toBeUndefined();

    await knock('web1');
    const id = await idOf(fpOf('web1'));
    expect(id).toBe(firstId + 1);
    await knock('web1');
    expect(await idOf(fpOf('web1'))).toBe(id);
    expect((await api('GET', `systems/${id}`)).body).toMatchObject({ fp: fpOf('web1') });
  });

  it('that a token accepts has one from its first knock on', async () => {
    const made = await api('POST', 'onboarding-tokens', { zone: 'default', uses: 5 });
    const { secret } = made.body as unknown as { secret: string };
    await knock('web1', { token: secret });
    expect(await idOf(fpOf('web1'))).toBe(firstId);
    expect((await api('GET', `systems/${firstId}`)).body).toMatchObject({ fp: fpOf('web1') });
  });
});
