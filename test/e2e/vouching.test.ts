import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../lib/api/client.ts';
import { contract } from '../../lib/contract.ts';
import { type NodeId, ZoneName } from '../../lib/core/ids.ts';
import { aJoin } from '../../tools/support/actors.ts';
import { aHost, eventually, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';

const fqdn = 'node7.acme.org';
let host: TestHost;
let operator: ApiClient;
let node: NodeId;
let sender: ChildProcess;
beforeAll(async () => {
  host = await aHost({ beatMinMs: 1_000 });
  operator = apiAt(host.url);
  const joined = await aJoin(host.url, fqdn);
  if (!joined.ok || !('node' in joined.body)) throw new Error('the host did not join');
  node = joined.body.node;
  const made = await operator(contract.createKey, { body: { name: 'watchtower', scopes: ['report'], zones: [ZoneName.parse('default')] } });
  if (!made.ok) throw new Error(made.problem.detail);
  const file = join(import.meta.dirname, '../../docs/examples/vouch/watchtower.mjs');
  const env = { MUSTER_ENDPOINT: host.url, MUSTER_KEY: made.body.secret, NODE: node, FQDN: fqdn, BOOT: 'i-0abc123-1777636800' };
  sender = spawn(process.execPath, [file], { env, stdio: 'inherit' });
});
afterAll(async () => {
  if (sender.exitCode === null && sender.kill()) await once(sender, 'exit');
  await host.stop();
});

const shown = async () => {
  const answer = await operator(contract.getNode, { params: { id: node } });
  if (!answer.ok) throw new Error(answer.problem.detail);
  return answer.body;
};
const mark = (vouched: boolean) => operator(contract.editNode, { params: { id: node }, body: { vouched } });
/** The incarnation in which the node is up, and is heard by heartbeats; not one of before. */
const upIn = (before: number): Promise<number> =>
  eventually('the node is up, and heard', async () => {
    const { status, incarnation, load } = await shown();
    return status === 'up' && incarnation > before && load !== undefined ? incarnation : undefined;
  });

describe('the sender of the documents', () => {
  it('brings a node up that an administrator lets it vouch for, and again each time that it is let anew', async () => {
    await mark(true);
    const first = await upIn(0);
    await mark(false);
    await mark(true);
    expect(await upIn(first + 1)).toBeGreaterThan(first + 1);
  });

  it('has a node join as new that was given up', async () => {
    const { incarnation, generation } = await shown();
    await operator(contract.dropNode, { params: { id: node }, body: { overrule: [6, 7, 8, 16] } });
    await eventually('it asks to come back', async () => (await shown()).dropped?.readmission === 'asked');
    await operator(contract.admitHosts, { body: { hosts: [fqdn] } });
    await upIn(incarnation);
    expect((await shown()).generation).toBe(generation + 1);
  });
});
