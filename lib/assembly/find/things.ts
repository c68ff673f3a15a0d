import { createHash } from 'node:crypto';
import type { EpochMs } from '../../core/time.ts';
import type { MeroProcess } from '../../mero/processes/process.ts';
import type { DisplayedStateName } from '../../mero/processes/rows/shown.ts';
import type { PooledHost } from '../../nodes/admission/rows/pooled-host.ts';
import type { Node, NodeStatus } from '../../nodes/node.ts';
import type { Document } from '../../search/segment/segment.ts';
import type { ViewedState } from '../../services/rows/shown.ts';
import type { Service } from '../../services/service.ts';
import type { ThingKind, ThingView } from './routes.ts';

/** A thing as it is searched and shown; `seen` and `registered` where its row has them. */
export type Thing = ThingView & { readonly seen?: EpochMs | undefined; readonly registered?: EpochMs | undefined };

/** The fields by which each kind is found. */
export const fieldsOf: Readonly<Record<ThingKind, readonly string[]>> = {
  node: ['kind', 'name', 'node', 'zone', 'status', 'seen', 'registered'],
  service: ['kind', 'name', 'node', 'zone', 'status', 'registered'],
  process: ['kind', 'name', 'node', 'zone', 'status'],
  host: ['kind', 'name', 'zone', 'status', 'seen', 'registered'],
};

/** The statuses that each kind has, as its other views have them. */
export const statusesOf: Readonly<Record<ThingKind, readonly string[]>> = {
  node: namesOf<NodeStatus>({
    ...{ absent: true, waiting: true, joining: true, up: true, suspect: true, down: true, leaving: true, dropped: true },
    quarantined: true,
  }),
  service: namesOf<ViewedState['is']>({ starting: true, online: true, stopping: true, offline: true, failed: true, inhibited: true }),
  process: namesOf<DisplayedStateName>({
    ...{ unknown: true, offline: true, starting: true, online: true, quiescing: true, stopping: true, failed: true, inhibited: true },
  }),
  host: namesOf<PooledHost['standing']>({ waiting: true, admitted: true, rejected: true }),
};

/** All of some names: the compiler finds the one that is missing. */
function namesOf<N extends string>(names: Readonly<Record<N, true>>): readonly string[] {
  return Object.keys(names);
}

export const ofNode = ({ id, fqdn, zone, status, heardAt, joinedAt }: Node): Thing => ({
  ...{ kind: 'node', id, name: fqdn, zone, node: fqdn, status },
  ...{ seen: heardAt, registered: joinedAt },
});

/** `state`: as it is viewed, which also depends on its node. */
export const ofService = ({ type, name, zone, host, registered }: Service, state: string): Thing => ({
  ...{ kind: 'service', id: type, name, zone, node: host, status: state, registered },
});

/** `state`: as it is displayed, which also depends on its host. */
export const ofProcess = ({ fid, zone, host }: MeroProcess, named: string, state: string): Thing => ({
  ...{ kind: 'process', id: fid, name: named, zone, node: host, status: state },
});

/** `zone`: the one whose administrators decide on it. */
export const ofHost = ({ fp, fqdn, standing, seenAt, firstSeenAt }: PooledHost, zone: ThingView['zone']): Thing => ({
  ...{ kind: 'host', id: fp, name: fqdn, ...(zone && { zone }), status: standing },
  ...{ seen: seenAt, registered: firstSeenAt },
});

/** What callers see of a thing. */
export const viewOf = ({ kind, id, name, zone, node, status }: Thing): ThingView => ({
  ...{ kind, id, name, ...(zone && { zone }), ...(node && kind !== 'node' && { node }), status },
});

/** The id of a thing among all kinds and zones, as documents have them. */
export const documentId = ({ kind, id, zone, node }: ThingView): string =>
  createHash('sha256')
    .update([kind, zone ?? '', node ?? '', id].join('\n'))
    .digest('hex');

/** A thing as it is searched: by its name and its id, and a node by any part of its name, as client systems are. */
export const documentOf = (thing: Thing): Document => ({
  id: documentId(thing),
  version: 1,
  names: [...new Set([thing.name.toLowerCase(), ...(thing.kind === 'host' ? [] : [thing.id.toLowerCase()])])],
  keywords: new Map(
    Object.entries({
      kind: [thing.kind],
      zone: thing.zone === undefined ? [] : [thing.zone],
      node: nodeWords(thing),
      status: [thing.status],
    }).filter(([, values]) => values.length > 0),
  ),
  numbers: new Map(
    [['seen', thing.seen] as const, ['registered', thing.registered] as const].flatMap(([field, at]) =>
      at === undefined ? [] : [[field, at] as const],
    ),
  ),
});

/** What the node of a thing can be called: its name, the first label of it, and of a node its id. */
const nodeWords = ({ kind, id, node }: Thing): string[] =>
  node === undefined ? [] : [node, node.replace(/\..*/, ''), ...(kind === 'node' ? [id] : [])];
