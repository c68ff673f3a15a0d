import { at, type Examples, fqdn, id } from './example.ts';

/** What happens when one of two nodes is dropped. */
export const previewExamples: Examples = {
  zoneMap: {
    reply: {
      zone: 'default',
      version: 17,
      slots: 1_024,
      countedAt: at,
      nodes: [{ index: 6, node: id, fqdn, standing: 'up', generation: 1, weight: 1, systemsAbout: 101 }],
      moves: 'BQAAAAYABgA=',
    },
  },
  previewZone: {
    reply: {
      zone: 'default',
      what: 'drop node3.acme.org',
      mapVersion: 17,
      slots: 1_024,
      moved: { slots: 1, systemsAbout: 2, nodes: 1 },
      waiting: { slots: 0, systemsAbout: 0 },
      others: [],
      nodes: [
        { index: 6, node: id, fqdn, standing: 'up', slots: { before: 1_023, after: 1_024 }, systemsAbout: { before: 99, after: 101 } },
      ],
      guards: [],
      forecast: { movedAt: at, because: 'the last slot moves after 0 s' },
      because: ['an operator gives it up'],
      isComplete: true,
      moves: 'BQAAAAYABgA=',
    },
  },
};
