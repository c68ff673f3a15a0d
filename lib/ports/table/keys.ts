import type { RowRef } from '../../core/decision.ts';
import type { IndexKey, Key } from './table.ts';

/*
 * The whole table on one page. No other file joins key parts; every part is percent-encoded, so that no name can cross
 * into another item type. Units are per call; S a slot count, K the clients of a node, Z zones, B the heartbeats a
 * second, M the KB of a message.
 *
 * | access pattern                        | rows                                            | units             | how often             |
 * |---------------------------------------|-------------------------------------------------|-------------------|-----------------------|
 * | heartbeat: endpoint reads and decides | node, desired (each sixth: systems, digest)     | 2 R + 1 W         | B, at most 50/s       |
 * | the same where rates adapt, besides   | zone head, bearing                              | 2 R + 1 W         | while the node admits |
 * | a report of changes, with M KB of it  | node, changes                                   | 2 R + M W         | 1/s a node, if any    |
 * | N <= 13 systems of a node are adopted   | node, adoption, zone head, gate, pins; 9 rows each | 9N R + 14N W     | once a server         |
 * | a person enters a server              | node, ticket; then node, ticket twice | 6 R + 3 W | people                |
 * | node-up                               | nonce, node, host                               | 3 R + 4 or 5 W    | a boot                |
 * | desired state                         | node, desired                                   | 2 R               | when its rev moved    |
 * | heartbeat of a storage node, besides  | cluster                                         | 1 R               | each of its heartbeats|
 * | heartbeat of a station, besides       | stations                                        | 1 R, each 2nd 1 W  | a station each 7.5 s  |
 * | an order on site                      | its row, stations, service, node, desired, facts| 6 R + 9 W, twice  | an operator, a loss   |
 * | desired state of one of P processes   | node, desired, cluster, Mero node, processes    | 4 + P R           | a level, an order     |
 * | a report about a process              | node, process, cluster, Mero node               | 4 R + 1 to 3 W    | a start, a stop       |
 * | a table of P processes                | node twice, cluster, Mero node, P twice         | 6 + 2P R + 1 W    | what runs has changed |
 * | desired state of one with V services  | node, desired, services, types                  | 3 + V / 4 R       | an order, a failure   |
 * | an order about a service              | node, types, service, name, desired             | 5 R + 10 W        | an operator           |
 * | a report about a service              | node, service; resource, types; what follows    | 2 to 5 R + 1-8 W  | a start, a stop       |
 * | services of a zone, or of a name      | list index, then each row; types; nodes of these| rows / 2 R        | an operator, a node   |
 * | a type is deleted                     | types, list index, at most 50 rows, twice; types| 2 to 104 R + 6 W  | an operator           |
 * | a check of V services, S supervisors  | supervision, sets, list index; S services, nodes| V / 70 + 2S R     | 1/min, or a change    |
 * | a supervisor is lost                  | 3 sets or so, their nodes' desired, supervision | 4 to 8 rows, 2 W/KB| a failure            |
 * | what a supervisor misses, of V services| its service, its set; each service, its node    | 2 + 2V R, 2+6V W  | a failure             |
 * | systems of a node                     | list index (at most 512 queries), list rows     | K / 40 R          | when the map moved    |
 * | the same with metadata revisions      | inverse index (as many queries)                 | 32 + K / 27 R     | when the map moved    |
 * | metadata put, of M KB                 | client twice, page, zone; desired of its node   | 6 R + 6 + 2M W    | people, nodes         |
 * | metadata handed to a node             | node, client, its documents, of M KB            | 2 + M / 4 R       | a placement, a change |
 * | pin or unpin N client systems         | client each, twice; zone head, revoked, pins    | 2N + 4 R, 7N + 6 W| an operator           |
 * | what a zone with pins has to read     | pins; for a list inverse index, K pinned lately | 1 R; K + K / 40 R | a refresh, plan; list |
 * | status with a token                   | none (zone map cached, at most 5 s old)         | 0                 | every client          |
 * | status without a token, or unconfirmed| client (digest, one list page)                  | 1 to 4 R          | a placement           |
 * | knock, first                          | source, nonce, key, client, machine id, token … | 5 to 13 R + 6-13 W| a client              |
 * | the same from an address that is full | all rows of the address, once an hour           | 0 to 32 R         | a flood               |
 * | a knock is refused                    | refused knocks, in one of 8 rows                | 1 to 8 R + W      | 1 per 10 s, reader    |
 * | what was refused lately               | all 8 of these rows                             | 4 to 8 R          | an operator           |
 * | a machine id that another key reported| it, and up to 8 client rows, each read, written | 1-8 R + 2-14 W    | a clone               |
 * | knock, once accepted                  | nonce, client, zone head, revoked (digest, list)| 3 to 10 R + 1 W   | a start, a placement  |
 * | a reader's refresh                    | zone head, revoked (map, members, turns if moved)| 2 to 7 R         | 1 per 5 s per reader  |
 * | the sweep, of D rows that are due     | due index, then each due row, 3,200 at the most | 2 + D / 60 R, rows| 1 per 5 s             |
 * | pages of a map, S > 1,024             | map, deltas since, these again so that they end | S/256 + moves/64 W| 64 versions, or 6 h   |
 * | loss of a node                        | node twice, zone head, map (S = 1,024)          | at most 24 W      | a failure             |
 * | list systems or nodes                 | list index, then each row                       | rows / 4 R        | an operator           |
 * | a message dies                        | its dead letter, of M KB                        | M / 4 R + M W     | poison                |
 * | count of dead letters                 | list index alone, 16 partitions                 | 8 to 200 R        | an operator           |
 * | list of dead letters                  | list index, 16 or 32 partitions, then each row  | 16 + rows × M/4 R | an operator           |
 * | redrive or drop of a dead letter      | the dead letter, read twice                     | M / 2 R + M W     | an operator           |
 * | a signed call without a number        | nonce                                           | 1 W               | join, up, knock, leave|
 * | the owner of a key                    | key                                             | 1 R               | join, rotation        |
 * | a client system is accepted           | client twice, zone head, gate, resident, id     | 7 R + 11 W        | an operator           |
 * | 64 cluster ids are reserved           | cluster ids                                     | 1 R + 1 W         | 64 acceptances, each environment |
 * | a client system by its cluster id     | cluster id, client                              | 2 R               | people, a gateway     |
 * | 64 numbers of actions are reserved     | action numbers                                  | 1 R + 1 W         | 64 actions, each environment |
 * | an action of N servers is recorded    | name and node of each; action twice, N parts    | 3N + 2 R + 2N + 2 W | people, a gateway   |
 * | an action by its number               | action, names of its N nodes                    | 1 + N R           | people, a gateway     |
 * | numbers of N actions of a server      | name, node, N parts                             | 2 + N R           | people, a gateway     |
 * | 200 systems are added to an order     | clients, C nodes, order of N nodes, added (20 KB)| 202+C+N/40 R, 40+N/5 W | an operator     |
 * | the last of them, of N nodes          | the same; order, each desired twice             | 1 + 2N R + N W more | an operator         |
 * | a node takes its part, of K calls     | node, order, part, desired; order, K added      | 6 + 5K R + 4 W    | an operator           |
 * | a node reports its part               | node, part (up to 20 KB); once 2 rows of numbers| 2 to 8 R, 1 to 20 W| what goes on, 1/30 s |
 * | an action on systems of N nodes       | order, N parts, up to 200 clients               | 201 + N to 5N R   | people                |
 * | somebody edits common content         | seat, its node, desired; first 50 nodes more    | 3 to 53 R + 0-3 W | 2/min an editor       |
 * | an empty zone is deleted              | list index, 16 partitions of residents, its rows| 122 R + 66 W      | an operator           |
 * | the same, L have left it since        | each resident, its client system or node        | 3L R + 2L W       | an operator           |
 * | a host joins                          | key, node, fqdn, pool, rules or token, resident | 13 R + 8 to 12 W  | a host                |
 * | a host waits in the pool              | key, node, fqdn, pool, rules                    | 10 R + 0 to 4 W   | 1/min each            |
 * | list tokens or hosts in the pool      | list index, each row; shares of onboarding ones | rows × 1 to 4 R   | an operator           |
 * | a call of the admin API               | api-key, its makers; subject (cached, 3 s)      | 0 to 1 R each     | people, automation    |
 * | a key is in use                       | api-key                                         | 1 R + 1 W         | hourly, each key      |
 * | webhooks, while there are events      | webhooks                                        | 1 R               | 1 per 5 s per consumer|
 * | an event is delivered, to each webhook| delivery, 3 times, the webhook's secret         | 4 R + 2 W         | an event, a webhook   |
 * | deliveries are listed or replayed     | deliveries                                      | rows / 4 R        | an operator           |
 * | a sign-in by a link                   | link, session                                   | 2 R + 4 W         | a person              |
 * | history                               | history rows of one row                         | 1 R a page        | an operator           |
 * | E <= 98 events of a zone go out       | end of its journal, histories; row of M KB      | 2+E R + 2E+2M+2 W | a conclusion          |
 * | client systems alone have changed     | end of the journal, its row of M KB             | 2 R + 2M+2 W      | 1 per 10 s, each shard|
 * | what is new since a cursor, in Z zones| ends of their journals, then new rows of M KB   | Z/2 R + M/4 R each| 1 per 3 s per page    |
 * | an attempt is refused                 | its row                                         | 1 W               | at most 60/min each   |
 * | the audit of E changes, E <= 49       | head, E entries, E marks and their places       | 1+2E R + 5E+2 W   | people, automation    |
 * | list of the audit                     | list index of heads, then entries               | H/2 + E R a page  | an auditor            |
 * | verify the audit                      | the same, E marks, histories and rows, marks    | 4E + 4 R a page   | an auditor            |
 */

