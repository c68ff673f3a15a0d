import { describe, expect, it } from 'vitest';
import { fidOf } from '../../../../lib/core/fid.ts';
import { planRemoval, removedAtOnce } from '../../../../lib/mero/processes/plan-remove.ts';
import type { MeroProcess } from '../../../../lib/mero/processes/process.ts';
import { at, noon } from '../../../../tools/support/builders.ts';
import { aMeroNode, aProcess } from './some.ts';

const online = { is: 'online' } as const;
const many = (n: number, process: MeroProcess): MeroProcess[] =>
  Array.from({ length: n }, (_, i) => ({ ...process, fid: fidOf('process', 100 + i), endpoint: `10.0.0.1@tcp:12345:41:${400 + i}` }));
const step = (processes: readonly MeroProcess[], more = {}, now = noon, also: readonly string[] = []) =>
  planRemoval(aMeroNode(processes, more), processes, { now, also });
const nouns = ({ rows }: ReturnType<typeof planRemoval>): string[] => rows.map(({ ref, decision }) => `${decision.does} ${ref.noun}`);

describe('what an operator removes', () => {
  it('goes with its endpoint and its devices once it has ended, and its node goes on without it', () => {
    const process = aProcess('storage', { is: 'offline' }, { devices: 2, removing: true });
    const other = aProcess('mds', online, { fid: fidOf('process', 77) });

    const one = step([process, other]);

    expect(nouns(one)).toEqual(['remove process', 'remove endpoint', 'remove devices', 'write mero-node']);
    expect(one.rows.at(-1)!.decision).toMatchObject({ next: { processes: [other.fid] } });
    expect(one.goesOn).toBe(false);
  });

  it('stays while it stops, and is failed and gone when it has not stopped in time (reference 34)', () => {
    const process = aProcess('storage', online, { removing: true, removeBy: at(600) });

    expect(step([process], {}, at(599))).toMatchObject({ removed: [], rows: [], goesOn: true });
    const late = step([process], {}, at(600));
    expect(late.rows[0]!.decision).toMatchObject({
      does: 'remove',
      last: { state: { is: 'failed', reason: 'stop timeout' } },
      events: [{ type: 'process.failed', data: { reason: 'stop timeout', retry: false } }, { type: 'process.removed' }],
    });
  });

  it('is nothing that nobody removes', () => {
    expect(step([aProcess('storage')])).toMatchObject({ removed: [], rows: [], nodeGoes: false, goesOn: false });
    const offline = aProcess('storage');
    expect(step([offline], {}, noon, [offline.fid]).removed).toEqual([offline]);
  });
});

describe('a node that an operator removes', () => {
  const removing = { stopped: true as const, removing: { host: true, by: at(600) } };

  it('goes with the last of its processes, and Halon’s own goes with them', () => {
    const one = step([aProcess('ha', { is: 'unknown' }, { fid: fidOf('process', 9) }), aProcess('storage')], removing);

    expect(one).toMatchObject({ nodeGoes: true, host: true, goesOn: false });
    expect(one.rows.at(-1)).toMatchObject({
      ref: { noun: 'mero-node' },
      decision: { does: 'remove', events: [{ type: 'cluster.node-removed' }] },
    });
  });

  it('waits for what still runs, until it counts as failed; what is unmanaged is waited for without end', () => {
    expect(step([aProcess('storage', online)], removing)).toMatchObject({ nodeGoes: false, goesOn: true });
    expect(step([aProcess('storage', online)], removing, at(600))).toMatchObject({ nodeGoes: true });
    expect(step([aProcess('clovis-app', online)], removing, at(9_999))).toMatchObject({ nodeGoes: false, goesOn: true });
  });

  it('goes in steps that each fit into a commit', () => {
    let left = many(removedAtOnce * 2 + 5, aProcess('storage', { is: 'offline' }, { devices: 1 }));
    const steps: number[] = [];
    for (let goesOn = true; goesOn; ) {
      const one = step(left, removing);
      expect(one.rows.length).toBeLessThanOrEqual(95);
      steps.push(one.removed.length);
      left = left.filter((process) => !one.removed.includes(process));
      goesOn = one.goesOn;
    }
    expect(steps).toEqual([30, 30, 5]);
  });
});
