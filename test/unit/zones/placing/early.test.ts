import { describe, expect, it } from 'vitest';
import { secondMs } from '../../../../lib/core/time.ts';
import { applyGuardrails } from '../../../../lib/zones/guardrails/braking.ts';
import type { Seen } from '../../../../lib/zones/guardrails/silence.ts';
import { at, nodeFqdn, nodeId } from '../../../../tools/support/builders.ts';

const leaseMs = 38 * secondMs;

/** A member that was last heard so many seconds after noon. */
const seen = (n: number, heardS: number, given: Partial<Seen> = {}): Seen => ({
  id: nodeId(n),
  fqdn: nodeFqdn(n),
  status: 'up',
  heardAt: at(heardS),
  leaseMs,
  leaseUntil: at(heardS + 38),
  isExcused: false,
  isCandidate: false,
  ...given,
});
/** The first of twenty, whose clients say that they do not reach it: suspect, and its lease has not run out. */
const missed = seen(1, 0, { status: 'suspect', isCandidate: true });
const holds = (others: readonly Seen[], seconds = 20) =>
  applyGuardrails({ name: 'default', brakes: {} }, { seen: [missed, ...others], leaseMs }, at(seconds), {}).holds;
const beating = (count: number, first = 2) => Array.from({ length: count }, (_, n) => seen(first + n, 15));

describe('a node that is missed by its clients before its lease has run out', () => {
  it('is given up when the others are heard', () => {
    expect(holds(beating(19)).size).toBe(0);
  });

  it('is given up while one in twenty is overdue as well', () => {
    expect(holds([seen(2, 5), ...beating(18, 3)]).size).toBe(0);
  });

  it('keeps its lease while more are overdue: it may be us who do not hear', () => {
    const others = [seen(2, 5), seen(3, 5), ...beating(17, 4)];

    expect(holds(others).get(nodeId(1))).toBe(
      `held suspect by rule 4: its clients do not reach it, but 2 others are overdue as well; its lease lasts until ${new Date(at(38)).toISOString()}`,
    );
    expect(
      holds(
        others.map((one) => ({ ...one, heardAt: at(35) })),
        38,
      ).size,
    ).toBe(0);
  });

  it('is held by rule 5 as any other while we may have slept, and alone in its zone by rule 7', () => {
    const graced = applyGuardrails({ name: 'default', brakes: {} }, { seen: [missed, ...beating(19)], leaseMs }, at(20), {
      graceUntil: at(40),
    });

    expect(graced.holds.get(nodeId(1))).toContain('rule 5');
    expect(holds([]).get(nodeId(1))).toContain('rule 7');
  });
});
