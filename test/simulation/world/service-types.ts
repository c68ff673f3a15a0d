import type { ServiceTypePut } from '../../../lib/api/service-views.ts';
import type { ServiceTypeName } from '../../../lib/ids.ts';
import type { Held } from '../../../lib/services/service.ts';

const type = (name: string): ServiceTypeName => name as ServiceTypeName;
const spans = { startMs: 20_000, stopMs: 10_000, askMs: 5_000 } as const;

/** The types that a steward puts into zones: two that have one name and one schema, one that is checked, and two that want what is there once. */
export const putTypes: readonly (readonly [ServiceTypeName, Partial<ServiceTypePut> & Pick<ServiceTypePut, 'start'>])[] = [
  [
    type('greeter'),
    {
      ...spans,
      start: ['greet'],
      check: ['greet', '--check'],
      checkEveryMs: 5_000,
      schema: { configuration: { type: 'object', properties: { greeting: { type: 'string' } } }, resources: [], relations: [] },
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

/** What is ordered of them, and of the one that comes with Muster and is configured by its command. */
export const ordered: readonly (readonly [ServiceTypeName, readonly Readonly<Record<string, unknown>>[]])[] = [
  [type('greeter'), [{ greeting: 'Hello' }, { greeting: 'Good day' }, { greeting: 7 }]],
  [type('greeter-next'), [{ greeting: 'Hello' }]],
  [type('archive'), []],
  [type('archive-next'), []],
  [type('process'), [{ command: ['sleep', '1000'] }, { command: ['sleep', '2000'] }]],
  [type('statistics'), [{ everyMs: 60_000 }]],
];

/** What services of a type come to hold, once they run. */
export const resourcesOf = (name: ServiceTypeName): readonly (Omit<Held, 'kind'> & { readonly kind: ServiceTypeName })[] =>
  name.startsWith('archive')
    ? [
        { kind: type('database'), id: 'main', hold: 'exclusive' },
        { kind: type('tape'), id: 'A', hold: 'shared' },
      ]
    : [];
