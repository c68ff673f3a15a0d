import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../lib/api/client.ts';
import { contract } from '../../lib/contract.ts';
import { type NodeId, ZoneName } from '../../lib/core/ids.ts';
import type { AdminScope } from '../../lib/identity/rights.ts';
import { aJoin, someFacts, someLoad } from '../../tools/support/actors.ts';
import { aHost, eventually, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { storedIn } from '../../tools/support/state.ts';

const fqdn = 'node1.acme.org';
let host: TestHost;
let operator: ApiClient;
let node: NodeId;
let key: string;

beforeAll(async () => {
  host = await aHost({ beatMinMs: 60_000 });
  operator = apiAt(host.url);
  for (const name of ['default', 'other']) await operator(contract.createZone, { body: { name: ZoneName.parse(name) } });
  const joined = await aJoin(host.url, fqdn);
  if (!joined.ok || !('node' in joined.body)) throw new Error('the host did not join');
  node = joined.body.node;
  key = await aKeyFor(['report'], 'default');
});
afterAll(() => host.stop());

async function aKeyFor(scopes: AdminScope[], zone: string): Promise<string> {
  const made = await operator(contract.createKey, { body: { name: 'watchtower', scopes, zones: [ZoneName.parse(zone)] } });
  if (!made.ok) throw new Error(made.problem.detail);
  return made.body.secret;
}

/** The call as curl makes it. */
const post = async (body: unknown, secret: string | undefined = key) => {
  const headers = { 'content-type': 'application/json', ...(secret !== '' && { authorization: `Bearer ${secret}` }) };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${host.url}/api/v1/reports`, { method: 'POST', headers, body: text });
  const answer = (await response.json()) as { type?: string; errors?: unknown };
  return { status: response.status, ...answer, ...(answer.type && { type: answer.type.replace('urn:muster:problem:', '') }) };
};
const report = (type: string, more: object) => ({
  type,
  version: 1,
  id: `watchtower-${type}-${JSON.stringify(more).length}`,
  node,
  ...more,
});
const up = (seq: number, boot = 'boot-0001') =>
  report('node.up', { seq, data: { boot: { id: boot, kernel: boot }, facts: someFacts(fqdn) } });
const ready = (incarnation: number) => report('node.ready', { incarnation, data: {} });
const beat = (incarnation: number, seq: number) => report('node.heartbeat', { incarnation, seq, data: { load: someLoad } });
const shown = async () => {
  const answer = await operator(contract.getNode, { params: { id: node } });
  if (!answer.ok) throw new Error(answer.problem.detail);
  return answer.body;
};

describe('POST /api/v1/reports on an embedded host', () => {
  it('is for those who hold the scope, in the zone of the node', async () => {
    expect(await post([up(1)], '')).toMatchObject({ status: 401, type: 'sign-in-needed' });
    expect(await post([up(1)], await aKeyFor(['operate', 'admin', 'security'], 'default'))).toMatchObject({
      status: 403,
      type: 'insufficient-scope',
    });
    const elsewhere = await post([up(1)], await aKeyFor(['report'], 'other'));
    expect(elsewhere).toMatchObject({ status: 404, type: 'unknown-node', errors: [{ pointer: '/0/node' }] });
    const nobody = await post([{ ...up(1), node: 'n0000000000000000' }], await aKeyFor(['report'], 'other'));
    expect(JSON.stringify(nobody).replaceAll('n0000000000000000', node)).toBe(
      JSON.stringify({ ...elsewhere, instance: (nobody as { instance?: string }).instance }),
    );
  });

  it('refuses nonsense with a pointer, and too much', async () => {
    const before = storedIn(host.home);
    expect(await post('{')).toMatchObject({ status: 400, type: 'malformed-json' });
    expect(await post([])).toMatchObject({ status: 422 });
    expect(await post([up(1), { type: 'node.exploded' }])).toMatchObject({ status: 422, errors: [{ pointer: '/1/type' }] });
    expect(await post([{ ...up(1), receivedAt: 1 }])).toMatchObject({ status: 422, errors: [{ pointer: '/0/receivedAt' }] });
    expect(await post([{ ...up(1), vouched: { by: 'operator', zone: 'other' } }])).toMatchObject({ status: 422 });
    expect(await post(Array.from({ length: 101 }, () => up(1)))).toMatchObject({ status: 422 });
    expect(await post([{ ...up(1), id: 'x'.repeat(70_000) }])).toMatchObject({ status: 413, type: 'too-large' });
    await host.settled();
    expect(Object.keys(storedIn(host.home)).filter((row) => row.startsWith('dead'))).toEqual([]);
    expect(Object.keys(storedIn(host.home)).filter((row) => row.includes(node))).toEqual(
      Object.keys(before).filter((row) => row.includes(node)),
    );
  });

  it('keeps no node alive of which no administrator has said so', async () => {
    expect(await post([up(1)])).toMatchObject({ status: 409, type: 'refused', errors: [{ pointer: '/0/node' }] });
    expect((await shown()).status).toBe('absent');
  });

  it('brings a node up that is vouched for: the sender reads its incarnation from an event', async () => {
    await operator(contract.editNode, { params: { id: node }, body: { vouched: true } });
    expect(await post([up(1)])).toMatchObject({ status: 202, accepted: 1, nextMs: 60_000 });
    const incarnation = await eventually('the boot is acknowledged', async () => {
      const history = await operator(contract.history, { params: { kind: 'node', id: node } });
      const told = history.ok ? history.body.items.find(({ type }) => type === 'node.acknowledged') : undefined;
      return (told?.data as { incarnation: number } | undefined)?.incarnation;
    });
    expect(await post([ready(incarnation), beat(incarnation, 1)])).toMatchObject({ status: 202, accepted: 2 });
    await eventually('the node is up', async () => (await shown()).status === 'up');
    expect(await shown()).toMatchObject({ status: 'up', incarnation: 1, vouched: true });
  });

  it('begins no boot by what is repeated, or comes after what is newer', async () => {
    await post([up(3, 'boot-0002')]);
    await host.settled();
    expect(await shown()).toMatchObject({ incarnation: 2 });
    expect((await post([up(3, 'boot-0002')])).status).toBe(202);
    for (const older of [up(2, 'boot-0001'), up(1)])
      expect(await post([older])).toMatchObject({ status: 409, type: 'refused', errors: [{ pointer: '/0/seq' }] });
    await host.settled();
    expect(await shown()).toMatchObject({ incarnation: 2, status: 'up' });
  });

  it('refuses a heartbeat that nobody would hear, as the agent of the node is refused', async () => {
    expect(await post([beat(1, 99)])).toMatchObject({ status: 409, type: 'send-node-up', errors: [{ pointer: '/0' }] });
  });
});
