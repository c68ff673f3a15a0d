import { hourMs, minuteMs } from '../../../lib/core/time.ts';
import { Agent } from '../../../tools/support/players.ts';
import type { World } from '../../../tools/support/stepped.ts';
import { Serving } from '../../support/serving.ts';
import type { Story } from '../recorder.ts';

const configuration = { type: 'object', required: ['greeting'], properties: { greeting: { type: 'string' } } };
const greeter = {
  start: ['sh', '/usr/local/lib/greeter.sh'],
  check: ['sh', '-c', 'test -e /run/greeter'],
  configuration: { greeting: 'Hello' },
  schema: { configuration, resources: [{ kind: 'database', hold: 'exclusive' }] },
  messages: [{ name: 'greet', data: { type: 'object' }, command: ['sh', '/usr/local/lib/greet.sh'] }],
};

/** A node of the zone `default`, its services, and orders about those of the type greeter. */
async function aServingNode(world: World) {
  const agent = await new Agent(world, 'salt1.acme.org').start();
  const serving = new Serving(agent);
  agent.processes = serving;
  await world.call('PUT', '/api/v1/zones/default/service-types/greeter', greeter);
  await world.call('PUT', '/api/v1/zones/default/service-types/waver', {
    ...greeter,
    serviceName: 'greeter',
    schema: { ...greeter.schema, name: 'waver' },
  });
  const order = (what: string, body: object = {}, type = 'greeter') =>
    world.call('POST', `/api/v1/zones/default/services/${type}/${what}`, { node: agent.fqdn, ...body });
  const obeys = async (fails: readonly string[] = []) => {
    await world.step(0);
    await serving.obey({ fails });
    await world.step(0);
  };
  return { agent, serving, order, obeys };
}

/**
 * A service is started, asked and sent a message, holds a resource and lets it go, is configured anew and stopped; another type cannot have its
 * name meanwhile. Then it ends by itself.
 */
export const aServiceIsStartedAndAsked: Story = async (world) => {
  const { serving, order, obeys } = await aServingNode(world);
  await order('start');
  await order('start', {}, 'waver');
  await obeys();
  await world.step(10 * minuteMs);

  const { ask } = (await order('check')).body as { ask: string };
  await serving.says('service.answered', { ...serving.about('greeter'), ask, what: 'check', exit: 1, says: 'nobody greets' });
  await order('send', { message: 'greet', data: {} });
  await serving.says('service.acquired', { ...serving.about('greeter'), kind: 'database', id: 'names', hold: 'exclusive' });
  await world.step(10 * minuteMs);
  await serving.says('service.released', { ...serving.about('greeter'), kind: 'database', id: 'names' });

  await order('reconfigure', { configuration: { greeting: 'Good morning' } });
  await obeys();
  await world.step(10 * minuteMs);
  await order('stop');
  await obeys();
  await order('start', {}, 'waver');
  await obeys();
  await serving.says('service.stopping', serving.about('waver'));
  await serving.ends('waver');
  await world.step(hourMs);
};

/** A service fails until it is not tried any more, is started by an operator, and again with its node, which comes back with another kernel; then that is given up. */
export const aServiceFailsAndIsLost: Story = async (world) => {
  const { agent, serving, order, obeys } = await aServingNode(world);
  await order('start');
  for (let n = 0; n < 8; n++) {
    await obeys(['greeter']);
    await world.step(2 * minuteMs);
  }
  await order('start');
  await obeys();
  await serving.says('service.failed', { ...serving.about('greeter'), reason: 'it lost its way' });
  await world.step(2 * minuteMs);
  await obeys();
  await world.step(10 * minuteMs);

  agent.fallSilent();
  serving.boots({ kernel: true });
  [agent.boot, agent.kernel] = [2, 2];
  await agent.up();
  await world.step(10 * minuteMs);
  await agent.up();
  agent.beats();
  await obeys();
  await world.step(10 * minuteMs);

  agent.fallSilent();
  await world.call('POST', '/api/v1/nodes/salt1.acme.org/drop', {});
  await world.step(2 * hourMs);
};

/**
 * Services say that they run with another configuration than was ordered: of one type that is shown until it is configured, of one it is accepted, of
 * one it is restored. A service needs another one, which is stopped.
 */
export const aServiceConfiguresItself: Story = async (world) => {
  const { agent, serving, order, obeys } = await aServingNode(world);
  for (const onDrift of ['accept', 'restore'])
    await world.call('PUT', `/api/v1/zones/default/service-types/${onDrift}`, {
      ...greeter,
      onDrift,
      schema: { ...greeter.schema, name: onDrift, relations: [{ name: 'host', to: 'greeter' }] },
    });
  await order('start');
  await obeys();
  await order('start', { configuration: { greeting: 'Hello', host: agent.fqdn } }, 'accept');
  await order('start', {}, 'restore');
  await obeys();
  const says = (type: string, greeting: string) =>
    serving.says('service.configured', { ...serving.about(type), configuration: { greeting } });
  for (const type of ['greeter', 'accept', 'restore']) await says(type, 'Hi');
  await world.step(minuteMs);
  await obeys();
  await says('greeter', 'Hello');
  await says('accept', 'Hello');
  await world.step(minuteMs);
  await order('stop');
  await obeys();
  await world.step(hourMs);
};
