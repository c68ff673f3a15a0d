import { describe, expect, it } from 'vitest';
import { desiredProcesses } from '../../../../lib/mero/processes/reads/told.ts';
import { goalOf } from '../../../../lib/mero/processes/rows/goal.ts';
import { aCluster, aMeroNode, aProcess, processTypes } from '../../../support/mero.ts';

const levels = [-1, 0, 1, 2, 3];
const goals = (type: keyof typeof processTypes) =>
  levels.map((level) => goalOf(aProcess({ type: processTypes[type] }), aCluster({ level }), aMeroNode()));

describe('what is wanted of a process', () => {
  it('is that it runs from its level on, and not below', () => {
    expect(goals('confd')).toEqual(['stop', 'run', 'run', 'run', 'run']);
    expect(goals('ios')).toEqual(['stop', 'stop', 'run', 'run', 'run']);
    expect(goals('m0t1fs')).toEqual(['stop', 'stop', 'stop', 'run', 'run']);
    expect(goals('s3server')).toEqual(['stop', 'stop', 'stop', 'stop', 'run']);
  });

  it('is that an application of its own is watched at any level, and nothing of the agent itself', () => {
    expect(goals('app')).toEqual(levels.map(() => 'watch'));
    expect(goals('halon')).toEqual(levels.map(() => undefined));
  });

  it('is that it does not run while it, its host or its place is to be none', () => {
    expect(goalOf(aProcess({ stopped: true }), aCluster(), aMeroNode())).toBe('stop');
    expect(goalOf(aProcess({ removing: true }), aCluster(), aMeroNode())).toBe('stop');
    expect(goalOf(aProcess(), aCluster(), aMeroNode({ stopped: true }))).toBe('stop');
  });
});

describe('what an agent is told of a process', () => {
  const told = (vars = {}) => desiredProcesses({ cluster: aCluster({ vars }), meroNode: aMeroNode(), processes: [aProcess()] });

  it('has the rule that starts it again where its cluster has another than the usual one', () => {
    expect(told()[0]).not.toHaveProperty('restart');
    const [other] = told({ process_max_start_attempts: 2, process_restart_retry_interval: 30 });
    expect(other).toMatchObject({ restart: { attemptsMax: 2, everyMs: 30_000 } });
  });
});
