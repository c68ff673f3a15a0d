import { describe, expect, it } from 'vitest';
import { admittedNodes, type Deployment, decideDeployment, intervalOf } from '../../../lib/deployment/deployment.ts';

const admitted = (zone: string, nodes: number) => ({ type: 'admitted', id: 'a', zone, nodes }) as const;
const set = (beatMinMs?: number) => ({ type: 'set', id: 's', beatMinMs }) as const;
const deployment: Deployment = { admitted: { default: 40, other: 2 } };

describe('the deployment', () => {
  it('sums the admitted nodes of all its zones, each counted by itself', () => {
    expect(decideDeployment(undefined, admitted('default', 3))).toMatchObject({ does: 'write', next: { admitted: { default: 3 } } });
    expect(decideDeployment(deployment, admitted('other', 5))).toMatchObject({
      does: 'write',
      next: { admitted: { default: 40, other: 5 } },
    });
    expect([admittedNodes(deployment), admittedNodes(undefined)]).toEqual([42, 0]);
  });

  it('is not written for a count or a setting that it has already', () => {
    expect(decideDeployment(deployment, admitted('default', 40)).does).toBe('nothing');
    expect(decideDeployment({ ...deployment, beatMinMs: 1_000 }, set(1_000)).does).toBe('nothing');
    expect(decideDeployment(deployment, set()).does).toBe('nothing');
  });

  it('beats as fast as its host would, unless an operator set it', () => {
    expect(intervalOf(deployment, 10_000)).toBe(10_000);
    const decision = decideDeployment(deployment, set(2_000));
    expect(decision).toMatchObject({ does: 'write', next: { ...deployment, beatMinMs: 2_000 } });
    expect(intervalOf(decision.does === 'write' ? decision.next : undefined, 10_000)).toBe(2_000);
    expect(intervalOf(undefined, 1_000)).toBe(1_000);
  });

  it('slows down with its nodes: 50 heartbeats a second in all', () => {
    expect(intervalOf({ admitted: { a: 600, b: 400 } }, 1_000)).toBe(20_000);
    expect(intervalOf({ admitted: { a: 1_000_000 } }, 1_000)).toBe(300_000);
  });
});
