import { beforeEach, describe, expect, it } from 'vitest';
import { Agent } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';
import { Serving } from '../../support/serving.ts';

let world: World;
let agents: Agent[];
let serving: Serving[];
const hosts = ['salt1.acme.org', 'salt2.acme.org', 'salt3.acme.org'];
const questions = [
  { name: 'may-stop', data: { type: 'null' }, rule: { is: 'may-stop', leave: 1 } },
  { name: 'who-has', data: { type: 'object', properties: { id: { maxLength: 20 } } }, rule: { is: 'holder' } },
  { name: 'others', rule: { is: 'peers' } },
];

beforeEach(async () => {
  world = await stepped({ beatMinMs: 10_000, sweepPeriodMs: 5_000 });
  agents = await Promise.all(hosts.map((fqdn) => new Agent(world, fqdn).start()));
  serving = agents.map((agent) => new Serving(agent));
  for (const [i, agent] of agents.entries()) agent.processes = serving[i]!;
  const resources = (['shared', 'exclusive'] as const).map((hold) => ({ kind: 'database', hold }));
  await world.call('PUT', '/api/v1/zones/default/service-types/web', { start: ['run'], schema: { resources }, questions });
  await world.call('PUT', '/api/v1/zones/default/service-types/proxy', { start: ['run'], serviceName: 'web', schema: 'web' });
  await starts('web', 0);
  await starts('proxy', 1);
});

const order = (what: string, type: string, host: number) =>
  world.call('POST', `/api/v1/zones/default/services/${type}/${what}`, { node: hosts[host] });
async function obey(): Promise<void> {
  await world.step(0);
  for (const one of serving) await one.obey();
  await world.step(0);
}
async function starts(type: string, host: number): Promise<void> {
  expect((await order('start', type, host)).status).toBe(201);
  await obey();
}
async function asks(
  question: string,
  { host = 0, type = 'web', data, instance }: { host?: number; type?: string; data?: unknown; instance?: string } = {},
) {
  const body = { instance: instance ?? serving[host]!.running.get(type)?.instance ?? '0.1', question, ...(data !== undefined && { data }) };
  return agents[host]!.call('POST', `/nodes/${agents[host]!.id}/services/${type}/questions`, body);
}
const refusal = ({ status, body }: { status: number; body: unknown }) => {
  const { type, detail } = body as { type: string; detail: string };
  return [status, type.replace('urn:muster:problem:', ''), detail];
};

