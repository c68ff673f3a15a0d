import { ServiceName, ServiceTypeName } from '../../core/ids.ts';
import { type ServiceProgram, type ServiceSchema, type ServiceType, usualSpans } from './service-type.ts';

type BuiltIn = Extract<ServiceProgram, { is: 'built-in' }>['does'];

const named = (name: string): ServiceTypeName => ServiceTypeName.parse(name);
const unconfigured = named('unconfigured');

const schema = (name: ServiceTypeName, configuration: object): ServiceSchema => ({
  name,
  configuration: JSON.stringify({ type: 'object', ...configuration, additionalProperties: false }),
  resources: [],
  relations: [],
});

const command = { type: 'array', minItems: 1, maxItems: 64, items: { type: 'string', minLength: 1, maxLength: 4_096 } };

/**
 * Variables that a command gets besides those of every service. They are always masked, because passwords are handed to
 * programs in this way.
 */
const environment = { type: 'object', maxProperties: 64, additionalProperties: { type: 'string', maxLength: 4_096, 'x-secret': true } };

/** The schemas that come with Muster: most of its own types have no configuration. */
export const builtInSchemas: readonly ServiceSchema[] = [
  schema(unconfigured, {}),
  schema(named('process'), { required: ['command'], properties: { command, check: command, environment } }),
  schema(named('statistics'), { properties: { everyMs: { type: 'integer', minimum: 1_000, maximum: 86_400_000 } } }),
];

const type = (does: BuiltIn, name: string = does, of: ServiceTypeName = unconfigured): ServiceType => ({
  name: named(name),
  serviceName: ServiceName.parse(name),
  schema: of,
  program: { is: 'built-in', does },
  messages: [],
  configuration: '{}',
  ...usualSpans,
});

/**
 * The types that come with Muster: `m0d` drives the Mero processes of its node, `process` runs a command that its
 * configuration names, `statistics` reports the load of the host. Muster starts the supervisors, the coordinator and
 * its own consumers of rules itself.
 */
export const builtInTypes: readonly ServiceType[] = [
  type('m0d'),
  type('process', 'process', named('process')),
  type('statistics', 'statistics', named('statistics')),
  type('supervisor'),
  type('recovery-supervisor'),
  { ...type('recovery-coordinator'), askMs: 60_000 },
  ...['heartbeats', 'reports', 'sweep', 'publish', 'webhooks'].map((consumer) => type('rule', `rule-${consumer}`)),
];
