import type * as z from 'zod';
import type { Check } from '../../../lib/core/check.ts';
import type { ServiceTypeName } from '../../../lib/core/ids.ts';
import type { RelationName } from '../../../lib/services/rows/service-type.ts';
import type { Held } from '../../../lib/services/service.ts';
import type { ServiceTypePut } from '../../../lib/services/type-routes.ts';
import { type Allowed, allowedBy, builtInWord } from '../../../programs/agent/services/allowed.ts';
import { oneOf, type Random } from '../random.ts';

const type = (name: string): ServiceTypeName => name as ServiceTypeName;
const spans = { startMs: 20_000, stopMs: 10_000, askMs: 5_000 } as const;

/**
 * The types that a steward puts into zones: two that have one name and one schema, one that is checked, and two that
 * want what is there once.
 */
export const putTypes: readonly (readonly [ServiceTypeName, Partial<ServiceTypePut> & Pick<ServiceTypePut, 'start'>])[] = [
  [
    type('greeter'),
    {
      ...spans,
      start: ['greet'],
      check: ['greet', '--check'],
      checkEveryMs: 5_000,
      schema: {
        configuration: { type: 'object', properties: { greeting: { type: 'string' }, password: { type: 'string', 'x-secret': true } } },
        resources: [],
        relations: [],
      },
      messages: [{ name: type('greet'), data: { type: 'object' }, command: ['greet', '--say'] }],
    },
  ],
  [type('greeter-next'), { ...spans, start: ['greet', '--next'], serviceName: 'greeter' as never, schema: type('greeter') }],
  [
    type('archive'),
    {
      ...spans,
      start: ['archive'],
      schema: {
        configuration: {},
        resources: [
          { kind: 'database', hold: 'exclusive' },
          { kind: 'tape', hold: 'shared' },
        ],
        relations: [],
      },
    },
  ],
  [type('archive-next'), { ...spans, start: ['archive', '--next'], schema: type('archive') }],
];

/**
 * Where services change their configuration themselves: three types of one schema, of which one is shown, one accepted
 * and one restored. They may need a greeter.
 */
export const driftingTypes: typeof putTypes = ([undefined, 'accept', 'restore'] as const).map((onDrift) => [
  type(onDrift ?? 'show'),
  {
    ...spans,
    start: ['drift'],
    ...(onDrift && { onDrift }),
    schema: {
      name: type('drifting'),
      configuration: { type: 'object', properties: { tone: { type: 'string' }, password: { type: 'string', 'x-secret': true } } },
      resources: [],
      relations: [{ name: 'beside' as RelationName, to: type('greeter') }],
    },
  },
]);
/** What they are ordered with, beside some host or none. */
export const orderedDrifting = (host: string): typeof ordered =>
  driftingTypes.map(([name]) => [name, [{ tone: 'low', password }, { tone: 'high' }, { tone: 'low', beside: host }, { beside: [host] }]]);
/**
 * Whether services of a type change their configuration themselves, and what to: in one case of four nothing that
 * follows their schema.
 */
export const isDrifting = (name: ServiceTypeName): boolean => driftingTypes.some(([one]) => one === name);
export function changedBy(random: Random, configuration: string): Readonly<Record<string, z.core.util.JSONType>> {
  const before = JSON.parse(configuration) as Readonly<Record<string, z.core.util.JSONType>>;
  return { ...before, tone: oneOf(random, ['low', 'high', 'shrill', 7])! };
}

/** The secret in a configuration; nobody is shown it, and each agent is told it. */
export const password = 'known-to-the-host-alone';

/** What is ordered of them, and of the one that comes with Muster and is configured by its command. */
export const ordered: readonly (readonly [ServiceTypeName, readonly Readonly<Record<string, unknown>>[]])[] = [
  [
    type('greeter'),
    [
      { greeting: 'Hello', password },
      { greeting: 'Good day', password },
      { greeting: 7, password },
    ],
  ],
  [type('greeter-next'), [{ greeting: 'Hello' }]],
  [type('archive'), []],
  [type('archive-next'), []],
  [type('process'), [{ command: ['sleep', '1000'], environment: { PASSWORD: password } }, { command: ['sleep', '2000'] }]],
  [type('statistics'), [{ everyMs: 60_000 }]],
];

/** A configuration whose check runs out of time, where checks do. */
export const endless: Readonly<Record<string, unknown>> = { greeting: 'without end' };
export const isLate = ({ data }: Check): boolean => data === JSON.stringify(endless);

/** What services of a type come to hold, once they run. */
export const resourcesOf = (name: ServiceTypeName): readonly (Omit<Held, 'kind'> & { readonly kind: ServiceTypeName })[] =>
  name.startsWith('archive')
    ? [
        { kind: type('database'), id: 'main', hold: 'exclusive' },
        { kind: type('tape'), id: 'A', hold: 'shared' },
      ]
    : [];

/** The types whose services run a command; hosts may leave some out. */
const commands: readonly ServiceTypeName[] = [...putTypes.map(([name]) => name), type('process')];

/** What a host runs by its own configuration: one in four leaves out a type that runs a command. */
export function allowedOn(random: Random): Allowed {
  const leftOut = random() < 0.25 ? oneOf(random, commands) : undefined;
  return allowedBy([builtInWord, ...commands.filter((name) => name !== leftOut), ...driftingTypes.map(([name]) => name)]);
}
