import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fid } from '../../../../../lib/core/fid.ts';
import type { DesiredProcess } from '../../../../../lib/nodes/desired/desired.ts';
import type { HostReport, ProcessReport } from '../../../../../programs/agent/processes/state.ts';
import { aDesired, fids, PlayedHost, type Turn, turn } from './played.ts';

const managed = fids.map((process) => aDesired({ process }));
const [first, second, third] = managed as [DesiredProcess, DesiredProcess, DesiredProcess];
const mixed = [first, { ...second, goal: 'stop' as const }, { ...third, goal: 'watch' as const }];
const turns = fc.array(turn, { minLength: 40, maxLength: 160 });
const played = (wanted: readonly DesiredProcess[], all: readonly Turn[]): PlayedHost => {
  const host = new PlayedHost(wanted);
  for (const one of all) host.play(one);
  return host;
};

/** What Muster makes of the words about one process: whether each follows from the ones before. */
function follow(words: readonly HostReport[]): void {
  const is = new Map<Fid, 'idle' | 'starting' | 'online' | 'stopping' | 'failed'>();
  for (const word of words.filter((one): one is ProcessReport => one.type.startsWith('process.'))) {
    const { process } = word.data;
    const was = is.get(process) ?? 'idle';
    const after = {
      'process.starting': 'starting',
      'process.started': 'online',
      'process.stopping': 'stopping',
      'process.stopped': 'idle',
      'process.failed': 'failed',
    } as const;
    const from: readonly string[] = {
      'process.starting': ['idle', 'starting', 'online', 'stopping', 'failed'],
      'process.started': ['starting'],
      'process.stopping': ['starting', 'online'],
      'process.stopped': ['starting', 'online', 'stopping'],
      'process.failed': ['starting', 'online', 'stopping'],
    }[word.type];
    expect(from, `${word.type} of ${process}, word ${word.n}`).toContain(was);
    is.set(process, after[word.type]);
  }
}

describe('whatever happens to the processes of a host', () => {
  it('one thing at a time for each, one start for each order, also across a kill', () => {
    fc.assert(
      fc.property(turns, (all) => void played(mixed, all)),
      { seed: 61, numRuns: 300 },
    );
  });

  it('once it is quiet, the record is what runs, and what is wanted to stop does not run', () => {
    fc.assert(
      fc.property(turns, (all) => {
        const host = played(mixed, all);
        host.settle();
        const { recorded, running } = host.records();
        expect(recorded).toEqual(running);
        for (const { process, goal } of host.wanted.values()) if (goal === 'stop') expect(host.living.has(process)).toBe(false);
      }),
      { seed: 62, numRuns: 200 },
    );
  });

  it('when all are wanted to stop nothing is left, and when they are wanted to run again all run', () => {
    fc.assert(
      fc.property(turns, (all) => {
        const host = played(managed, all);
        for (const one of managed) host.wanted.set(one.process, { ...one, goal: 'stop' });
        host.tell();
        host.settle();
        expect(host.living.size).toBe(0);
        for (const one of managed) host.wanted.set(one.process, one);
        host.tell();
        host.settle();
        expect([...host.living.keys()].sort()).toEqual([...fids].sort());
      }),
      { seed: 63, numRuns: 100 },
    );
  });

  it('every word reaches Muster once, in order, and follows from the ones before', () => {
    fc.assert(
      fc.property(turns, (all) => {
        const host = played(mixed, all);
        host.settle();
        const numbers = host.accepted.map(({ n }) => n);
        expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
        expect(host.state.reports.out).toEqual([]);
        follow(host.accepted);
      }),
      { seed: 64, numRuns: 200 },
    );
  });

  it('an agent that is killed finds what runs, and neither starts nor stops it', () => {
    fc.assert(
      fc.property(turns, fc.nat({ max: 1 }), (all, pick) => {
        const host = played(managed, all);
        host.settle();
        const before = new Map(host.living);
        const said = host.accepted.length;
        host.crash(pick);
        host.settle();
        expect(host.living).toEqual(before);
        expect(host.accepted.slice(said)).toEqual([]);
      }),
      { seed: 65, numRuns: 100 },
    );
  });
});
