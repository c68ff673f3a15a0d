import { beforeEach, describe, expect, it } from 'vitest';
import { ZoneName } from '../../../lib/core/ids.ts';
import { type Rights, rightsOf } from '../../../lib/identity/rights.ts';
import { Agent } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';
import { aKey, showing } from '../../support/callers.ts';

const fqdn = 'salt1.acme.org';
const here = ZoneName.parse('default');

let world: World;
beforeEach(async () => {
  world = await stepped();
  await new Agent(world, fqdn).start();
});

/** Somebody with these rights, who calls the admin API about this zone: the status, and the scope that is missing. */
async function somebody(rights: Rights) {
  const { text } = await aKey(world.environment('admin'), rights);
  return async (method: string, path: string, body: object) => {
    const answer = await world.call(method, `/api/v1/zones/default/${path}`, body, showing(text));
    const said = answer.body as { type?: string; detail?: string };
    return answer.status === 403 ? `403 ${/scope (\w+)/.exec(said.detail!)![1]}` : answer.status;
  };
}
const orders = {
  command: ['POST', 'services/process/start', { node: fqdn, configuration: { command: ['sh', '-c', 'id'] } }],
  statistics: ['POST', 'services/statistics/start', { node: fqdn }],
  put: ['PUT', 'service-types/web', { start: ['web'], configuration: { port: 80 } }],
} as const;

describe('who may have a command run on a host', () => {
  it.each([
    ['read', ['403 operate', '403 operate', '403 execute']],
    ['operate', ['403 execute', 201, '403 execute']],
    ['execute', [201, 201, 200]],
    ['admin', ['403 execute', 201, '403 execute']],
    ['security', ['403 operate', '403 operate', '403 execute']],
  ] as const)('%s › a command, a built-in type that takes none, a type: %j', async (scope, expected) => {
    const call = await somebody(rightsOf([scope], 'all'));
    const answers = [];
    for (const [method, path, body] of Object.values(orders)) answers.push(await call(method, path, body));
    expect(answers).toEqual(expected);
  });

  it('is who holds it in that zone: execute elsewhere and operate here never add up to execute here', async () => {
    const call = await somebody({ operate: 'all', execute: [ZoneName.parse('elsewhere')] });
    expect(await call(...orders.command)).toBe('403 execute');
    expect(await call(...orders.put)).toBe(404);
  });

  it('who may not start one may not configure or send either; what runs goes on, and may be asked and stopped', async () => {
    const executor = await somebody(rightsOf(['execute'], [here]));
    expect(await executor(...orders.command)).toBe(201);
    expect(await executor('PUT', 'service-types/web', { start: ['web'], messages: [{ name: 'run', command: ['sh'] }] })).toBe(200);
    expect(await executor('POST', 'services/web/start', { node: fqdn })).toBe(201);
    const operator = await somebody(rightsOf(['operate'], [here]));
    const configured = { node: fqdn, configuration: { command: ['sh', '-c', 'reboot'] } };
    expect(await operator('POST', 'services/process/reconfigure', configured)).toBe('403 execute');
    expect(await operator('POST', 'services/web/send', { node: fqdn, message: 'run', data: 'reboot' })).toBe('403 execute');
    expect(await operator('POST', 'services/process/check', { node: fqdn })).toBe(202);
    expect(await operator('POST', 'services/process/stop', { node: fqdn })).toBe(202);
  });

  it('needs operate alone for a type that promises to take no command', async () => {
    const executor = await somebody(rightsOf(['execute'], [here]));
    const messages = [{ name: 'greet', command: ['greet'] }];
    expect(await executor('PUT', 'service-types/web', { start: ['web'], takesCommand: false, messages })).toBe(200);
    const operator = await somebody(rightsOf(['operate'], [here]));
    expect(await operator('POST', 'services/web/start', { node: fqdn, configuration: { port: 80 } })).toBe(201);
    expect(await operator('POST', 'services/web/reconfigure', { node: fqdn, configuration: { port: 81 } })).toBe(202);
    expect(await operator('POST', 'services/web/send', { node: fqdn, message: 'greet' })).toBe(202);
  });

  it('what was refused for that is in the audit, with who tried', async () => {
    const call = await somebody(rightsOf(['operate'], 'all'));
    await call(...orders.command);
    await world.step(0);
    const { items } = (await world.call('GET', '/api/v1/audit')).body as { items: { subject: string; because: string }[] };
    expect(items.map(({ because }) => because)).toContain(
      'insufficient-scope: process takes a command: starting it, configuring it or sending it a message needs the scope execute in zone default',
    );
  });
});
