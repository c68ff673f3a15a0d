import type { Fqdn, InstanceId, NodeId, ServiceTypeName } from '../core/ids.ts';
import { type Examples, fqdn, id } from './example.ts';

const service = {
  type: 'greeter' as ServiceTypeName,
  node: id as NodeId,
  host: fqdn as Fqdn,
  instance: 'mjw6vk00.1' as InstanceId,
  state: 'online',
};
const ask = '0196f1a2-7c3b-7d1e-9f00-1b2c3d4e5f60';
const asked = { ask, until: '2026-05-01T12:00:40Z', waitMs: 40_000, service };

/** An example of the body and the answer of each route about orders to services. */
export const serviceExamples = {
  startService: {
    body: { node: fqdn, configuration: { greeting: 'Hello' } },
    reply: {
      answer: 'started',
      because: `an operator ordered greeter to run on ${fqdn}`,
      service: { ...service, state: 'starting' },
      configuration: { greeting: 'Hello' },
    },
  },
  stopService: {
    body: { node: fqdn },
    reply: { done: true, because: `an operator ordered greeter to stop on ${fqdn}`, service: { ...service, state: 'stopping' } },
  },
  reconfigureService: {
    body: { node: fqdn, configuration: { greeting: 'Good morning' } },
    reply: {
      done: true,
      because: 'an operator ordered another configuration for greeter',
      service: { ...service, instance: 'mjw6vk00.2' as InstanceId, state: 'starting' },
    },
  },
  checkService: { body: { node: fqdn }, reply: { ...asked, because: 'greeter is asked: check' } },
  statusService: { body: { node: fqdn }, reply: { ...asked, because: 'greeter is asked: status' } },
  sendService: {
    body: { node: fqdn, message: 'greet' as ServiceTypeName, data: { name: 'Ada' } },
    reply: { ...asked, because: 'greeter is asked: greet' },
  },
} satisfies Partial<Examples>;
