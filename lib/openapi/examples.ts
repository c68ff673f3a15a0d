import { Fqdn, Tag, ZoneName } from '../core/ids.ts';
import { admissionExamples } from './admission-examples.ts';
import { debugExamples } from './debug-examples.ts';
import { at, type Examples, facts, fingerprint, fqdn, id, load } from './example.ts';
import { keyExamples } from './key-examples.ts';
import { meroExamples } from './mero-examples.ts';
import { meroLoadingExamples } from './mero-loading-examples.ts';
import { meroProcessExamples } from './mero-process-examples.ts';
import { previewExamples } from './preview-examples.ts';
import { protocolExamples } from './protocol-examples.ts';
import { serviceExamples } from './service-examples.ts';
import { serviceTypeExamples } from './service-type-examples.ts';
import { systemExamples } from './system-examples.ts';
import { traceExamples } from './trace-examples.ts';
import { webhookExamples } from './webhook-examples.ts';

const ordered = { done: true, because: 'an operator gives it up' };
const counted = { new: 3, onboarded: 480, orphan: 20, deleted: 4, held: 1, silent: 2 };
const settings = { beatMinMs: 10_000, intervalMs: 10_000, admittedNodes: 5, openCalls: true, newKeysPerSource: 1_000 };

const node = {
  id,
  fqdn,
  zone: 'default',
  kind: 'uyuni' as const,
  status: 'up' as const,
  because: 'it is ready',
  incarnation: 1,
  generation: 1,
  index: 6,
  watch: 'node7.acme.org:4505',
  weight: 1,
  labels: { rack: 'r12' },
  joinedAt: at,
  key: { fingerprint },
  heardAt: at,
  leaseUntil: '2026-05-01T12:00:38Z',
  load,
  slots: 205,
  systemsAbout: 101,
};
/** In a zone whose rates adapt. */
const rate = {
  everyMs: 2_100,
  adapts: true,
  because: 'it bears that: first jobs take 9 s',
  readyMs: { median: 7_000, p90: 9_000 },
  waiting: 3,
};
const zone = {
  name: 'default',
  number: 1,
  kind: 'management' as const,
  mode: 'production' as const,
  version: 17,
  because: 'node7.acme.org takes its share',
  remapAfterMs: 0,
  readmit: 'auto' as const,
  unsignedClients: false,
  epoch: 0,
  systemsAbout: 101,
  countedAt: at,
  map: {
    slots: 1_024,
    version: 17,
    unowned: 0,
    awayFromHome: 0,
    nodes: [{ node: id, fqdn, standing: 'up', generation: 1, slots: 1_024, systemsAbout: 101 }],
  },
};

const stationsExample = {
  zone: ZoneName.parse('storage'),
  stations: [
    { host: Fqdn.parse('ts1.acme.org'), heard: true, heardAt: at, node: id, hears: { nodes: 5, of: 6 } },
    { host: Fqdn.parse('ts2.acme.org'), heard: true, heardAt: at, node: id, hears: { nodes: 6, of: 6 } },
    { host: Fqdn.parse('ts3.acme.org'), heard: false },
  ],
  quorum: { heard: 2, needed: 2, quorate: true, since: at },
  coordinator: { host: Fqdn.parse('ts1.acme.org'), node: id, epoch: 1, since: at },
  epoch: 1,
  named: { at, by: 'operator' as const },
};

const ssu = Fqdn.parse('ssu1.acme.org');
const siteOrder = {
  order: 1,
  does: 'power-cycle' as const,
  host: ssu,
  by: 'operator' as const,
  dryRun: true,
  coordinator: id,
  epoch: 1,
  at,
  until: '2026-05-01T12:01:30.000Z',
};
const siteOrdersExample = {
  zone: ZoneName.parse('storage'),
  power: { everyMs: 600_000, auto: 'off' as const },
  bmcs: [{ host: ssu, address: '192.0.2.7', user: 'admin', secret: 'bmc/ssu1.acme.org' }],
  items: [
    {
      ...siteOrder,
      state: 'done' as const,
      exit: 0,
      says: 'would run ipmitool for ssu1.acme.org: BMC 192.0.2.7, user admin, password bmc/ssu1.acme.org',
      endedAt: at,
    },
  ],
  wanted: [],
};

