import { isSame, nothing, type Plan, type PlannedChange, write } from '../../core/decision.ts';
import { ServiceName } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import { type Node, nodeRef } from '../../nodes/node.ts';
import type { Reading } from '../../runtime/apply-plan.ts';
import { changeOfRow, stateOf } from '../../runtime/content.ts';
import { nameRef, serviceRef } from '../service.ts';
import { endOwn, type OwnService, startOwn } from './own-plan.ts';
import { planService } from './reports.ts';

/**
 * Muster's own services that must run, before a change and after it. `again` are those among them that may have ended
 * with their node.
 */
export type OwnChange = {
  readonly before: readonly OwnService[];
  readonly after: readonly OwnService[];
  readonly again: readonly OwnService[];
  readonly because: string;
};

/**
 * The changes that follow from a row that determines Muster's own services, in one commit with it: services begin and
 * end, their names are taken and released, and their agents are notified. At most four rows a service.
 */
export async function planOwn(reading: Reading, { before, after, again, because }: OwnChange, now: EpochMs): Promise<PlannedChange[]> {
  const has = (all: readonly OwnService[], one: OwnService) => all.some((other) => isSame(other, one));
  const ended = before.filter(({ type, node }) => !after.some((one) => one.type === type && one.node === node));
  const begun = after.filter((one) => !has(before, one) || has(again, one));
  const changes: PlannedChange[] = [];
  for (const one of ended) changes.push(...(await planOne(reading, one, 'ends', because, now)));
  for (const one of begun) changes.push(...(await planOne(reading, one, 'starts', because, now)));
  const first = new Map<string, PlannedChange>();
  // The row of a node, and its desired state, change once for all its services.
  for (const change of changes) {
    const name = `${change.ref.noun} ${change.ref.id}`;
    if (!first.has(name)) first.set(name, change);
  }
  return [...first.values()];
}

async function planOne(
  reading: Reading,
  one: OwnService,
  does: 'starts' | 'ends',
  because: string,
  now: EpochMs,
): Promise<PlannedChange[]> {
  const ref = serviceRef(one);
  const ofNode = nodeRef(one.node);
  const [row, nodeRow, nameRow] = await reading.rows([ref, ofNode, nameRef({ node: one.node, name: ServiceName.parse(one.type) })]);
  const service = stateOf(row, now);
  if (does === 'ends') return besideStations(await planService(reading, { ref, row }, endOwn(service, because), now));
  const node = stateOf(nodeRow, now);
  const holder = stateOf(nameRow, now)?.type;
  // A node that was given up, or that has no agent, has no services. A type that was put before Muster had one of this
  // name retains the name.
  if (!node || node.status === 'dropped' || node.vouched || (holder !== undefined && holder !== one.type)) return [];
  const ground = { node, service, formerly: row?.body };
  const changes = besideStations(await planService(reading, { ref, row }, startOwn(one, ground, because, now), now));
  if (changes.length === 0) return [];
  const marked = write<Node, never>({ ...node, services: true }, `${one.type} was started there`);
  return [
    ...changes,
    node.services ? { ref: ofNode, readRev: nodeRow!.rev, decision: nothing('the node is there') } : changeOfRow(ofNode, nodeRow, marked),
  ];
}

/**
 * The changes that follow from a service that begins or ends because of a row, without that row, which is changed
 * already.
 */
const besideStations = ({ changes }: Plan): PlannedChange[] => changes.filter(({ ref }) => ref.noun !== 'stations');
