import { createHash } from 'node:crypto';
import type { Client, ClientIn } from '../../lib/clients/client.ts';
import type { KnockFacts } from '../../lib/clients/rows/command.ts';
import type { Fingerprint, Fqdn, NodeId, ZoneName } from '../../lib/core/ids.ts';
import { type EpochMs, plusMs } from '../../lib/core/time.ts';
import { noIndex, type Token } from '../../lib/identity/token.ts';
import type { NodeIn, NodeStatus } from '../../lib/nodes/node.ts';
import { withEntry } from '../../lib/zones/map/rows/roster.ts';
import { emptyMap, slotsMin } from '../../lib/zones/map/rows/slots.ts';
import type { Standing } from '../../lib/zones/map/rows/standing.ts';
import { noPins } from '../../lib/zones/pins/pins.ts';
import type { LoadedZone } from '../../lib/zones/rows/loaded.ts';
import { emptySchedule } from '../../lib/zones/turns/turn.ts';
import { defaultZone, defaultZoneNumber, newZone, type ZoneHead } from '../../lib/zones/zone.ts';
import { noon } from './a-row.ts';
import { keyPairOf } from './signing.ts';

export { noon };

/** A moment so many seconds after noon. */
export const at = (seconds: number): EpochMs => plusMs(noon, seconds * 1_000);

/** The fingerprint of a name, as evenly spread as real ones. */
export const fpOf = (name: string | number): Fingerprint => createHash('sha256').update(String(name)).digest('hex') as Fingerprint;

/** The id and name of the n-th node. */
export const nodeId = (n: number): NodeId => `n${n.toString(16).padStart(16, '0')}` as NodeId;
export const nodeFqdn = (n: number): Fqdn => `node${n}.acme.org` as Fqdn;

const someNode = {
  id: nodeId(1),
  fqdn: nodeFqdn(1),
  kind: 'salt' as const,
  zone: defaultZone,
  publicKey: keyPairOf('node1').publicKey,
  watch: 'node1.acme.org:4505',
  weight: 1,
  labels: {},
  joinedAt: noon,
  incarnation: 1,
  generation: 1,
  index: 0,
  boot: { id: 'boot-aaaa', kernel: 'kernel-1', receivedAt: noon },
  seq: 0,
  heardAt: noon,
};
const leaseUntil = at(38);
/** The further fields of a node in each status; one that never sent node-up has no boot and no index. */
const byStatus: { readonly [S in NodeStatus]: () => Partial<NodeIn<S>> } = {
  absent: () => ({ incarnation: 0, generation: 0 }),
  waiting: () => ({ incarnation: 0, generation: 0 }),
  joining: () => ({ unready: true, leaseUntil }),
  up: () => ({ leaseUntil }),
  suspect: () => ({ leaseUntil, was: 'up' }),
  down: () => ({ downAt: at(40) }),
  leaving: () => ({ leaseUntil, leaving: { mode: 'drain', since: noon } }),
  dropped: () => ({ droppedAt: at(60), planned: false }),
  quarantined: () => ({ leaseUntil, reason: 'clone' }),
};

/** A node that joined, booted and was last heard at noon, up by default. */
export function aNode<S extends NodeStatus = 'up'>({
  status,
  ...given
}: { status?: S } & Partial<Omit<NodeIn<S>, 'status'>> = {}): NodeIn<S> {
  const { boot, index, heardAt, ...never } = someNode;
  const named = status ?? 'up';
  const base = named === 'absent' || named === 'waiting' ? never : { ...never, boot, index, heardAt };
  return { ...base, ...byStatus[named](), status: named, ...given } as unknown as NodeIn<S>;
}

const someClient = {
  fp: fpOf('web1'),
  publicKey: keyPairOf('web1').publicKey,
  fqdn: 'web1.acme.org' as Fqdn,
  machineId: 'machine-1',
  facts: {},
  suggestedTags: [],
  firstSeenAt: noon,
  seenAt: noon,
};

/** A client system's row, by default accepted into the zone `default`. */
export function aClient(given?: Partial<Omit<ClientIn<'accepted'>, 'standing'>>): ClientIn<'accepted'>;
export function aClient<S extends Client['standing']>(given: { standing: S } & Partial<Omit<ClientIn<S>, 'standing'>>): ClientIn<S>;
export function aClient({ standing: named = 'accepted', ...given }: Partial<Client> = {}): Client {
  const more =
    named === 'accepted' ? { zone: defaultZone, tags: [], groups: [], acceptedAt: noon } : named === 'banned' ? { bannedAt: noon } : {};
  return { ...someClient, ...more, standing: named, ...given } as unknown as Client;
}

/** The facts of a machine in a knock. */
export const aKnock = (given: Partial<KnockFacts> = {}): KnockFacts => {
  const { fp, publicKey, fqdn, machineId } = someClient;
  return { fp, publicKey, fqdn, machineId, facts: {}, suggestedTags: [], ...given };
};

/** A client system's place: assigned to the node with this index, at noon. */
export const assigned = (index: number, { generation = 1, confirmed = false } = {}) => ({
  index,
  node: nodeId(index + 1),
  generation,
  at: noon,
  ...(confirmed && { confirmedAt: noon }),
});

/** A token's content, by default confirmed on the node with index 0. */
export const aToken = (given: Partial<Token> = {}): Token => ({
  fp: someClient.fp.slice(0, 32),
  zone: defaultZoneNumber,
  index: 0,
  generation: 1,
  pin: noIndex,
  soft: false,
  mapVersion: 1,
  epoch: 0,
  issuedAtS: noon / 1000,
  confirmed: true,
  covered: false,
  ...given,
});

/** A member of a zone as a test lists it: its standing is up by default. */
export type SomeMember = { readonly standing?: Standing; readonly generation?: number; readonly weight?: number };

/**
 * A zone in memory: its members by index, and by slot its owner (by default the first member) and its home (by default
 * the owner).
 */
export function aZone({
  nodes = [{}],
  slots = slotsMin,
  owner = () => 0,
  home = owner,
  ...rest
}: {
  nodes?: readonly SomeMember[];
  slots?: number;
  owner?: (slot: number) => number;
  home?: (slot: number) => number;
} & Partial<Omit<LoadedZone, 'head' | 'map' | 'members'>> & { head?: Partial<ZoneHead> } = {}): LoadedZone {
  const map = emptyMap(slots);
  if (nodes.length > 0)
    for (let slot = 0; slot < slots; slot++) {
      map.owner[slot] = owner(slot);
      map.home[slot] = home(slot);
    }
  const roster = nodes.reduce<Uint8Array>(
    (before, { standing = 'up', generation = 1 }, index) => withEntry(before, index, standing, generation),
    new Uint8Array(0),
  );
  const members = nodes.map(({ weight = 1 }, n) => ({
    node: nodeId(n + 1),
    fqdn: nodeFqdn(n + 1),
    watch: `${nodeFqdn(n + 1)}:4505`,
    weight,
  }));
  const { head, ...other } = rest;
  const version = Math.min(1, nodes.length);
  return {
    head: {
      ...newZone('default' as ZoneName, defaultZoneNumber, slots),
      version,
      mapVersion: version,
      membersVersion: version,
      roster,
      ...head,
    },
    map,
    members,
    turns: emptySchedule,
    revokedAt: new Map(),
    tokensBefore: 0,
    revokedVersion: 0,
    pins: noPins(),
    ...other,
  };
}
