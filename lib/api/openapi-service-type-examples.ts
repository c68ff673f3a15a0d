import type { ServiceName, ServiceTypeName } from '../ids.ts';
import type { Examples } from './openapi-example.ts';
import type { ServiceTypeView } from './service-views.ts';

const greeter = 'greeter' as ServiceTypeName;
const configuration = { type: 'object', required: ['greeting'], properties: { greeting: { type: 'string' } } };
const start = ['sh', '/usr/local/lib/greeter.sh'];
const check = ['sh', '-c', 'test -e /run/greeter'];
const type: ServiceTypeView = {
  ...{ origin: 'put', name: greeter, serviceName: 'greeter' as ServiceName, program: { is: 'command', start }, check },
  schema: { name: greeter, configuration, resources: [{ kind: 'database', hold: 'shared' }], relations: [], sharedWith: [] },
  ...{ messages: [], configuration: { greeting: 'Hello' }, startMs: 180_000, stopMs: 30_000, askMs: 10_000 },
};

/** An example of what each route about types of services is sent and answers. */
export const serviceTypeExamples = {
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
