import { describe, expect, it } from 'vitest';
import { methods, type Signature } from '../../../../lib/uyuni/api/methods.ts';
import { returns } from '../../../../lib/uyuni/api/returns.ts';
import { nameOf } from '../../../../lib/uyuni/gateway/call.ts';
import { Circuits } from '../../../../lib/uyuni/gateway/circuits.ts';
import { directoryOf } from '../../../../lib/uyuni/gateway/directory.ts';
import { formOf } from '../../../../lib/uyuni/gateway/forms.ts';
import { counts, numberOf } from '../../../../lib/uyuni/gateway/numbers.ts';
import { routeOf, routeOfUnknown } from '../../../../lib/uyuni/gateway/route.ts';
import { intOf, type Typed } from '../../../../lib/uyuni/gateway/typed.ts';

const forms = [...methods].flatMap(([name, all]) => all.map((form) => ({ name, form, route: routeOf(name, form) })));
const text = (value: string): Typed => ({ type: 'string', text: value });
const list = (...items: readonly Typed[]): Typed => ({ type: 'array', items });
const formsOf = (name: string): readonly Signature[] => methods.get(name) ?? [];

describe('the routes of all forms', () => {
  it('are these many', () => {
    const count: Record<string, number> = {};
    for (const { route } of forms) count[route.to] = (count[route.to] ?? 0) + 1;
    expect(count).toMatchInlineSnapshot(`
      {
        "actions": 9,
        "all": 69,
        "any": 183,
        "gateway": 3,
        "home": 181,
        "refused": 194,
        "seat": 274,
        "split": 35,
      }
    `);
  });

  it('lead to the server of a system only with its number', () => {
    const without = forms.filter(({ form, route }) => (route.to === 'home' || route.to === 'split') && !counts(form, 'system'));
    expect(without.map(({ name }) => name)).toEqual([]);
  });

  it('never pass on a number of common content, which counts something else on each server', () => {
    const passed = forms.filter(({ form, route }) => route.to !== 'refused' && counts(form, 'content'));
    expect(passed.map(({ name }) => name)).toEqual([]);
  });

  it('never pass on a number of something that a system has, without the system', () => {
    const passed = forms.filter(({ form, route }) => route.to !== 'refused' && counts(form, 'of-system') && !counts(form, 'system'));
    expect(passed.map(({ name }) => name)).toEqual([]);
  });

  it('never pass on the number of an action, which counts another on each server, but to the servers of its parts', () => {
    const passed = forms.filter(({ form, route }) => counts(form, 'action') && !['actions', 'refused'].includes(route.to));
    expect([...new Set(passed.map(({ name }) => name))]).toEqual(['schedule.failSystemAction']);
  });

  it('ask all servers only where it is known how their answers become one', () => {
    expect(forms.filter(({ name, route }) => route.to === 'all' && returns.get(name)?.merge === undefined).map(({ name }) => name)).toEqual(
      [],
    );
  });

  it('never write common content but at the seat', () => {
    const written = forms.filter(({ form, route }) => form.routing === 'CW' && !form.reads && !['seat', 'refused'].includes(route.to));
    // These only read, by what is known of them beside the table.
    expect([...new Set(written.map(({ name }) => name))].every((name) => /\.(check|compare|get|list)/.test(name))).toBe(true);
  });

  it('of unknown methods lead to one server only if they read, and not about systems', () => {
    expect(routeOfUnknown('image.listNew', false)).toEqual({ to: 'any' });
    for (const [name, hasNumbers] of [
      ['image.listNew', true],
      ['image.makeNew', false],
      ['system.listNew', false],
      ['system.search.newField', false],
    ] as const)
      expect(routeOfUnknown(name, hasNumbers).to, name).toBe('refused');
  });
});

describe('numbers in calls', () => {
  it.each([
    ['sid', 'int', 'system'],
    ['serverIds', 'array<int>', 'system'],
    ['eid', 'int', 'of-system'],
    ['actionIds', 'array<int>', 'action'],
    ['packageIds', 'array<int>', 'content'],
    ['somethingNew', 'int', 'content'],
    ['details', 'struct{entity_id:int, name:string}', 'content'],
    ['timeout', 'int', 'amount'],
    ['label', 'string', undefined],
    ['details', 'struct{name:string}', undefined],
  ] as const)('%s: %s counts %s', (name, type, what) => {
    expect(numberOf({ name, type })).toBe(what);
  });
});

