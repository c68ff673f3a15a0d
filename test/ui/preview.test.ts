import { describe, expect, it } from 'vitest';
import { changing, isSame, type Outcome } from '../../ui/preview/preview.ts';

const node = (name: string, before: number, after: number) =>
  ({
    ...{ index: 1, node: name, fqdn: `${name}.acme.org`, standing: 'up' },
    slots: { before, after },
    systemsAbout: { before: before * 2, after: after * 2 },
  }) as unknown as Outcome['nodes'][number];

/** What would happen if node2 were dropped: its slots go to two others. */
function anOutcome(given: Partial<Outcome> = {}): Outcome {
  return {
    ...{ zone: 'emea', what: 'drop node2.acme.org', mapVersion: 7, slots: 1_024 },
    moved: { slots: 20, systemsAbout: 40, nodes: 2 },
    waiting: { slots: 0, systemsAbout: 0 },
    others: [],
    nodes: [node('node1', 10, 20), node('node2', 20, 0), node('node3', 10, 20), node('node4', 10, 10)],
    guards: [],
    forecast: { because: 'at once' },
    because: ['it is dropped'],
    isComplete: true,
    moves: '',
    ...given,
  } as Outcome;
}

describe('what would happen', () => {
  it('is the same while the time goes on, client systems are counted anew, and slots of others move', () => {
    const later = anOutcome({
      mapVersion: 9,
      moved: { slots: 20, systemsAbout: 43, nodes: 2 },
      nodes: [node('node3', 12, 22), node('node1', 10, 20), node('node2', 20, 0), node('node4', 8, 8)],
      forecast: { because: 'at once', movedAt: '2026-01-01T00:00:00.000Z' },
      because: ['it is dropped, for another reason'],
    });
    expect(isSame(anOutcome(), later)).toBe(true);
  });

  it('is another when slots go elsewhere, more of them move or wait, or another rule would hold it', () => {
    const others: readonly Partial<Outcome>[] = [
      { nodes: [node('node1', 10, 30), node('node2', 20, 0), node('node3', 10, 10)] },
      { moved: { slots: 21, systemsAbout: 40, nodes: 2 } },
      { waiting: { slots: 3, systemsAbout: 6 } },
      { guards: [{ rule: 6, because: 'half of the zone is silent' }] },
      { isComplete: false },
      { stations: { stations: 3, needed: 2, heard: 1, isQuorate: false } },
    ];
    for (const given of others) expect(isSame(anOutcome(), anOutcome(given)), JSON.stringify(given)).toBe(false);
  });

  it('is shown by the nodes that change, the ones that it is about first, then by how much they get', () => {
    const { shown, same } = changing([node('node10', 10, 11), node('node9', 10, 11), ...anOutcome().nodes], ['node2']);
    expect(shown.map((one) => one.node)).toEqual(['node2', 'node1', 'node3', 'node9', 'node10']);
    expect(same).toBe(1);
  });
});
