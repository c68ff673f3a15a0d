import type { Fqdn, InstanceId, NodeId, ServiceName, ServiceTypeName, ZoneName } from '../core/ids.ts';
import type { ServiceTypeView } from '../services/type-routes.ts';
import type { ServiceView } from '../services/view-routes.ts';
import { at, type Examples, fqdn, id } from './example.ts';

const greeter = 'greeter' as ServiceTypeName;
const configuration = { type: 'object', required: ['greeting'], properties: { greeting: { type: 'string' } } };
const start = ['sh', '/usr/local/lib/greeter.sh'];
const check = ['sh', '-c', 'test -e /run/greeter'];
const type: ServiceTypeView = {
  origin: 'put',
  name: greeter,
  serviceName: 'greeter' as ServiceName,
  program: { is: 'command', start },
  check,
  takesCommand: false,
  schema: { name: greeter, configuration, resources: [{ kind: 'database', hold: 'shared' }], relations: [], sharedWith: [] },
  messages: [],
  configuration: { greeting: 'Hello' },
  startMs: 180_000,
  stopMs: 30_000,
  askMs: 10_000,
};

const service: ServiceView = {
  type: greeter,
  name: 'greeter' as ServiceName,
  node: id as NodeId,
  host: fqdn as Fqdn,
  zone: 'default' as ZoneName,
  instance: 'lz3k9w0g.2' as InstanceId,
  state: 'online',
  since: at,
  registered: at,
  configuration: { greeting: 'Hello' },
  pid: 4711,
  address: '192.0.2.7:80',
  version: '1.4',
  healthy: true,
  asks: [],
  resources: [{ kind: 'database', id: 'customers', hold: 'shared' }],
  results: [{ what: 'check', exit: 0, says: 'Hello', at }],
};

/**
 * An example of the body and the answer of each route about types of services, and of each route about services that
 * changes none.
 */
export const serviceTypeExamples = {
  listServices: { reply: { items: [service] } },
  getService: { reply: service },
  listServiceTypes: { reply: { items: [type] } },
  getServiceType: { reply: type },
  putServiceType: {
    body: {
      start,
      check,
      schema: { configuration, resources: [{ kind: 'database', hold: 'shared' }] },
      configuration: { greeting: 'Hello' },
    },
    reply: { done: true, because: 'type greeter put' },
  },
  deleteServiceType: { reply: { done: true, because: 'type greeter deleted' } },
} satisfies Partial<Examples>;