/** One example of the body and the answer of each route, for the document; every one passes its route's schema. */
export const examples: Examples = {
  ...previewExamples,
  ...protocolExamples,
  ...meroExamples,
  ...meroLoadingExamples,
  ...meroProcessExamples,
  ...admissionExamples,
  ...systemExamples,
  ...keyExamples,
  ...traceExamples,
  ...webhookExamples,
  ...serviceExamples,
  ...serviceTypeExamples,
  ...debugExamples,
  status: {
    reply: {
      deployment: 'Muster',
      version: '0.1.0',
      now: at,
      intervalMs: 10_000,
      sweptAt: at,
      deadLetters: 0,
      counts: {
        asOf: at,
        systems: counted,
        tags: { values: [{ value: Tag.parse('db'), count: 120 }], more: 0 },
        groups: { values: [{ value: Tag.parse('eu'), count: 300 }], more: 0 },
        hosts: { waiting: 1, askingBack: 0 },
      },
      zones: [{ name: 'default', mode: 'production', version: 17, slots: 1_024, nodes: { up: 5 }, systemsAbout: 500, systems: counted }],
    },
  },
  listNodes: { reply: { items: [node] } },
  getNode: { reply: { ...node, rate, loads: [{ at, load: 0.42 }], host: { ...facts, at } } },
  editNode: { body: { weight: 2, labels: { rack: 'r12' } }, reply: { ...node, weight: 2 } },
  takeReports: {
    body: [
      {
        type: 'node.heartbeat' as const,
        version: 1 as const,
        id: 'watchtower-node7-1777636800000',
        node: id,
        incarnation: 3,
        seq: 1_777_636_800,
        data: { load },
      },
    ],
    reply: { accepted: 1, nextMs: 10_000 },
  },
  leaveNode: { body: { mode: 'hold', until: '2026-05-01T18:00:00Z' }, reply: { done: true, because: 'it leaves, hold' } },
  dropNode: { body: {}, reply: ordered },
  listZones: { reply: { items: [zone] } },
  getZone: { reply: zone },
  createZone: { body: { name: ZoneName.parse('default'), kind: 'management' }, reply: zone },
  graph: {
    reply: {
      vertices: [
        { id: 'host node7.acme.org', kind: 'host', label: 'node7.acme.org', facts: { address: '10.1.2.7', cpus: 8, memoryMib: 32_000 } },
        { id: `node ${id}`, kind: 'node', label: 'node7.acme.org', facts: { kind: 'uyuni', status: 'up' } },
      ],
      edges: [
        { from: 'zone default', relation: 'has', to: 'host node7.acme.org' },
        { from: 'host node7.acme.org', relation: 'runs', to: `node ${id}` },
      ],
    },
  },
  calmZone: { body: {}, reply: { done: true, because: 'calmed by an operator: the silent nodes (3) are lost' } },
  freezeZone: {
    body: { what: 'expiry' },
    reply: { done: true, because: 'set by an operator: no node is given up for being silent or away' },
  },
  getStations: { reply: stationsExample },
  putStations: {
    body: { hosts: ['ts1.acme.org', 'ts2.acme.org', 'ts3.acme.org'] },
    reply: { ...stationsExample, done: false, because: 'they are in the group already' },
  },
  resetStations: {
    body: {},
    reply: {
      zone: stationsExample.zone,
      stations: [],
      quorum: { heard: 0, needed: 0, quorate: true },
      epoch: 1,
      named: { at, by: 'reset' as const },
      done: true,
      because: 'an operator gave up the stations ts1.acme.org, ts2.acme.org, ts3.acme.org',
    },
  },
  getSiteOrders: { reply: siteOrdersExample },
  orderOnSite: {
    body: { host: ssu, dryRun: true },
    reply: {
      ...siteOrder,
      state: 'waiting',
      because: 'ssu1.acme.org is power-cycled in a dry run, order 1, under epoch 1',
      waitMs: 90_000,
    },
  },
  editPower: {
    body: { everyMs: 600_000, auto: 'off' },
    reply: { ...siteOrdersExample, done: false, because: 'the settings are unchanged' },
  },
  unfreezeZone: { body: {}, reply: { done: true, because: 'set by an operator: no longer frozen' } },
  deleteZone: { body: {}, reply: { done: true, because: 'zone emea deleted' } },
  editZone: {
    body: { unsignedClients: true, admission: 'adapts', admitAtMostEveryMs: 500 },
    reply: { ...zone, unsignedClients: true, admission: 'adapts', admitAtMostEveryMs: 500, readyWithinMs: 120_000 },
  },
  getSettings: { reply: settings },
  editSettings: { body: { beatMinMs: 10_000 }, reply: settings },
};