describe('a service that asks Muster', () => {
  it('may stop while enough others of its name are online in its zone', async () => {
    expect(await asks('may-stop')).toMatchObject({
      status: 200,
      body: { yes: true, because: 'other services of its name online: 1; needed: 1' },
    });
    await order('stop', 'proxy', 1);
    expect((await asks('may-stop')).body).toMatchObject({ yes: false });
    await obey();
    expect((await asks('may-stop')).body).toMatchObject({ yes: false, because: 'other services of its name online: 0; needed: 1' });
    await starts('web', 2);
    expect((await asks('may-stop')).body).toMatchObject({ yes: true });
    agents[2]!.fallSilent();
    await world.step(120_000);
    expect((await asks('may-stop')).body).toMatchObject({ yes: false });
  });

  it('is told who has a resource, or that nobody has it', async () => {
    const data = { kind: 'database', id: 'customers' };
    expect((await asks('who-has', { data })).body).toEqual({ holders: [], exclusive: false });
    const taken = { ...serving[1]!.about('proxy'), kind: 'database', id: 'customers', hold: 'exclusive' };
    await serving[1]!.says('service.acquired', taken);
    await world.step(0);
    expect((await asks('who-has', { data })).body).toEqual({
      holders: [{ type: 'proxy', node: agents[1]!.id, host: 'salt2.acme.org' }],
      exclusive: true,
    });
    expect((await asks('who-has', { data: { ...data, id: 'others' } })).body).toEqual({ holders: [], exclusive: false });
  });

  it('is told the others of its name, as whoever looks for them is', async () => {
    await starts('web', 2);
    const { body } = await asks('others');
    const found = (await agents[0]!.call('GET', `/nodes/${agents[0]!.id}/services?name=web`)).body as { host: string }[];
    expect(found).toHaveLength(3);
    expect(body).toEqual({ peers: found.filter(({ host }) => host !== 'salt1.acme.org') });
  });

  it('is refused where it is not what runs, asks what it may not, or asks it wrongly; nothing changes by any of it', async () => {
    const before = JSON.stringify(await world.call('GET', '/api/v1/zones/default/services'));
    const none = 'no service of this type is registered on salt3.acme.org';
    expect(refusal(await asks('may-stop', { host: 2 }))).toEqual([409, 'service-not-running', none]);
    const instance = serving[0]!.running.get('web')!.instance;
    expect(refusal(await asks('may-stop', { instance: '0.1' }))).toEqual([
      ...[409, 'service-not-running', `instance 0.1 is not the one that runs: ${instance} of web is`],
    ]);
    expect(refusal(await asks('may-i'))).toEqual([
      422,
      'unknown-message',
      'web has no question may-i: it may ask may-stop, who-has, others',
    ]);
    expect(refusal(await asks('others', { host: 1, type: 'proxy' }))).toEqual([
      422,
      'unknown-message',
      'proxy has no question others: it may ask none',
    ]);
    expect((await asks('who-has', { data: { kind: 'database', id: 'x'.repeat(21) } })).body).toMatchObject({
      errors: [{ pointer: '/data/id' }],
    });
    expect((await asks('who-has', { data: {} })).body).toMatchObject({ errors: [{ pointer: '/data/kind' }, { pointer: '/data/id' }] });
    expect(refusal(await asks('may-stop', { data: 1 })).slice(0, 2)).toEqual([422, 'invalid']);
    expect(JSON.stringify(await world.call('GET', '/api/v1/zones/default/services'))).toBe(before);
  });

  it('is of the node that signs: nobody asks for another’s', async () => {
    const body = { instance: serving[0]!.running.get('web')!.instance, question: 'may-stop' };
    expect((await agents[1]!.call('POST', `/nodes/${agents[0]!.id}/services/web/questions`, body)).status).toBe(401);
  });
});

describe('a rule of a type’s own', () => {
  const rule = (is: 'all' | 'any') => ({
    is,
    of: [
      { is: 'peers', atLeast: 1 },
      { is: 'service', name: 'web', atLeast: 2 },
      { is: 'related', by: 'behind', atLeast: 1 },
      { is: 'free', kind: 'tape', id: 'A' },
    ],
  });
  const own = [
    { name: 'all-there', rule: rule('all') },
    { name: 'any-there', rule: rule('any') },
  ];
  const put = (relations: readonly object[]) =>
    world.call('PUT', '/api/v1/zones/default/service-types/gate', {
      start: ['run'],
      questions: own,
      configuration: { behind: ['salt1.acme.org'] },
      schema: { relations, resources: [{ kind: 'tape', hold: 'shared' }] },
    });

  it('says yes where all of its conditions hold, or one, and what there is of each', async () => {
    expect((await put([{ name: 'behind', to: 'web' }])).status).toBe(200);
    await starts('gate', 0);
    await starts('gate', 1);
    const because = [
      'other services of its name online: 1; needed: 1',
      'services web online: 2; needed: 2',
      'services of the relation behind online: 1; needed: 1',
      'tape A is held by no other service',
    ];
    expect((await asks('all-there', { type: 'gate' })).body).toEqual({ yes: true, because: because.join('. ') });
    await serving[0]!.says('service.acquired', { ...serving[0]!.about('gate'), kind: 'tape', id: 'A', hold: 'shared' });
    await world.step(0);
    expect((await asks('all-there', { type: 'gate' })).body).toMatchObject({ yes: true });
    expect((await asks('all-there', { type: 'gate', host: 1 })).body).toMatchObject({
      yes: false,
      because: [...because.slice(0, 3), 'tape A is held by other services: 1'].join('. '),
    });
    expect((await asks('any-there', { type: 'gate', host: 1 })).body).toMatchObject({ yes: true });
    await order('stop', 'web', 0);
    await obey();
    expect((await asks('all-there', { type: 'gate' })).body).toMatchObject({
      yes: false,
      because: expect.stringContaining('of the relation behind online: 0'),
    });
  });

  it('is refused where it looks at a relation that its schema does not have', async () => {
    expect(refusal(await put([]))).toMatchObject([422, 'invalid', expect.stringContaining('the schema gate has no relation behind')]);
  });
});
