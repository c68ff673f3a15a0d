import { beforeEach, describe, expect, it } from 'vitest';
import sweep from '../../../functions/sweep.ts';
import { fidOf } from '../../../lib/core/fid.ts';
import type { ZoneName } from '../../../lib/core/ids.ts';
import { dayMs, hourMs } from '../../../lib/core/time.ts';
import { loadRef } from '../../../lib/mero/loads/load.ts';
import { clusterPartition, keyOf } from '../../../lib/ports/table/keys.ts';
import type { Row } from '../../../lib/ports/table/table.ts';
import { aShell, type TestShell } from '../../../tools/support/a-shell.ts';
import { adminCall } from '../../../tools/support/admin-call.ts';
import { fabricatedFacts } from '../../../tools/support/facts/fabricated.ts';
import { aStorageZone, goodFacts, load } from '../../../tools/support/loading.ts';
import { asOperator } from '../../../tools/support/operator.ts';
import { clusterFaults } from '../../simulation/invariants/processes/clusters.ts';

let shell: TestShell;
let zone: ZoneName;
beforeEach(async () => {
  shell = aShell();
  zone = await aStorageZone(shell);
});
const some = goodFacts(fabricatedFacts({ servers: 30, devicesEach: 6 })).cut;
const rows = async (): Promise<Row[]> => {
  const { items, next } = await shell.table.query({ pk: clusterPartition(zone), limit: 10_000 });
  expect(next).toBeUndefined();
  return items.filter(({ gone }) => !gone);
};
const names = async () => (await rows()).map(({ key }) => key.sk);
const dies = (at: number) => (call: number) => {
  if (call === at) throw new Error('died');
};
/** What is in use fits together, whatever was removed. */
async function whole(): Promise<void> {
  expect(clusterFaults(new Map((await rows()).map((row) => [row.key.sk, row])))).toEqual([]);
}
async function swept(times: number, everyMs = 5_000): Promise<void> {
  for (let n = 0; n < times; n++) {
    shell.step(everyMs);
    await sweep.handle('message', shell);
    await whole();
  }
}
const store = (noun: string, id: string, body: object) =>
  shell.table.commit([
    {
      put: { key: keyOf({ noun, id }), body, at: shell.now(), by: 'a test', because: 'it is there', events: [], eventSeq: 0 },
      readRev: 0,
    },
  ]);

