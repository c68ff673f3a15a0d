import { beforeEach, describe, expect, it } from 'vitest';
import { clusterRef, type StorageCluster } from '../../../../lib/mero/clusters/cluster.ts';
import { type VarName, varFault, vars } from '../../../../lib/mero/clusters/rows/vars.ts';
import type { VarView } from '../../../../lib/mero/clusters/vars-routes.ts';
import { keyOf } from '../../../../lib/ports/table/keys.ts';
import { aShell, type TestShell } from '../../../../tools/support/a-shell.ts';
import { adminCall } from '../../../../tools/support/admin-call.ts';
import { asOperator } from '../../../../tools/support/operator.ts';

let shell: TestShell;
beforeEach(async () => {
  shell = aShell();
  await adminCall(shell, 'zones', asOperator, { name: 'lab', kind: 'storage' });
  await adminCall(shell, 'zones', asOperator, { name: 'emea' });
});
const cluster = async () => (await shell.table.read(keyOf(clusterRef('lab'))))!.body as StorageCluster;
const got = async () => ((await adminCall(shell, 'zones/lab/mero/vars', asOperator)).body as unknown as { items: VarView[] }).items;
const set = (given: object, zone = 'lab') => adminCall(shell, `zones/${zone}/mero/vars`, asOperator, { vars: given }, 'PATCH');

describe('the variables of a storage cluster', () => {
  it('are those of the original, with its values and units, and say what they do here', async () => {
    const items = await got();
    expect(items).toHaveLength(Object.keys(vars).length);
    expect(items.find(({ name }) => name === 'process_start_timeout')).toEqual({
      name: 'process_start_timeout',
      value: 180,
      usual: 180,
      unit: 's',
      effect: 'setting',
      does: 'how long a process may take to start before it has failed',
    });
    expect(items.find(({ name }) => name === 'recovery_max_retries')).toMatchObject({ value: -5, effect: 'none' });
  });

  it('are set, told to the agents, and given their usual values back', async () => {
    expect((await set({ process_start_timeout: 300, disable_smart_checks: true })).status).toBe(200);
    expect(await cluster()).toMatchObject({ vars: { process_start_timeout: 300, disable_smart_checks: true }, goals: 1 });
    expect((await got()).find(({ name }) => name === 'process_start_timeout')).toMatchObject({ value: 300, usual: 180 });
    await set({ process_start_timeout: 300 });
    expect((await cluster()).goals).toBe(1);
    await set({ process_start_timeout: null });
    expect(await cluster()).toMatchObject({ vars: { disable_smart_checks: true }, goals: 2 });
  });

  it.each([
    [{ proces_start_timeout: 1 }, 'there is no such variable'],
    [{ process_start_timeout: 0 }, 'process_start_timeout must be from 1 to 86400'],
    [{ process_start_timeout: 1.5 }, 'process_start_timeout must be a whole number'],
    [{ process_max_start_attempts: -1 }, 'process_max_start_attempts must be from 0 to 1000'],
    [{ mero_workers_allowed: 1 }, 'mero_workers_allowed must be true or false'],
    [{ process_start_timeout: true }, 'process_start_timeout must be a whole number'],
  ])('are refused as %j › %s', async (given, why) => {
    const { status, body } = await set(given);
    expect([status, (body as unknown as { errors: { detail: string }[] }).errors.map(({ detail }) => detail)]).toEqual([422, [why]]);
    expect(await cluster()).toMatchObject({ vars: {}, goals: 0 });
  });

  it('are none of a zone of another kind', async () => {
    expect(await set({}, 'emea')).toMatchObject({ status: 409, problem: 'not-a-storage-zone' });
  });

  it('may have the values that they usually have', () => {
    for (const [name, { usual }] of Object.entries(vars)) expect([name, varFault(name as VarName, usual)]).toEqual([name, undefined]);
  });
});