/** Text that percent-encoding does not change. Most parts of keys match, and the test costs less than encoding. */
const plain = /^[\w.!~*'()-]*$/;
const part = (text: string): string => (plain.test(text) ? text : encodeURIComponent(text));
const join = (...parts: readonly string[]): string => parts.map(part).join('#');

/** How many ways the due index is split; more than one, so that a busy sweep never has a single hot partition. */
export const dueShards = 4;

/** The shard of the due index that a row waits in: by a hash of its partition, so that a node's rows wake together. */
export const dueShardOf = ({ pk }: Key): number => hashOf(pk) % dueShards;

const hashOf = (text: string): number => {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  return hash >>> 0;
};

/**
 * The number of partitions of dead letters, by a hash of the id: a flood of poison must not throttle itself and the
 * messages behind it.
 */
const deadShards = 16;
const deadShardOf = (id: string): string => join('dead', String(hashOf(id) % deadShards));
/** The list of dead letters that were given back: apart, so that the others can be counted by their keys alone. */
const redrivenShardOf = (id: string): string => join('redriven', String(hashOf(id) % deadShards));

const number = (n: number): string => String(n).padStart(10, '0');
/** The parts of a two-part row id, such as `default/3` for a page of a zone. */
const split = (id: string): [string, string] => {
  const at = id.lastIndexOf('/');
  return [id.slice(0, at), id.slice(at + 1)];
};
/** Row ids with a number behind a slash: pages, versions. */
export const numbered = (id: string, n: number): string => `${id}/${n}`;

/** How each noun's rows are keyed, from their id; ids with two parts are written `owner/part`. */
const placed: Readonly<Record<string, (id: string) => Key>> = {
  node: (id) => ({ pk: join('node', id), sk: 'node' }),
  host: (id) => ({ pk: join('node', id), sk: 'host' }),
  desired: (id) => ({ pk: join('node', id), sk: 'desired' }),
  digest: (id) => ({ pk: join('node', id), sk: 'digest' }),
  /** What a node has shown that it can bear. */
  bearing: (id) => ({ pk: join('node', id), sk: 'bearing' }),
  /** The adoption of the systems of a node's server. */
  adoption: (id) => ({ pk: join('node', id), sk: 'adoption' }),
  /** A ticket by which a person enters a Uyuni server, by its public part. */
  ticket: (id) => ({ pk: join('ticket', id), sk: 'ticket' }),
  /** How far the changes of a node's server were taken in. */
  changes: (id) => ({ pk: join('changes', id), sk: 'changes' }),
  /** The client systems that a node no longer sees. */
  silence: (id) => ({ pk: join('silence', id), sk: 'silence' }),
  /** The head of the lists of client systems handed to a node. */
  systems: (id) => ({ pk: join('node', id), sk: 'systems' }),
  /** One page of one version of such a list: `node/version.page`. */
  'systems-page': (id) => {
    const [node, which] = split(id);
    const [version, page] = which.split('.');
    return { pk: join('node', node), sk: join('list', number(Number(version)), number(Number(page))) };
  },
  /** The service of a type on a node, `node/type`, and the holder of a service name there, `node/name`. */
  service: (id) => ({ pk: join('node', split(id)[0]), sk: join('service', split(id)[1]) }),
  'service-name': (id) => ({ pk: join('node', split(id)[0]), sk: join('name', split(id)[1]) }),
  /** The types of services that operators have registered in a zone. */
  'service-types': (id) => ({ pk: join('zone', id), sk: 'service-types' }),
  /** The holders of a resource of a zone: `zone/kind:id`. */
  'service-resource': (id) => {
    const at = id.indexOf('/');
    return { pk: join('service-resources', id.slice(0, at)), sk: join(id.slice(at + 1)) };
  },
  /** The supervision of services of a zone, and the set that the supervisor of a node watches: `zone/node`. */
  supervision: (id) => ({ pk: supervisionPartition(id), sk: 'supervision' }),
  'watch-set': (id) => ({ pk: supervisionPartition(split(id)[0]), sk: join('set', split(id)[1]) }),
  fqdn: (id) => ({ pk: join('fqdn', id), sk: 'fqdn' }),
  client: (id) => ({ pk: join('client', id), sk: 'client' }),
  /** Another fingerprint of a minion's key, as Salt 3008 prints it. */
  'minion-text': (id) => ({ pk: join('minion-text', id), sk: 'minion-text' }),
  /** Which cluster ids are given, and the client system of one. */
  'cluster-ids': (id) => ({ pk: join('cluster-id', id), sk: 'cluster-ids' }),
  'cluster-id': (id) => ({ pk: join('cluster-id', id), sk: 'cluster-id' }),
  /** Which numbers of actions are reserved, the parts of an action, and the action of a part: `node/id`. */
  'action-numbers': (id) => ({ pk: join('action', id), sk: 'action-numbers' }),
  action: (id) => ({ pk: join('action', id), sk: 'action' }),
  'action-there': (id) => ({ pk: join('action-there', id), sk: 'action-there' }),
  /** An order to act on client systems, those that each of its calls added, and the parts of its nodes. */
  'system-action': (id) => ({ pk: join('system-action', id), sk: 'system-action' }),
  'added-systems': (id) => ({ pk: join('system-action', split(id)[0]), sk: join('added', number(Number(split(id)[1]))) }),
  'action-of-node': (id) => ({ pk: join('system-action', split(id)[0]), sk: join('node', split(id)[1]) }),
  /** One document about a client system, or one page of a kind that is appended to: `fingerprint/kind.page`. */
  metadata: (id) => {
    const [fp, which] = split(id);
    const [kind, page] = which.split('.');
    return { pk: join('client', fp), sk: join('metadata', kind!, number(Number(page))) };
  },
  /** The keys that have reported a machine id, by its hash. */
  'machine-id': (id) => ({ pk: join('machine-id', id), sk: 'machine-id' }),
  /** The keys of client systems that have reported a name. */
  'system-name': (id) => ({ pk: join('system-name', id), sk: 'system-name' }),
  zone: (id) => ({ pk: join('zone', id), sk: 'head' }),
  'zone-number': (id) => ({ pk: join('zone-number', id), sk: 'zone-number' }),
  /**
   * The mark of a client system or a node in a zone, see `lib/zones/gate/resident.ts`: `number/client:fingerprint`,
   * `number/node:id`.
   */
  resident: (id) => {
    const [zone, who] = split(id);
    return { pk: residentsPartition(Number(zone), hashOf(who) % residentPartitions), sk: join(...who.split(':')) };
  },
  /** The last number given to a zone. */
  'zone-numbers': () => ({ pk: 'deployment', sk: 'zone-numbers' }),
  map: (id) => ({ pk: join('zone', split(id)[0]), sk: join('map', number(Number(split(id)[1]))) }),
  delta: (id) => ({ pk: join('zone', split(id)[0]), sk: join('delta', number(Number(split(id)[1]))) }),
  members: (id) => ({ pk: join('zone', split(id)[0]), sk: join('members', number(Number(split(id)[1]))) }),
  /** One page of the turns of moved clients. */
  turns: (id) => ({ pk: join('zone', split(id)[0]), sk: join('turns', number(Number(split(id)[1]))) }),
  /** How many client systems are pinned to which nodes: one page. */
  pins: (id) => ({ pk: join('zone', split(id)[0]), sk: join('pins', number(Number(split(id)[1]))) }),
  revoked: (id) => ({ pk: join('zone', id), sk: 'revoked' }),
  counts: (id) => ({ pk: join('zone', id), sk: 'counts' }),
  /** The stations of a zone, with all their leases and the coordinator. */
  stations: (id) => ({ pk: join('zone', id), sk: 'stations' }),
  /** The orders on the site of a zone. */
  'site-orders': (id) => ({ pk: join('zone', id), sk: 'site-orders' }),
  /** Where the common content of a zone is edited. */
  seat: (id) => ({ pk: join('zone', id), sk: 'seat' }),
  /** The revisions of the common content of a zone. */
  content: (id) => ({ pk: join('zone', id), sk: 'content' }),
  /** The cluster of a storage zone, and all its parts, in one partition. */
  cluster: (id) => ({ pk: clusterPartition(id), sk: 'cluster' }),
  /** The last number given to a fid of the zone. */
  fids: (id) => ({ pk: clusterPartition(id), sk: 'fids' }),
  /** A host with processes: `zone/fqdn`. */
  'mero-node': (id) => ({ pk: clusterPartition(split(id)[0]), sk: join('node', split(id)[1]) }),
  /** A process, and the devices of its services: `zone/fid`, in the order of their numbers. */
  process: (id) => ({ pk: clusterPartition(split(id)[0]), sk: fidSort('process', split(id)[1]) }),
  devices: (id) => ({ pk: clusterPartition(split(id)[0]), sk: fidSort('devices', split(id)[1]) }),
  /** A load of facts that is under way. */
  'mero-load': (id) => ({ pk: clusterPartition(id), sk: 'load' }),
  /**
   * A page of the parts of a cluster other than its servers, and the mark of a written part of a load: `zone/load.n`.
   */
  layout: (id) => ({ pk: clusterPartition(split(id)[0]), sk: ofLoad('layout', split(id)[1]) }),
  'loaded-part': (id) => ({ pk: clusterPartition(split(id)[0]), sk: ofLoad('part', split(id)[1]) }),
  /** The progress of the search for rows that are no longer needed. */
  garbage: (id) => ({ pk: clusterPartition(id), sk: 'garbage' }),
  /** The process of an endpoint: `zone/endpoint`. */
  endpoint: (id) => ({ pk: clusterPartition(split(id)[0]), sk: join('endpoint', split(id)[1]) }),
  /** The Mero and Halon roles with which operators replace those of Muster. */
  'mero-roles': (id) => ({ pk: clusterPartition(id), sk: 'mero-roles' }),
  'halon-roles': (id) => ({ pk: clusterPartition(id), sk: 'halon-roles' }),
  deployment: () => ({ pk: 'deployment', sk: 'deployment' }),
  sweep: () => ({ pk: 'deployment', sk: 'sweep' }),
  /** The record of replacements of token keys; the keys themselves are not in the table. */
  'token-keys': () => ({ pk: 'deployment', sk: 'token-keys' }),
  /** The mark of an import into this table that is not complete. */
  importing: () => ({ pk: 'deployment', sk: 'importing' }),
  dead: (id) => ({ pk: deadShardOf(id), sk: join('dead', id) }),
  /** An API key, a session or a sign-in link, by its public id. */
  'api-key': (id) => ({ pk: join('api-key', id), sk: 'api-key' }),
  /** A subject of the issuer that was locked here once, by its name there. */
  subject: (id) => ({ pk: join('subject', id), sk: 'subject' }),
  /** The owner of a machine's key, by its fingerprint. */
  key: (id) => ({ pk: join('key', id), sk: 'key' }),
  /** A token by which hosts become nodes, by its public id. */
  'join-token': (id) => ({ pk: join('join-token', id), sk: 'join-token' }),
  /** A host that asked to be a node and waits, by the fingerprint of its key. */
  'pooled-host': (id) => ({ pk: join('pooled-host', id), sk: 'pooled-host' }),
  /** How many hosts a source brought into the pool. */
  'pool-source': (id) => ({ pk: join('pool-source', id), sk: 'pool-source' }),
  'admission-rules': () => ({ pk: 'deployment', sk: 'admission-rules' }),
  /** A token by which machines are accepted, by its public id. */
  'onboarding-token': (id) => ({ pk: join('onboarding-token', id), sk: 'onboarding-token' }),
  /** A part of the uses of such a token: `token/n`. */
  'onboarding-share': (id) => ({ pk: join('onboarding-token', split(id)[0]), sk: shareSort(Number(split(id)[1])) }),
  /** The targets of events: all webhooks of the deployment. */
  webhooks: () => ({ pk: 'deployment', sk: 'webhooks' }),
  /** The secrets that sign the deliveries of a webhook. */
  'webhook-secret': (id) => ({ pk: join('webhook', id), sk: 'secret' }),
  /** An event on its way to a webhook: `webhook/place`, see `lib/webhooks/delivery.ts`. */
  delivery: (id) => ({ pk: deliveriesOf(split(id)[0]), sk: split(id)[1] }),
  /** The number of unknown machines that knocked from a network address, in one row of several: `address n`. */
  source: (id) => ({ pk: join('source', id), sk: 'source' }),
  /** Knocks that were refused lately, in one row of several. */
  'onboarding-refusals': (id) => ({ pk: join('onboarding-refusals', id), sk: 'onboarding-refusals' }),
  /** A nonce that a signed call used: `fingerprint/nonce`. */
  nonce: (id) => ({ pk: join('nonce', id), sk: 'nonce' }),
  idempotency: (id) => ({ pk: join('idempotency', id), sk: 'idempotency' }),
  /** An attempt that was refused, on its way into the audit. */
  attempt: (id) => ({ pk: join('attempt', id), sk: 'attempt' }),
  /** One entry of the audit: `zone/day/n`. */
  audit: (id) => ({ pk: join('audit', ...split(split(id)[0])), sk: number(Number(split(id)[1])) }),
  /** The end of a zone's chain of a day: `zone/day`. */
  'audit-head': (id) => ({ pk: join('audit-heads', split(id)[0]), sk: split(id)[1] }),
  /** The mark of a commit of a row that is in the audit: see {@link markId}. */
  audited: (id) => ({ pk: join('audited', split(id)[0]), sk: join(split(id)[1]) }),
  /** The end of the journal of a zone, or of what is of no zone, and one of its rows: `zone/n`. */
  'journal-end': (id) => ({ pk: journalPartition(id), sk: 'end' }),
  journal: (id) => ({ pk: journalPartition(split(id)[0]), sk: journalSort(Number(split(id)[1])) }),
  /** One published event of a row: `noun:id/seq`. */
  history: (id) => ({ pk: join('history', split(id)[0]), sk: number(Number(split(id)[1])) }),
};

/** The partition of the supervision of a zone, and the range of the sets of its supervisors there. */
export const supervisionPartition = (zone: string): string => join('supervision', zone);
export const watchSetRange = { from: 'set#', to: 'set$' } as const;

/** The partition of a storage cluster's rows. */
export const clusterPartition = (zone: string): string => join('cluster', zone);
/** The sort key of a row with a fid: the number, which gives the order, then the fid. */
const fidSort = (kind: string, fid: string): string => {
  const key = /:0x([0-9a-f]{1,13})$/.exec(fid)?.[1];
  if (key === undefined) throw new Error(`${fid} is not a fid`);
  return join(kind, String(Number.parseInt(key, 16)).padStart(16, '0'), fid);
};
/** The sort key of a row of a load: the load, then the row's number. */
const ofLoad = (kind: 'layout' | 'part', which: string): string => {
  const [load, n] = which.split('.');
  return join(kind, load!, number(Number(n)));
};
/** The range of the pages of a load, or of its parts. */
export const loadRange = (kind: 'layout' | 'part', load: string) => ({ from: `${join(kind, load)}#`, to: `${join(kind, load)}$` });
/** The range of all rows of a kind in that partition: `$` comes right after the sign that joins parts. */
export const clusterRange = (kind: 'node' | 'process' | 'devices' | 'endpoint') => ({ from: `${kind}#`, to: `${kind}$` });

/**
 * The range of the endpoints of one network and portal, of which only the last segment differs: `:` comes right after
 * the digits.
 */
export const endpointRange = ({ lnid, portal }: { readonly lnid: string; readonly portal: number }) => {
  const from = join('endpoint', `${lnid}:12345:${portal}:`);
  return { from, to: `${from}:` };
};

/** The key of a row. Throws on a noun that has no rows. */
export function keyOf({ noun, id }: RowRef): Key {
  const place = placed[noun];
  if (!place) throw new Error(`the noun ${noun} has no rows`);
  return place(id);
}

/** Whether a key is that of the row of a client system; its metadata and other rows beside it are not. */
export const isClientRow = ({ pk, sk }: Key): boolean => sk === 'client' && leadOf(pk) === 'client';

/** The prefix of a partition key, before the id: the kind of the rows' owner. */
export const leadOf = (pk: string): string => pk.split('#', 1)[0]!;

/** The nouns that have rows, for the documentation. */
export const nouns = Object.keys(placed);

/** The noun and id of the row with this key, for rows that tick; undefined for any other. */
export function tickingRef({ pk, sk }: Key): RowRef | undefined {
  const [kind, id] = pk.split('#').map(decodeURIComponent);
  if (kind === 'node' && sk === 'node') return { noun: 'node', id: id! };
  if (kind === 'node' && sk.startsWith('service#')) return serviceRef(id!, sk);
  if (kind === 'zone' && sk === 'head') return { noun: 'zone', id: id! };
  if (kind === 'zone' && (sk === 'counts' || isOfZone(sk))) return { noun: sk, id: id! };
  if (kind === 'supervision' && sk === 'supervision') return { noun: kind, id: id! };
  if (kind === 'cluster') return ofCluster(id!, sk);
  return undefined;
}

/** Things of a zone that have a row in its partition, and events of their own. */
const isOfZone = (noun: string): boolean => ['stations', 'site-orders', 'seat', 'content'].includes(noun);

const serviceRef = (node: string, sk: string): RowRef => ({ noun: 'service', id: `${node}/${decodeURIComponent(sk.split('#')[1]!)}` });
/** The range of the services of a node in its partition. */
export const serviceRange = { from: 'service#', to: 'service$' } as const;

/** The row of a sort key in a storage cluster's partition, if it is one with events and ticks. */
function ofCluster(zone: string, sk: string): RowRef | undefined {
  const parts = sk.split('#').map(decodeURIComponent);
  if (sk === 'cluster' || sk === 'garbage') return { noun: sk, id: zone };
  if (parts[0] === 'process') return { noun: 'process', id: `${zone}/${parts[2]}` };
  if (parts[0] === 'node') return { noun: 'mero-node', id: `${zone}/${parts[1]}` };
  return undefined;
}

/**
 * The noun and id of a row in the partition of a cluster, of any kind; undefined for a kind that this version does not
 * know.
 */
export function inCluster(zone: string, sk: string): RowRef | undefined {
  const [kind, second, third] = sk.split('#').map(decodeURIComponent) as [string, string?, string?];
  if (second === undefined) return { noun: kind === 'load' ? 'mero-load' : kind, id: zone };
  if (kind === 'endpoint') return { noun: kind, id: `${zone}/${second}` };
  if (kind === 'process' || kind === 'devices') return { noun: kind, id: `${zone}/${third}` };
  if (kind === 'layout') return { noun: kind, id: `${zone}/${second}.${Number(third)}` };
  return kind === 'part' ? { noun: 'loaded-part', id: `${zone}/${second}.${Number(third)}` } : ofCluster(zone, sk);
}

/**
 * The noun and id of the aggregate a row belongs to, as events and history name it: a client's row belongs to the
 * client, a head to the zone.
 */
export function ownerOf({ pk, sk }: Key): RowRef {
  const [kind, id] = pk.split('#').map(decodeURIComponent);
  if (kind === 'cluster') return ofCluster(id!, sk) ?? { noun: kind, id: id! };
  if (kind === 'node' && sk.startsWith('service#')) return serviceRef(id!, sk);
  if (kind === 'zone' && isOfZone(sk)) return { noun: sk, id: id! };
  return { noun: kind!, id: id ?? sk };
}

/**
 * The noun and id of the subject of a row. It differs from {@link ownerOf} for dead letters, whose partitions are
 * shards.
 */
export function subjectOf(key: Key): RowRef {
  const [kind, id] = key.sk.split('#').map(decodeURIComponent);
  return kind === 'dead' && id !== undefined ? { noun: kind, id } : ownerOf(key);
}

/** The key of a row by its subject, as in {@link subjectOf}, and its sort key. */
export function subjectKey({ noun, id, row: sk }: RowRef & { readonly row: string }): Key {
  if (noun === 'deployment') return { pk: noun, sk };
  if (isOfZone(noun)) return { pk: zonePartition(id), sk };
  if (noun === 'service') return { pk: nodePartition(split(id)[0]), sk };
  if (noun === 'dead') return { pk: deadShardOf(id), sk };
  if (noun === 'process' || noun === 'mero-node') return { pk: clusterPartition(split(id)[0]), sk };
  return { pk: noun === 'garbage' ? clusterPartition(id) : join(noun, id), sk };
}

type Chain = { readonly zone: string; readonly day: string };
/** The id of an entry of the audit. */
export const auditId = ({ zone, day }: Chain, n: number): string => `${zone}/${day}/${n}`;
/** The partition of a chain's entries, and an entry's sort key. */
export const auditPartition = ({ zone, day }: Chain): string => join('audit', zone, day);
export const auditSort = (n: number): string => number(n);
/** The partition of the heads of a zone's chains, by day. */
export const auditHeads = (zone: string): string => join('audit-heads', zone);
/** The list partitions of all heads, by day and zone, and of the marks of a day, by zone and number. */
export const auditLists = {
  heads: 'audit-heads',
  marks: (day: string): string => join('audited', day),
  /** The sort key of a chain in the list of heads. */
  place: ({ zone, day }: Chain): string => join(day, zone),
} as const;
/**
 * The range of the chains of some days in the list of heads, both days in it: `$` comes right after the sign that joins
 * parts.
 */
export const listedDays = ({ from, to }: { readonly from: string; readonly to: string }) => ({ from, to: `${to}$` });
/** The chain whose head has this key. */
export const chainOf = ({ pk, sk }: Key): Chain => ({ zone: decodeURIComponent(pk.split('#')[1]!), day: sk });
/**
 * The id of the mark of a commit: a row's revision and its moment, because a row that expired and is created again
 * counts from 1 again. A row's sort key has no slash: its parts are encoded.
 */
export const markId = (
  { noun, id, row, rev }: { readonly noun: string; readonly id: string; readonly row: string; readonly rev: number },
  at: number,
): string => `${noun}:${id}/${row}@${rev}.${at}`;

/** The partition of the marks of a row's aggregate, and the revision of a mark there. */
export const marksOf = ({ noun, id }: RowRef): string => join('audited', `${noun}:${id}`);
export const markedIn = (sk: string): number => Number(decodeURIComponent(sk).split('@').at(-1)!.split('.')[0]);

/** The number of list partitions of client systems: by the top 6 bits of the fingerprint. */
export const clientPartitions = 64;
/** The list partition of a fingerprint, from its first two hex digits. */
export const clientPartitionOf = (fp: string): number => Number.parseInt(fp.slice(0, 2), 16) >> 2;

/**
 * List partitions of client systems: those waiting in the pool, those accepted in a zone, those banned. `poolOf` is in
 * the inverse index: those that wait for a certain zone, so that its operators read none of another zone's.
 */
export const clientList = {
  pool: (partition: number): string => join('pool', String(partition)),
  poolOf: (zone: string, partition: number): string => join('pool', zone, String(partition)),
  zone: (zone: string, partition: number): string => join('zone', zone, String(partition)),
  banned: (partition: number): string => join('banned', String(partition)),
};
/**
 * The number of partitions of the residents of a zone: DynamoDB takes 1,000 write units a second in each, an acceptance
 * writes 2 there, so that 8,000 client systems a second can come into one zone.
 */
export const residentPartitions = 16;
/** A partition of the residents of a zone, by the zone's number: a later zone of the same name has others. */
export const residentsPartition = (zone: number, partition: number): string => join('residents', String(zone), String(partition));
/** The client system or node of a sort key there. */
export function residentIn(sk: string): RowRef {
  const [noun, id] = sk.split('#').map(decodeURIComponent);
  return { noun: noun!, id: id! };
}
type Pin = { readonly index: number; readonly hard: boolean };
/**
 * The sort key of an accepted client system in its list. It includes the pin, so that readers that work by slots can
 * tell pinned systems from the list alone.
 */
const listedSort = (fp: string, pin: Pin | undefined): string => (pin ? join(fp, String(pin.index), howOf(pin)) : fp);
const howOf = ({ hard }: Pin): string => (hard ? 'hard' : 'soft');
/** The client system of a sort key there, and its pin, if any. */
export function listedIn(sort: string): { readonly fp: string; readonly pin?: Pin } {
  const [fp, index, how] = sort.split('#') as [string, string?, string?];
  return index === undefined ? { fp } : { fp, pin: { index: Number(index), hard: how === 'hard' } };
}
/**
 * The partition of the inverse index with the metadata revisions of a zone's client systems, partitioned as
 * {@link clientList}.
 */
export const metadataRevisions = (zone: string, partition: number): string => join('metadata', zone, String(partition));
/**
 * The partition of the inverse index with the client systems that are pinned to a node of a zone, and their metadata
 * revisions; revision 0 means none.
 */
export const pinnedTo = (zone: string, index: number): string => join('pins', zone, String(index));
/** The client system of a sort key there, its metadata revision, and whether the pin is soft. */
export function pinnedIn(sort: string): { readonly fp: string; readonly revision: number; readonly soft: boolean } {
  const [fp, revision, how] = sort.split('#') as [string, string, string];
  return { fp, revision: Number(revision), soft: how === 'soft' };
}
/** A sort key among metadata revisions: the client system and its revision. */
const revisionSort = (fp: string, revision: number): string => join(fp, String(revision));
/** The client system and the revision of such a sort key. */
export const revisionIn = (sort: string): { readonly fp: string; readonly revision: number } => {
  const [fp, revision] = sort.split('#') as [string, string];
  return { fp, revision: Number(revision) };
};

/** The list partition of the nodes of a zone. */
export const nodeList = (zone: string): string => join('nodes', zone);
/** The list partition of the silent client systems of a zone, by node. */
export const silenceList = (zone: string): string => join('silence', zone);
/** A sort key there: the node and the number of client systems that it no longer sees, so that readers read no row. */
const silentSort = (node: string, silent: number): string => join(node, String(silent));
/** The node of such a key, and the number. */
export function silenceIn(sort: string): { readonly node: string; readonly silent: number } {
  const [node, silent] = sort.split('#').map(decodeURIComponent) as [string, string];
  return { node, silent: Number(silent) };
}
/**
 * The list partitions of join tokens, and of hosts that wait to be admitted; in the inverse index: `poolOf`, for the
 * hosts of one zone, and `askingBack`, for dropped nodes that ask to come back, by their zones.
 */
export const admissionLists = {
  tokens: 'join-tokens',
  pool: 'node-pool',
  poolOf: (zone: string): string => join('node-pool', zone),
  askingBack: 'asking-back',
} as const;
/** The range of a zone's nodes in the list of those that ask to come back. */
export const askingBackIn = (zone: string) => ({ from: `${join(zone)}#`, to: `${join(zone)}$` });
/** The list partition of API keys and sessions. */
export const apiKeyList = 'api-keys';
/** The list partition of subjects of the issuer that were locked once. */
export const subjectList = 'subjects';
/** The list partition of all onboarding tokens. */
export const onboardingTokenList = 'onboarding-tokens';
const shareSort = (n: number): string => join('share', number(n));
/** The partition and range of the shares of an onboarding token, and the number in a sort key there. */
export const onboardingShares = (token: string) => ({
  pk: join('onboarding-token', token),
  from: shareSort(0),
  to: shareSort(9_999_999_999),
  numberIn: (sk: string): number => Number(sk.split('#')[1]),
});
/** The partition of a webhook's deliveries, by the times of their events. */
export const deliveriesOf = (webhook: string): string => join('deliveries', webhook);
/** The list partition of the services of a zone, by their names, types and nodes. */
export const serviceList = (zone: string): string => join('services', zone);
/** The range of the services of a name in that list. */
export const servicesNamed = (name: string) => ({ from: `${join(name)}#`, to: `${join(name)}$` });
/** The name, type and node of the service of a sort key there. */
export const servicedIn = (sort: string): { readonly name: string; readonly type: string; readonly node: string } => {
  const [name, type, node] = sort.split('#').map(decodeURIComponent) as [string, string, string];
  return { name, type, node };
};
/** The range of the services of a type in that list. */
export const servicesOfType = ({ serviceName, name }: { readonly serviceName: string; readonly name: string }) => ({
  from: `${join(serviceName, name)}#`,
  to: `${join(serviceName, name)}$`,
});
/** The list partition of all storage clusters. */
export const clusterList = 'clusters';
/** The list partition of all zones. */
export const zoneList = 'zones';
/** The list partition of the history of a row, read directly: history rows are in no index. */
export const historyPartition = ({ noun, id }: RowRef): string => join('history', `${noun}:${id}`);
/** The partition of a zone's part of the journal, and the sort key of one of its rows. */
export const journalPartition = (part: string): string => join('journal', part);
export const journalSort = (n: number): string => join('row', number(n));
/** The range of all its rows after a number. */
export const journalAfter = (n: number) => ({ from: journalSort(n + 1), to: journalSort(9_999_999_999) });
/** The list partition of all parts of the journal, by their zones. */
export const journalList = 'journal';
/** The sort key of a row's event by its number. */
export const historySort = (seq: number): string => number(seq);
/** The partition of a zone's rows, and the sort key of one of its deltas. */
export const zonePartition = (zone: string): string => join('zone', zone);
export const deltaSort = (version: number): string => join('delta', number(version));
/** The noun and id of a row of a zone that is one of many: a page or a delta. */
export function pagedRef(zone: string, sk: string): RowRef {
  const [noun, n] = sk.split('#').map(decodeURIComponent);
  return { noun: noun!, id: numbered(zone, Number(n)) };
}
/** The partition of a node's rows, and the sort key of a page of its list of systems. */
export const nodePartition = (node: string): string => join('node', node);
export const systemsPageSort = (version: number, page: number): string => join('list', number(version), number(page));
/** The list partitions of dead letters, by their outcome. */
export const deadLetterLists = {
  dead: Array.from({ length: deadShards }, (_, shard) => join('dead', String(shard))),
  redriven: Array.from({ length: deadShards }, (_, shard) => join('redriven', String(shard))),
} as const satisfies Record<string, readonly string[]>;

/** What the states of listed nouns have in them; which noun has which of them is up to its schema. */
type Listed = {
  readonly zone: string;
  readonly standing: string;
  readonly status: string;
  readonly kind: string;
  readonly fp: string;
  readonly id: string;
  readonly name: string;
  readonly day: string;
  readonly n: number;
  readonly count: number;
  readonly pin: Pin | undefined;
};

/** The key of a row in the inverse index, from its noun and state; undefined for rows that are not in it. */
export function edgeOf({ noun, id }: RowRef, state: unknown): IndexKey | undefined {
  const { standing, zone, metadata, pin, as, readmission, removedAt } = state as Listed & Edged;
  if (noun === 'node')
    return readmission === 'asked' && removedAt === undefined ? { pk: admissionLists.askingBack, sk: join(zone!, id) } : undefined;
  if (noun === 'pooled-host') return waitingIn(as?.zone ?? zone, admissionLists.poolOf, id);
  if (noun !== 'client') return undefined;
  if (standing === 'pooled') return waitingIn(zone, (asked) => clientList.poolOf(asked, clientPartitionOf(id)), id);
  if (standing !== 'accepted') return undefined;
  if (pin) return { pk: pinnedTo(zone!, pin.index), sk: join(id, String(metadata?.revision ?? 0), howOf(pin)) };
  if (metadata === undefined) return undefined;
  return { pk: metadataRevisions(zone!, clientPartitionOf(id)), sk: revisionSort(id, metadata.revision) };
}

type Edged = {
  readonly metadata?: { readonly revision: number };
  readonly as?: { readonly zone: string };
  readonly readmission?: string;
  readonly removedAt?: number;
};

/** The key of a row that waits for a certain zone; a row without a zone is only in the list of all. */
const waitingIn = (zone: string | undefined, partition: (zone: string) => string, id: string): IndexKey | undefined =>
  zone === undefined ? undefined : { pk: partition(zone), sk: id };

/** Nouns whose rows are all in one list, by their ids. */
const listedById: Readonly<Record<string, string>> = {
  zone: zoneList,
  cluster: clusterList,
  'join-token': admissionLists.tokens,
  'onboarding-token': onboardingTokenList,
  'journal-end': journalList,
  'pooled-host': admissionLists.pool,
  subject: subjectList,
};

/** The key of a row in its list, from its noun and state; undefined for rows that are in none. */
export function listOf({ noun, id }: RowRef, state: unknown): IndexKey | undefined {
  const { kind, zone, standing, status, day, n, count, pin, name } = state as Listed;
  const simply = listedById[noun];
  if (simply !== undefined) return { pk: simply, sk: id };
  if (noun === 'node') return { pk: nodeList(zone), sk: id };
  if (noun === 'silence') return { pk: silenceList(zone), sk: silentSort(id, count) };
  if (noun === 'service') return { pk: serviceList(zone), sk: join(name, ...split(id).reverse()) };
  // A link is used up before anybody could search for it.
  if (noun === 'api-key') return kind === 'link' ? undefined : { pk: apiKeyList, sk: id };
  if (noun === 'dead')
    return status === 'dropped' ? undefined : { pk: status === 'redriven' ? redrivenShardOf(id) : deadShardOf(id), sk: id };
  if (noun === 'audit-head') return { pk: auditLists.heads, sk: auditLists.place({ day: day, zone: zone }) };
  if (noun === 'audited') return { pk: auditLists.marks(day), sk: join(zone, number(n)) };
  if (noun !== 'client') return undefined;
  if (standing === 'pooled') return { pk: clientList.pool(clientPartitionOf(id)), sk: id };
  if (standing === 'accepted') return { pk: clientList.zone(zone, clientPartitionOf(id)), sk: listedSort(id, pin) };
  if (standing === 'banned') return { pk: clientList.banned(clientPartitionOf(id)), sk: id };
  return undefined;
}