describe('what a cluster needs to be whole', () => {
  it.each<[string, RegExp, RegExp]>([
    ['an endpoint', /^endpoint#/, /does not hold its endpoint/],
    ['devices', /^devices#/, /the devices of process .* are not there/],
    ['a host', /^node#/, /does not know its process/],
    ['a process', /^process#/, /which is not there/],
    ['the fids that were given', /^fids$/, /has a number beyond 0/],
  ])('is missed: %s', async (_what, which, fault) => {
    await load(shell, zone, some);
    const all = new Map((await rows()).map((row) => [row.key.sk, row]));
    expect(clusterFaults(all)).toEqual([]);
    all.delete([...all.keys()].find((sk) => which.test(sk))!);
    expect(clusterFaults(all)[0]).toMatch(fault);
  });
});

describe('garbage of a storage cluster', () => {
  it('is what notes the parts of a load that is finished, and nothing else of it', async () => {
    await load(shell, zone, some);
    const before = await names();
    expect(before.some((sk) => sk.startsWith('part#'))).toBe(true);
    await swept(3);
    expect(await names()).toEqual(before.filter((sk) => !sk.startsWith('part#')));
    await swept(3, dayMs);
    expect(await names()).toEqual(before.filter((sk) => !sk.startsWith('part#')));
  });

  it('is no row of a load that is under way, until that was left alone for a day', async () => {
    await expect(load(shell, zone, some, dies(some.pages.length + some.servers.length + 2))).rejects.toThrow();
    const before = await names();
    await swept(5, 4 * hourMs);
    expect(await names()).toEqual(before);
    await swept(5, hourMs);
    expect((await names()).sort()).toEqual(['cluster', 'fids', 'garbage']);
  });

  it('is all of a load that was given up; what is loaded meanwhile stays', async () => {
    await expect(load(shell, zone, some, dies(some.pages.length + some.servers.length + 2))).rejects.toThrow();
    const { body } = await adminCall(shell, `zones/${zone}/mero/loads`, asOperator, { identity: some.identity, size: some.size });
    const id = String(body['load']);
    await adminCall(shell, `zones/${zone}/mero/loads/${id}`, asOperator, undefined, 'DELETE');
    await swept(1);
    const others = goodFacts(fabricatedFacts({ servers: 4, devicesEach: 2 })).cut;
    await load(shell, zone, others);
    await swept(10);
    const left = await rows();
    expect(left.filter(({ body: state }) => (state as { load?: string }).load === id)).toEqual([]);
    expect(left.filter(({ key }) => key.sk.startsWith('process#'))).toHaveLength(others.size.processes);
    expect(left.filter(({ key }) => key.sk.startsWith('node#'))).toHaveLength(others.size.nodes);
  });

  it('is an endpoint and devices whose process is gone, and never those of one that is there', async () => {
    await load(shell, zone, some);
    await swept(3);
    const before = await names();
    const gone = fidOf('process', 999_999);
    await store('endpoint', `${zone}/10.9.9.9@tcp:12345:41:401`, { process: gone });
    await store('devices', `${zone}/${gone}`, { services: [] });
    await swept(2, dayMs);
    expect(await names()).toEqual(before);
  });

  it('is everything of a zone that was deleted, but for its fids, and a zone of that name is made when it is gone', async () => {
    await load(shell, zone, some);
    const again = () => adminCall(shell, 'zones', asOperator, { name: zone, kind: 'storage' });
    expect((await adminCall(shell, `zones/${zone}/delete`, asOperator, {})).status).toBe(200);
    expect(await again()).toMatchObject({ status: 409, problem: 'not-yet' });
    await swept(12);
    expect(await names()).toEqual(['fids']);
    expect((await again()).status).toBe(201);
    await load(shell, zone, some);
  });

  it('is a load, too, that began in a zone while that was deleted, as earlier versions let it', async () => {
    await adminCall(shell, `zones/${zone}/mero/loads`, asOperator, { identity: some.identity, size: some.size });
    const begun = (await shell.table.read(keyOf(loadRef(zone))))!;
    expect((await adminCall(shell, `zones/${zone}/delete`, asOperator, {})).status).toBe(200);
    const { rev } = (await shell.table.read(begun.key))!;
    await shell.table.commit([{ put: { ...begun, by: 'a test' }, readRev: rev }]);
    await swept(3);
    expect(await names()).toEqual(['fids']);
  });

  it('is nothing that somebody makes at that moment', async () => {
    await load(shell, zone, some);
    await swept(3);
    const fid = fidOf('process', 999_999);
    const endpoint = `${zone}/10.9.9.9@tcp:12345:41:401`;
    await store('endpoint', endpoint, { process: fid });
    let made = false;
    const raced: TestShell = {
      ...shell,
      table: {
        ...shell.table,
        commit: async (changes) => {
          const removes = changes.some(
            (change) => 'put' in change && change.put.gone === true && change.put.key.sk.startsWith('endpoint#'),
          );
          if (removes && !made) {
            made = true;
            await store('process', `${zone}/${fid}`, { fid, zone, state: { is: 'offline' } });
          }
          return shell.table.commit(changes);
        },
      },
    };
    shell.step(dayMs);
    await sweep.handle('message', raced);
    expect(made).toBe(true);
    expect((await shell.table.read(keyOf({ noun: 'endpoint', id: endpoint })))?.gone).toBeUndefined();
  });
});
