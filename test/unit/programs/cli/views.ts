import { createHash } from 'node:crypto';
import type { SystemView } from '../../../../lib/clients/admin-routes.ts';
import { Fingerprint, Fqdn, NodeId, showFingerprint, ZoneName } from '../../../../lib/core/ids.ts';
import type { DeadLetterView } from '../../../../lib/dead-letters/routes.ts';
import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';
import type { ZoneView } from '../../../../lib/zones/routes.ts';
import { now } from './a-terminal.ts';

/** An ISO moment so many seconds before the one at which the command lines run. */
export const secondsAgo = (seconds: number): string => new Date(now - seconds * 1000).toISOString();

/** A node as the API shows it. */
export const aNode = (given: Partial<NodeView> = {}): NodeView => ({
  id: NodeId.parse('n0123456789abcdef'),
  fqdn: Fqdn.parse('node7.acme.org'),
  zone: ZoneName.parse('default'),
  kind: 'uyuni',
  status: 'up',
  because: 'it is ready',
  incarnation: 2,
  generation: 0,
  index: 6,
  watch: 'node7.acme.org:4505',
  weight: 1,
  labels: { rack: 'r12' },
  joinedAt: secondsAgo(86_400 * 3),
  heardAt: secondsAgo(4),
  leaseUntil: secondsAgo(-34),
  load: { load1: 0.42, load5: 0.4, load15: 0.38, memoryUsedMib: 512, memoryMib: 2048, systems: 101 },
  slots: 205,
  systemsAbout: 101,
  host: {
    fqdn: Fqdn.parse('node7.acme.org'),
    address: '192.0.2.7',
    memoryMib: 2048,
    cpus: 4,
    interfaces: [{ name: 'eth0', address: '192.0.2.7', mac: '52:54:00:00:00:07' }],
    at: secondsAgo(3600),
  },
  ...given,
});

/** The fingerprint of the n-th client system of these tests. */
export const fingerprintOf = (n: number) => Fingerprint.parse(createHash('sha256').update(String(n)).digest('hex'));

/** The n-th client system as the API shows it. */
export const aSystem = (n: number, given: Partial<SystemView> = {}): SystemView => ({
  fp: fingerprintOf(n),
  fingerprint: showFingerprint(fingerprintOf(n)),
  fqdn: Fqdn.parse(`web${n}.acme.org`),
  machineId: `machine-${n}`,
  status: 'onboarded',
  because: 'its daemon confirmed',
  zone: ZoneName.parse('default'),
  node: { id: NodeId.parse('n0123456789abcdef'), fqdn: Fqdn.parse('node7.acme.org'), at: secondsAgo(600), confirmed: true },
  tags: ['web'],
  groups: [],
  suggestedTags: [],
  facts: { os: 'sles-15' },
  firstSeenAt: secondsAgo(86_400),
  seenAt: secondsAgo(120),
  ...given,
});

/** That these said a machine id first. */
export const heldFor = (...ns: readonly number[]): NonNullable<SystemView['sameMachineId']> => ({
  held: true,
  because: 'held: another key said its machine id first',
  keys: ns.map((n) => {
    const { fp, fingerprint, fqdn, status } = aSystem(n);
    return { fp, fingerprint, first: true, fqdn, status, zone: ZoneName.parse('emea'), seenAt: secondsAgo(9 * 86_400) };
  }),
});

/** The n-th key that waits in the onboarding pool. */
export function pooled(n: number, given: Partial<SystemView> = {}): SystemView {
  const {
    zone: _zone,
    node: _node,
    ...system
  } = aSystem(n, { status: 'new', because: 'an unknown machine knocked', tags: [], suggestedTags: ['web'], ...given });
  return system;
}

/** A zone as the API shows it. */
export const aZone = (given: Partial<ZoneView> = {}): ZoneView => ({
  name: ZoneName.parse('default'),
  number: 1,
  kind: 'management',
  mode: 'production',
  version: 17,
  because: 'node8.acme.org is lost: 205 slots have new owners',
  remapAfterMs: 0,
  readmit: 'auto',
  unsignedClients: false,
  epoch: 0,
  systemsAbout: 500,
  countedAt: secondsAgo(30),
  map: {
    slots: 1024,
    version: 17,
    unowned: 0,
    awayFromHome: 205,
    nodes: [
      {
        node: NodeId.parse('n0123456789abcdef'),
        fqdn: Fqdn.parse('node7.acme.org'),
        standing: 'up',
        generation: 0,
        slots: 1024,
        systemsAbout: 500,
      },
      {
        node: NodeId.parse('nfedcba9876543210'),
        fqdn: Fqdn.parse('node8.acme.org'),
        standing: 'down',
        generation: 0,
        slots: 0,
        systemsAbout: 0,
      },
    ],
  },
  ...given,
});

/** A dead letter as the API lists it. */
export const aLetter = (given: Partial<DeadLetterView> = {}): DeadLetterView => ({
  id: '0f8b3f5e-6c1d-4c57-9a43-0d9a2f1c7b11',
  status: 'dead',
  queue: 'reports',
  via: 'door',
  sentAt: secondsAgo(7300),
  deaths: 1,
  receives: 5,
  first: { code: 'row.busy', reason: 'node n0123456789abcdef kept moving through 6 attempts', at: secondsAgo(7200) },
  last: { code: 'row.busy', reason: 'node n0123456789abcdef kept moving through 6 attempts', at: secondsAgo(7200) },
  bytes: 31,
  cut: false,
  expiresAt: secondsAgo(-86_400 * 13),
  ...given,
});

/** Two machines run with a key. */
export const twoMachines: NonNullable<SystemView['copied']> = {
  since: secondsAgo(3_600),
  lastAt: secondsAgo(60),
  because: 'boots q7Zk3vT1xQpA and Jm2c9RwYb0Le take turns: two machines run with its key',
};
