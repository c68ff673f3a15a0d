import { describe, expect, it } from 'vitest';
import type { Court } from './invariants/invariant.ts';
import { copiedKeys } from './invariants/nodes/copied-keys.ts';
import type { Committed, Sent } from './watching.ts';

const startedAt = 1_000_000;
const saidAt = startedAt + 60_000;
const node = { id: 'n1', status: 'suspect', boot: { id: 'boot-2', before: 'boot-1', receivedAt: startedAt }, heardAt: startedAt };

/** What is said when node-ups of the boot before come in one after another, and nothing comes of them. */
function saidOf(ups: readonly { readonly id: string; readonly seq?: number }[]): string[] {
  const said: string[] = [];
  const watcher = copiedKeys.begin({ kernel: { now: saidAt }, violated: (what: string) => said.push(what) } as unknown as Court);
  watcher.committed!([{ at: startedAt, after: { key: { pk: 'node#n1', sk: 'node' }, by: 'up', body: node } }] as unknown as Committed[]);
  for (const { id, seq } of ups) {
    const vouched = seq === undefined ? {} : { seq, vouched: { by: 'key:1', zone: 'lent' } };
    const up = { id, type: 'node.up', node: 'n1', receivedAt: saidAt, intervalMs: 10_000, data: { boot: { id: 'boot-1' } }, ...vouched };
    watcher.sent!({ queue: 'reports', id, body: JSON.stringify(up), via: 'door' } as unknown as Sent);
    watcher.logged!('reports-1', 'report.applied', { id, type: 'node.up', row: 'node n1', does: 'nothing', because: 'for a reason' });
  }
  return said;
}

const violation = ['n1: boot boot-1, which boot-2 followed, has spoken 4 times in vain'];

describe('a boot that was succeeded, and speaks in vain', () => {
  it('is a violation when its agent does, again and again', () => {
    expect(saidOf([1, 2, 3].map((i) => ({ id: `up-${i}` })))).toEqual([]);
    expect(saidOf([1, 2, 3, 4].map((i) => ({ id: `up-${i}` })))).toEqual(violation);
    expect(saidOf([1, 2, 3, 4].map(() => ({ id: 'up-1' })))).toEqual(violation);
  });

  it('is one when whoever vouches for it says so anew each time', () => {
    expect(saidOf([1, 2, 3, 4].map((seq) => ({ id: `up-${seq}`, seq })))).toEqual(violation);
  });

  it('is none when whoever vouches for it sends the same again, or what is older', () => {
    expect(saidOf([9, 9, 9, 9, 9].map((seq) => ({ id: `up-${seq}`, seq })))).toEqual([]);
    expect(saidOf([9, 8, 7, 6, 5].map((seq) => ({ id: `up-${seq}`, seq })))).toEqual([]);
  });
});
