import { Fid } from '../core/fid.ts';
import { Fqdn } from '../core/ids.ts';
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
  previewStorage: {
    reply: {
      zone: 'lab',
      what: 'lose ssu1.acme.org',
      storage: {
        hosts: [Fqdn.parse('ssu1.acme.org')],
        processes: [
          {
            process: Fid.parse('0x7200000000000001:0x2d'),
            host: Fqdn.parse('ssu1.acme.org'),
            type: 'M0d',
            level: 1,
            services: [{ service: Fid.parse('0x7300000000000001:0x2e'), type: 'CST_IOS' }],
            devices: 4,
          },
        ],
        totals: { processes: 1, services: 1, devices: 4 },
        levels: [{ level: 1, lost: 1, of: 2 }],
        reached: 0,
        level: 3,
        liveness: [],
        services: [],
      },
      stations: { stations: 3, needed: 2, heard: 2, isQuorate: true },
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
