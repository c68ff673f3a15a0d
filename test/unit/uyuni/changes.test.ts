import { describe, expect, it } from 'vitest';
import type { TakenChanges } from '../../../lib/uyuni/changes/changes.ts';
import { type ChangesReport, decideChanges } from '../../../lib/uyuni/changes/decide.ts';
import type { Change } from '../../../lib/uyuni/outbox/batch.ts';
import { aNode, at } from '../../../tools/support/builders.ts';

const of = aNode();
const report = (seq: number, changes: readonly Change[], source = 'source-of-node1'): ChangesReport => ({
  id: 'call-1',
  source,
  seq,
  changes,
  of,
});
const systems: Change = { kind: 'system', things: [[1_000_010_000, 'web1.acme.org'], [1_000_010_001]] };
const taken = (seq: number): TakenChanges => ({ zone: of.zone, source: 'source-of-node1', seq, at: at(0) });

/** The events of a decision, by type and data without what is of the node. */
function told(changes: readonly Change[]): object[] {
  const decision = decideChanges(undefined, report(1, changes), at(1));
  if (decision.does !== 'write') throw new Error(decision.because);
  return decision.events.map((event) => {
    const { node: _node, fqdn: _fqdn, zone: _zone, ...data } = event.data as Record<string, unknown>;
    return { type: event.type, ...data };
  });
}

describe('a report of what has changed on a server', () => {
  it('is taken once, by its number; numbers of another source begin anew', () => {
    expect(decideChanges(taken(7), report(8, [systems]), at(1))).toMatchObject({ does: 'write', next: { seq: 8, at: at(1) } });
    for (const seq of [7, 6]) expect(decideChanges(taken(7), report(seq, [systems]), at(1)).does).toBe('nothing');
    expect(decideChanges(taken(7), report(1, [systems], 'source-made-anew'), at(1))).toMatchObject({
      next: { source: 'source-made-anew', seq: 1 },
    });
  });

  it('says of systems and of content what has changed, each by number and name', () => {
    const bulk = [{ source: 'rhnchannelpackage', op: 'INSERT', count: 41_200, digest: '-44' }];
    expect(told([systems, { kind: 'channel', things: [[101, 'sles15']], bulk }])).toEqual([
      { type: 'system.changed', systems: [{ number: 1_000_010_000, name: 'web1.acme.org' }, { number: 1_000_010_001 }] },
      {
        type: 'content.changed',
        kind: 'channel',
        things: [{ number: 101, name: 'sles15' }],
        bulk: [{ table: 'rhnchannelpackage', op: 'INSERT', rows: 41_200, digest: '-44' }],
      },
    ]);
  });

  it('says that any of a kind may have changed, or anything, and why', () => {
    expect(told([{ kind: 'system' }, { kind: 'errata', why: 'a column is gone' }])).toEqual([
      { type: 'system.changed' },
      { type: 'content.changed', kind: 'errata', why: 'a column is gone' },
    ]);
    const why = 'this database is a copy, or was restored';
    expect(told([{ kind: 'everything', why }])).toEqual([
      { type: 'system.changed', why },
      { type: 'content.changed', why },
    ]);
  });

  it('is in events of a hundred things each', () => {
    const things = Array.from({ length: 250 }, (_, n): [number] => [n]);
    const events = told([{ kind: 'system', things }]) as { systems: object[] }[];
    expect(events.map((event) => event.systems.length)).toEqual([100, 100, 50]);
    expect(events.flatMap((event) => event.systems)).toEqual(things.map(([number]) => ({ number })));
  });
});
