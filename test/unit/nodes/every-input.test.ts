import { describe, expect, it } from 'vitest';
import { decide } from '../../../lib/nodes/decide.ts';
import { moves, type Node, type NodeStatus } from '../../../lib/nodes/node.ts';
import { aNode, at, fpOf } from '../../../tools/support/builders.ts';
import { aBeat, aJoin, aNodeUp, drop, hasReleased, isLeaving, isReady, leave, remove, stay, takeBack, tick } from './reports.ts';

const statuses = ['absent', 'waiting', 'joining', 'up', 'suspect', 'down', 'leaving', 'dropped', 'quarantined'] as const;

/** Twice booted, so that an earlier boot can speak again; those that never said node-up have no boot. */
const nodeIn = (status: NodeStatus): Node => {
  const boot = { id: 'boot-bbbb', kernel: 'kernel-1', receivedAt: at(0), before: 'boot-aaaa', again: true as const };
  return status === 'absent' || status === 'waiting' ? aNode({ status }) : aNode({ status, boot });
};

const inputs = {
  'node-up of a new boot': aNodeUp({ boot: 'boot-cccc' }),
  'node-up of a new boot, flushed': aNodeUp({ boot: 'boot-cccc', flushed: 1 }),
  'node-up of a new boot, flushed before': aNodeUp({ boot: 'boot-cccc', flushed: 0 }),
  'node-up of the acknowledged boot': aNodeUp({ boot: 'boot-bbbb' }),
  'node-up of the boot before': aNodeUp({ boot: 'boot-aaaa' }),
  'node-up older than its lease': aNodeUp({ boot: 'boot-cccc', receivedAt: at(1), intervalMs: 1_000 }),
  'node-up from before the boot': aNodeUp({ boot: 'boot-aaaa', receivedAt: at(-1) }),
  heartbeat: aBeat(),
  'heartbeat older than its lease': aBeat({ receivedAt: at(-30) }),
  'heartbeat of another incarnation': aBeat({ incarnation: 2 }),
  'heartbeat already counted': aBeat({ seq: 0 }),
  ready: isReady(),
  'leaving (drain)': isLeaving('drain'),
  'leaving (hold)': isLeaving('hold'),
  released: hasReleased(7),
  join: aJoin,
  'order to drain': leave('drain'),
  'order to stay': stay,
  'order to drop': drop,
  'order to remove': remove,
  'order to take back': takeBack,
  edit: { type: 'edit', id: 'edit-1', weight: 2 },
  'miss by a client': { type: 'miss', id: 'miss-1', system: fpOf('web1'), network: '192.0.2.0/24', generation: 1, at: at(5) },
  'miss of before its last word': { type: 'miss', id: 'miss-1', system: fpOf('web1'), network: '192.0.2.0/24', generation: 1, at: at(0) },
  'tick within the lease': tick,
} as const;

/**
 * The status each input leads to, by the status before; a dash is a decision to write nothing, `removed` one to remove
 * its row.
 */
const expected = `
                                      absent   waiting  joining      up           suspect      down  leaving      dropped  quarantined
node-up of a new boot                 joining -        joining      up           up           down  leaving      -        quarantined
node-up of a new boot, flushed        joining -        joining      up           up           down  leaving      joining  quarantined
node-up of a new boot, flushed before joining -        joining      up           up           down  leaving      -        quarantined
node-up of the acknowledged boot      joining -        -            -            up           down  -            -        -
node-up of the boot before            joining -        quarantined  quarantined  quarantined  down  quarantined  -        quarantined
node-up older than its lease          -        -        -            -            -            -     -            -        -
node-up from before the boot          joining -        -            -            -            -     -            -        -
heartbeat                             -        -        joining      up           up           -     leaving      -        quarantined
heartbeat older than its lease        -        -        -            -            -            -     -            -        -
heartbeat of another incarnation      -        -        -            -            -            -     -            -        -
heartbeat already counted             -        -        -            -            -            -     -            -        -
ready                                 -        -        up           -            -            -     -            -        -
leaving (drain)                       -        -        joining      leaving      leaving      down  leaving      dropped  quarantined
leaving (hold)                        -        -        joining      leaving      leaving      down  leaving      dropped  quarantined
released                              -        -        -            -            -            -     leaving      -        -
join                                  -        -        -            -            -            -     -            -        -
order to drain                        -        -        -            leaving      leaving      -     -            -        -
order to stay                         -        -        -            -            -            -     up           -        up
order to drop                         removed  removed  joining      up           suspect      down  leaving      -        quarantined
order to remove                       removed  removed  joining      up           suspect      down  leaving      dropped  quarantined
order to take back                    -        -        -            -            -            -     -            -        -
edit                                  absent   waiting  joining      up           suspect      down  leaving      dropped  quarantined
miss by a client                      -        -        joining      up           -            -     leaving      -        -
miss of before its last word          -        -        -            -            -            -     -            -        -
tick within the lease                 -        -        -            -            -            -     -            -        -
`;

const cells = expected
  .split('\n')
  .filter((line) => line.trim() !== '' && !line.startsWith(' '))
  .map((line) => ({ name: line.slice(0, 38).trim() as keyof typeof inputs, after: line.slice(38).trim().split(/\s+/) }))
  .flatMap(({ name, after }) => statuses.map((status, n) => ({ name, status, after: after[n]! })));

describe('every status meets every input', () => {
  it('in this table', () => {
    expect(new Set(cells.map((cell) => cell.name))).toEqual(new Set(Object.keys(inputs)));
    expect(cells).toHaveLength(Object.keys(inputs).length * statuses.length);
  });

  it.each(cells)('$status, $name → $after', ({ name, status, after }) => {
    const decision = decide(nodeIn(status), inputs[name], at(10));

    expect({ write: 'next' in decision && decision.next.status, nothing: '-', remove: 'removed' }[decision.does]).toBe(after);
    if (decision.does === 'write' && after !== status) expect(moves.decide[status]).toContain(after);
  });

  it('waiting, node-up while a majority of its stations is heard → joining', () => {
    const decision = decide(nodeIn('waiting'), inputs['node-up of a new boot'], at(10), { isQuorate: true });
    expect('next' in decision && decision.next.status).toBe('joining');
  });

  it.each([
    { status: 'joining', after: 'suspect' },
    { status: 'up', after: 'suspect' },
    { status: 'leaving', after: 'suspect' },
    { status: 'quarantined', after: 'suspect' },
    { status: 'absent', after: '-' },
    { status: 'waiting', after: '-' },
    { status: 'suspect', after: '-' },
    { status: 'down', after: '-' },
    { status: 'dropped', after: '-' },
  ] as const)('$status, a tick after its lease → $after', ({ status, after }) => {
    const decision = decide(nodeIn(status), tick, at(38));

    expect(decision.does === 'write' ? decision.next.status : '-').toBe(after);
  });

  it.each(Object.entries(inputs).filter(([name]) => name !== 'join'))('a node that never joined, %s → nothing', (_name, input) => {
    expect(decide(undefined, input, at(10)).does).toBe('nothing');
  });

  it('a key that never joined, join → absent', () => {
    expect(decide(undefined, aJoin, at(10))).toMatchObject({ does: 'write', next: { status: 'absent', incarnation: 0, generation: 0 } });
  });
});
