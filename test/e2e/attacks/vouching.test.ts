import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../lib/contract.ts';
import { ZoneName } from '../../../lib/core/ids.ts';
import type { AdminScope } from '../../../lib/identity/rights.ts';
import { aNodeUp, someFacts, someLoad, type TestAgent } from '../../../tools/support/actors.ts';
import { eventually } from '../../../tools/support/host.ts';
import { apiAt } from '../../../tools/support/operator.ts';
import { aStronghold, type Stronghold, shapeOf, told } from './stronghold.ts';

let host: Stronghold;
/** One that is vouched for, and one whose agent speaks. */
let node: TestAgent;
let other: TestAgent;
const keys: Record<string, string> = {};

beforeAll(async () => {
  host = await aStronghold();
  const operator = apiAt(host.url);
  node = await aNodeUp(host.url, 'node1.acme.org');
  other = await aNodeUp(host.url, 'node2.acme.org');
  await operator(contract.createZone, { body: { name: ZoneName.parse('elsewhere') } });
  const make = async (name: string, scopes: AdminScope[], zone: string): Promise<void> => {
    const made = await operator(contract.createKey, { body: { name, scopes, zones: [ZoneName.parse(zone)] } });
    if (!made.ok) throw new Error(made.problem.detail);
    keys[name] = made.body.secret;
    await fetch(`${host.url}/api/v1/whoami`, { headers: { authorization: `Bearer ${made.body.secret}` } });
  };
  await make('sender', ['report'], 'default');
  await make('stranger', ['report'], 'elsewhere');
  await make('administrator', ['admin', 'operate', 'security'], 'default');
  await operator(contract.editNode, { params: { id: node.id }, body: { vouched: true } });
  await host.attack(says('sender', [up(node, 7)]));
  await eventually('the boot that is vouched for is acknowledged', async () => {
    const shown = await operator(contract.getNode, { params: { id: node.id } });
    return shown.ok && shown.body.incarnation === node.incarnation + 1;
  });
  await host.settle();
});
afterAll(() => host.stop());
afterEach(() => host.unharmed());

const says = (who: string, body: unknown) => ({
  method: 'POST',
  path: '/api/v1/reports',
  body,
  headers: { authorization: `Bearer ${keys[who]}` },
});
const about = ({ id: of }: TestAgent, type: string, more: object) => ({ type, version: 1, id: `a-${type}`, node: of, ...more });
const up = (of: TestAgent, seq: number, boot = `boot-000${seq}`) =>
  about(of, 'node.up', { seq, data: { boot: { id: boot, kernel: 'kernel-1' }, facts: someFacts(of.fqdn) } });
const beat = (of: TestAgent) => about(of, 'node.heartbeat', { incarnation: of.incarnation, seq: 99, data: { load: someLoad } });

describe('attack 65', () => {
  it('attack 65: who lacks the scope vouches for nothing, whatever else they may do', async () => {
    for (const report of [up(node, 9), beat(node)])
      expect(told(await host.attack(says('administrator', [report])))).toEqual([403, 'insufficient-scope']);
  });
  it('attack 65: a node of another zone is none, in the same words', async () => {
    const [theirs, nobodys] = [
      await host.attack(says('stranger', [up(node, 9)])),
      await host.attack(says('stranger', [up({ ...node, id: 'n0000000000000000' as never }, 9)])),
    ];
    expect(told(theirs)).toEqual([404, 'unknown-node', '/0/node']);
    expect(JSON.stringify(shapeOf(nobodys)).replaceAll('n0000000000000000', node.id)).toEqual(JSON.stringify(shapeOf(theirs)));
  });
  it('attack 65: nobody vouches for a node that speaks for itself, nor for one beside it', async () => {
    expect(told(await host.attack(says('sender', [up(other, 9)])))).toEqual([409, 'refused', '/0/node']);
    expect(told(await host.attack(says('sender', [up(node, 9), beat(other)])))).toEqual([409, 'refused', '/1/node']);
  });
});

describe('attack 66', () => {
  it('attack 66: a report does not say itself who vouches, or when it was taken', async () => {
    const vouched = { by: 'operator', zone: 'default' };
    expect(told(await host.attack(says('sender', [{ ...up(node, 9), vouched }])))).toEqual([422, 'unknown-field', '/0/vouched']);
    expect(told(await host.attack(says('sender', [{ ...up(node, 9), receivedAt: 1 }])))).toEqual([422, 'unknown-field', '/0/receivedAt']);
  });
});

describe('attack 68', () => {
  it('attack 68: whoever may report has no service run with a configuration of their own', async () => {
    const data = { service: 'process', instance: 'aaaaaaaa.1', configuration: { command: ['sh', '-c', 'cat /etc/shadow'] } };
    expect(told(await host.attack(says('sender', [about(node, 'service.configured', { data })])))).toEqual([
      422,
      'unknown-type',
      '/0/type',
    ]);
  });
});

describe('attack 67', () => {
  it('attack 67: an older node-up, and the same one again, begin no boot', async () => {
    for (const report of [up(node, 7), up(node, 7, 'boot-other')]) expect((await host.attack(says('sender', [report]))).status).toBe(202);
    expect(told(await host.attack(says('sender', [up(node, 3)])))).toEqual([409, 'refused', '/0/seq']);
  });
  it('attack 67: the agent of a node that is vouched for is told so', async () => {
    const boot = { id: 'boot-of-the-agent', kernel: 'kernel-1' };
    const body = { id: 'an-up', boot, facts: someFacts(node.fqdn) };
    const call = { method: 'POST', path: `/nodes/${node.id}/up`, body, by: node.keys };
    const answer = await host.attack(call);
    expect(told(answer)).toEqual([409, 'vouched-for']);
    const said = { id: 'a-beat', incarnation: node.incarnation + 1, seq: 9, load: someLoad };
    expect(told(await host.attack({ ...call, path: `/nodes/${node.id}/heartbeat`, body: said }))).toEqual([409, 'vouched-for']);
  });
});