describe('the form that a call means', () => {
  it('goes by the number of arguments, then by their types', () => {
    expect(formOf(formsOf('system.deleteSystems'), [list(intOf(1))])?.params).toHaveLength(1);
    expect(formOf(formsOf('org.getDetails'), [intOf(1)])?.params[0]?.type).toBe('int');
    expect(formOf(formsOf('org.getDetails'), [text('1')])?.params[0]?.type).toBe('string');
    expect(formOf(formsOf('system.getRelevantErrata'), [list(intOf(1))])?.params[0]?.type).toBe('array<int>');
  });
  it('takes what a server converts, if only one form remains', () => {
    expect(formOf(formsOf('system.getDetails'), [text('1000010000')])?.params[0]?.name).toBe('sid');
    expect(formOf(formsOf('system.getDetails'), [text('web1')])).toBeUndefined();
    expect(formOf(formsOf('system.getDetails'), [])).toBeUndefined();
  });
  it('finds names with underscores as servers do', () => {
    expect([nameOf('packages.list_dependencies'), nameOf('system.search.name_and_description'), nameOf('plain')]).toEqual([
      'packages.listDependencies',
      'system.search.nameAndDescription',
      'plain',
    ]);
  });
});

describe('a circuit', () => {
  it('opens after failures in a row, lets one call try after a while, and closes when that succeeds', () => {
    let now = 0;
    const circuits = new Circuits(() => now, { failures: 2, openMs: 10 });
    circuits.failed('a');
    circuits.succeeded('a');
    circuits.failed('a');
    expect(circuits.mayCall('a')).toBe(true);
    circuits.failed('a');
    expect([circuits.mayCall('a'), circuits.isClosed('a'), circuits.mayCall('b')]).toEqual([false, false, true]);
    now = 10;
    expect([circuits.mayCall('a'), circuits.mayCall('a')]).toEqual([true, false]);
    circuits.failed('a');
    now = 19;
    expect(circuits.mayCall('a')).toBe(false);
    now = 20;
    expect(circuits.mayCall('a')).toBe(true);
    circuits.succeeded('a');
    expect([circuits.mayCall('a'), circuits.mayCall('a')]).toEqual([true, true]);
  });

  it('lets the next call try when one has ended that tells nothing', () => {
    let now = 0;
    const circuits = new Circuits(() => now, { failures: 1, openMs: 10 });
    circuits.failed('a');
    circuits.unsettled('a');
    expect(circuits.mayCall('a')).toBe(false);
    now = 10;
    expect([circuits.mayCall('a'), circuits.mayCall('a')]).toEqual([true, false]);
    circuits.unsettled('a');
    expect([circuits.mayCall('a'), circuits.mayCall('a')]).toEqual([true, false]);
  });
});

describe('a directory', () => {
  const node = (name: string) => ({ name, url: `https://${name}`, isUp: true, isInSync: true });
  it('translates both ways, and refuses ids that two systems have', () => {
    const directory = directoryOf(
      [node('b'), node('a')],
      [
        [7, 'a', 1],
        [8, 'b', 1],
      ],
    );
    expect(directory.nodes().map(({ name }) => name)).toEqual(['a', 'b']);
    expect([directory.homeOf(8), directory.clusterIdOf('a', 1), directory.clusterIdOf('a', 2), directory.homeOf(9)]).toEqual([
      { node: 'b', localId: 1 },
      7,
      undefined,
      undefined,
    ]);
    expect(() =>
      directoryOf(
        [node('a')],
        [
          [7, 'a', 1],
          [7, 'a', 2],
        ],
      ),
    ).toThrow('two systems have the cluster id 7');
    expect(() =>
      directoryOf(
        [node('a')],
        [
          [7, 'a', 1],
          [8, 'a', 1],
        ],
      ),
    ).toThrow('two systems of a have the number 1');
    expect(() => directoryOf([node('a')], [[7, 'c', 1]])).toThrow('which is no node');
  });
});
