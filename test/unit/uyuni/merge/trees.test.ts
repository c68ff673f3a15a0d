import { describe, expect, it } from 'vitest';
import { methods } from '../../../../lib/uyuni/api/methods.ts';
import { returns } from '../../../../lib/uyuni/api/returns.ts';
import { collectAnswers } from '../../../../lib/uyuni/merge/collect.ts';
import { type MaybeDuplicate, mergeDuplicates, mergeValues, NotMergeable } from '../../../../lib/uyuni/merge/trees.ts';
import type { Value } from '../../../../lib/uyuni/xml-rpc/value.ts';
import { faultText, responseText } from '../../../../lib/uyuni/xml-rpc/write.ts';
import { answers, documentOf, hangs } from './documents.ts';

/** The values of several servers merged as the answers of a method are. */
const mergeOf = (method: string, ...values: readonly Value[]): Value => mergeValues(returns.get(method)!.merge!, values);

describe('what methods return', () => {
  it('is known of every method that is read on all servers', () => {
    const fanned = [...methods].filter(([, forms]) => forms.some(({ routing }) => routing === 'FM')).map(([name]) => name);
    expect(fanned.filter((name) => returns.get(name)?.merge === undefined)).toEqual([]);
    expect([...returns.keys()].filter((name) => !methods.has(name))).toEqual([]);
    expect(returns.get('system.listSystems')).toEqual({ ids: [{ kind: 'system', path: '[].id' }], merge: { how: 'concat' } });
    expect(returns.get('org.getDetails')).toEqual({ ids: [], merge: { how: 'struct', sums: ['systems'] } });
    expect(returns.get('schedule.listFailedActions')).toEqual({
      ids: [{ kind: 'action', path: '[].id' }],
      merge: { how: 'keyed', key: 'id', sums: ['completedSystems', 'failedSystems', 'inProgressSystems'] },
    });
    expect(returns.get('system.schedulePackageInstall')?.ids).toEqual([
      { kind: 'action', path: '' },
      { kind: 'action', path: '[]' },
    ]);
  });

  it('has the id of a system in every list of systems by number', () => {
    const without = [...returns].filter(
      ([name, { ids, merge }]) => /\.list\w*Systems$/.test(name) && merge?.how === 'concat' && !ids.some(({ kind }) => kind === 'system'),
    );
    expect(without).toEqual([]);
  });
});

describe('answers that are merged as trees', () => {
  it('are one entry by key, with counters summed, in the order of the first server', () => {
    const channels = (...of: [string, number][]): Value => of.map(([label, systems]) => ({ label, packages: 10, systems }));
    expect(mergeOf('channel.listAllChannels', channels(['b', 1], ['a', 2]), channels(['a', 5], ['c', 7], ['b', 0]))).toEqual(
      channels(['b', 1], ['a', 7], ['c', 7]),
    );
    expect(mergeOf('systemgroup.getDetails', { name: 'web', system_count: 3 }, { name: 'web', system_count: 4 })).toEqual({
      name: 'web',
      system_count: 7,
    });
    expect(mergeOf('channel.listSoftwareChannels', [{ label: 'a' }], [{ label: 'a' }])).toEqual([{ label: 'a' }]);
    expect(mergeOf('org.getDetails', { name: 'x' }, { name: 'x', systems: 2 })).toEqual({ name: 'x', systems: 2 });
  });

  it('are all members of maps, and each text of lists once', () => {
    expect(mergeOf('system.getMinionIdMap', { a: 1, ['__proto__']: 5 }, { b: 2, a: 9 })).toEqual({ a: 1, b: 2, ['__proto__']: 5 });
    expect(mergeOf('saltkey.pendingList', ['b', 'a'], ['a', 'C'])).toEqual(['C', 'a', 'b']);
    expect(mergeOf('saltkey.acceptedList', ['b'], ['a'])).toEqual(['b', 'a']);
  });

  it('are groups of duplicates over all servers', () => {
    const system = (systemId: number) => ({ systemId, systemName: `s${systemId}` });
    const first = [{ ip: '10.0.0.1', systems: [system(1), system(2)] }];
    const second = [{ ip: '10.0.0.1', systems: [system(2), system(3)] }];
    expect(mergeOf('system.listDuplicatesByIp', first, second)).toEqual([{ ip: '10.0.0.1', systems: [system(1), system(2), system(3)] }]);
    const others: MaybeDuplicate[] = ['10.0.0.1', '10.0.0.2', '10.0.0.2', '10.0.0.3'].map((key, at) => ({ key, system: system(at + 3) }));
    expect(mergeDuplicates([first, []], { key: 'ip' }, others)).toEqual([
      { ip: '10.0.0.1', systems: [system(1), system(2), system(3)] },
      { ip: '10.0.0.2', systems: [system(4), system(5)] },
    ]);
  });

  it('are not what the method is documented to return: that is said', () => {
    for (const [method, value] of [
      ['channel.listAllChannels', { label: 'a' }],
      ['channel.listAllChannels', [{ name: 'a' }]],
      ['org.getDetails', []],
      ['saltkey.pendingList', [{}]],
    ] as const)
      expect(() => mergeOf(method, value)).toThrow(NotMergeable);
    expect(() => mergeOf('org.getDetails', { systems: 1 }, { systems: 'many' })).toThrow('systems is not a number');
  });
});

describe('answers that are collected', () => {
  it('come with the ids of the cluster, and lose a node alone that fails', async () => {
    const late = new AbortController();
    setImmediate(() => late.abort());
    const { answers: found, ends } = await collectAnswers(
      [
        answers('a', [responseText({ web1: 5, web2: 6 })], { clusterIdOf: (_, localId) => localId + 100 }),
        answers('fault', [faultText({ code: -23, text: 'no right' })]),
        answers('large', [responseText('x'.repeat(3_000))]),
        answers('number', [documentOf('<value><i8>9223372036854775807</i8></value>')]),
        answers('unknown', [responseText({ web3: 7 })], { clusterIdOf: () => undefined }),
        hangs('hangs', documentOf('<value><i4>1</i4></value>').slice(0, -60), { deadline: { signal: late.signal } }),
      ],
      { ids: returns.get('system.getMinionIdMap')!.ids, limits: { treeBytesMax: 2_000 } },
    );
    expect(found).toEqual([{ node: 'a', value: { web1: 105, web2: 106 } }]);
    expect(ends.map((end) => (end.ok ? 'ok' : `${end.code} ${end.elements}`))).toEqual([
      'ok',
      'fault 0',
      'too-large 0',
      'malformed 0',
      'unknown-id 0',
      'deadline 0',
    ]);
  });
});
