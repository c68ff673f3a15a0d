import { expect, it } from 'vitest';
import type { EpochMs } from '../../lib/core/time.ts';
import { keyOf } from '../../lib/ports/table/keys.ts';
import { allOf, type Committed, isMark } from './watching.ts';

const wrote = (noun: string, id: string): Committed => {
  const at = 0 as EpochMs;
  const after = { key: keyOf({ noun, id }), rev: 1, body: {}, at, by: 'x', because: 'x', events: [], eventSeq: 0 };
  return { at, by: 'door-1', before: undefined, after };
};

it('knows the rows that say only that something was done', () => {
  const nouns: readonly [string, string][] = [
    ['nonce', 'k/n'],
    ['idempotency', 'who/key'],
    ['history', 'client:c1/1'],
    ['journal', 'default/1'],
    ['journal-end', 'default'],
    ['sweep', ''],
    ['deployment', ''],
    ['node', 'n1'],
    ['client', 'c1'],
  ];
  expect(nouns.filter(([noun, id]) => isMark(wrote(noun, id).after.key)).map(([noun]) => noun)).toEqual([
    'nonce',
    'idempotency',
    'history',
    'journal',
    'journal-end',
    'sweep',
  ]);
});

it('tells of marks alone whoever heeds them, and everybody of a commit that has anything else', () => {
  const heard: string[] = [];
  const watch = allOf([
    { committed: (changes) => void heard.push(`one ${changes.length}`) },
    { heedsMarks: true, committed: (changes) => void heard.push(`two ${changes.length}`) },
  ]);
  watch.committed([wrote('nonce', 'k/n')]);
  watch.committed([wrote('nonce', 'k/n'), wrote('client', 'c1')]);
  expect(heard).toEqual(['two 1', 'one 2', 'two 2']);
});
