import { isSame } from '../../../../lib/core/decision.ts';
import type { Node, NodeStatus } from '../../../../lib/nodes/node.ts';
import type { CommittedEvent } from '../../../../lib/ports/table/table.ts';
import type { Invariant } from '../invariant.ts';
import { type NodeStep, nodeSteps, told } from '../rows.ts';
import { vouchedIn } from '../vouched.ts';
import { ownersMoved, type ZoneStep, ZoneTruth } from '../zones/zone-truth.ts';

type About = Pick<Node, 'fqdn' | 'zone' | 'incarnation' | 'generation'> & { readonly node: string; readonly from?: string };

/** What each status is announced by when a node comes to it; one that was away comes back as whatever it was. */
const announced: Readonly<Record<NodeStatus, readonly string[]>> = {
  absent: [],
  waiting: [],
  joining: ['node.joined', 'node.recovered'],
  up: ['node.activated', 'node.recovered'],
  suspect: ['node.suspected'],
  leaving: ['node.departing', 'node.recovered'],
  down: ['node.lost'],
  dropped: ['node.dropped'],
  quarantined: ['node.quarantined', 'node.recovered'],
};

/** What is told of a node whose status stays. */
const withoutMove: readonly string[] = [
  'node.acknowledged',
  'node.departing',
  'node.quarantined',
  'node.readmission-asked',
  'node.rekeyed',
  'node.replaced',
];

/** Whoever automates by events knows nothing else. */
export const toldEvents: Invariant = {
  name: 'events-say-what-happened',
  says: "every change of a node's status, every boot that is vouched for, anew for each newer node-up of it, and every next key that is taken, has its event with the numbers it has then, and every loss and move of slots is counted as it was",
  begin: ({ violated }) => {
    const truth = new ZoneTruth();
    const boots = new Map<string, string>();
    return {
      sent: ({ body }) => {
        const up = vouchedIn(body);
        if (up?.data?.boot) boots.set(up.id, up.data.boot.id);
      },
      committed: (changes) => {
        const zone = truth.take(changes);
        for (const step of nodeSteps(changes))
          for (const wrong of wrongNode(step, boots.get(step.cause))) violated(`${told(step)}: ${wrong}`);
        if (zone) for (const wrong of wrongZone(zone)) violated(`${zone.name} at version ${zone.after.head.version}: ${wrong}`);
      },
    };
  },
};

function wrongNode({ id, before, after, row }: NodeStep, boot: string | undefined): string[] {
  if (!after) return row.events.map(({ type }) => `${type} of one that is gone`);
  const types = row.events.map(({ type }) => type);
  const { fqdn, zone, incarnation, generation } = after;
  const misled = row.events.filter(({ data }) => {
    const about = data as About;
    const isOwn = about.node === id && about.fqdn === fqdn && about.zone === zone;
    return !isOwn || about.incarnation !== incarnation || about.generation !== generation;
  });
  const changed = before?.status !== after.status && after.status !== 'absent' && after.status !== 'waiting';
  const asks = after.status === 'dropped' && after.readmission === 'asked';
  const hasAsked = asks && !(before?.status === 'dropped' && before.readmission === 'asked');
  const wasRekeyed = before?.nextKey !== undefined && before.nextKey === after.publicKey;
  const isTold = types.some((type) => announced[after.status].includes(type));
  const from = row.events.flatMap(({ data }) => (data as About).from ?? []);
  return [
    ...misled.map(({ data }) => `its event is about ${JSON.stringify(data)}`),
    ...(changed && !isTold ? [`nobody is told: ${types.join(', ')}`] : []),
    ...(before?.status === 'dropped' && changed && !types.includes('node.readmitted') ? ['nobody is told that it is back'] : []),
    ...(changed || types.every((type) => withoutMove.includes(type)) ? [] : [`only ${types.join(', ')} is told`]),
    ...(hasAsked === types.includes('node.readmission-asked')
      ? []
      : [`that it asks to come back is ${hasAsked ? 'not told' : 'told, and it has asked before or not at all'}`]),
    ...wrongBoot({ before, after, row }, types, boot),
    ...(wasRekeyed === types.includes('node.rekeyed')
      ? []
      : [`its key ${wasRekeyed ? 'changed, and nobody is told' : 'is told to have changed'}`]),
    ...from.flatMap((status) => (status === before?.status ? [] : [`it is told to have recovered from ${status}`])),
  ];
}

/** What is wrong with how a boot that is vouched for is told. */
function wrongBoot(
  { before, after, row }: Pick<NodeStep, 'before' | 'after' | 'row'>,
  types: readonly string[],
  boot: string | undefined,
): string[] {
  const isTold = types.includes('node.acknowledged');
  const isVouched = after?.vouched === true && after.boot !== undefined;
  const isBooted = isVouched && after.incarnation !== (before?.incarnation ?? 0);
  // Of a boot that is acknowledged already whoever vouches is told once more, by each newer node-up.
  const isAsked =
    isVouched &&
    !isSame(after.voice, before?.voice) &&
    boot === after.boot?.id &&
    row.because.startsWith('this boot is already acknowledged');
  if (isTold ? isVouched && boot === after.boot?.id : !isBooted && !isAsked) return [];
  return [`a boot that is vouched for ${isTold ? 'is told, and there is none' : 'is not told'}`];
}

type OfZone = { readonly node?: string; readonly slots: number; readonly mapVersion: number };

function wrongZone(step: ZoneStep): string[] {
  const { before, after, changes, nodes } = step;
  const events = changes.find(({ after: { key } }) => key.sk === 'head')!.after.events;
  const of = (type: string): OfZone[] => events.flatMap((event: CommittedEvent) => (event.type === type ? [event.data as OfZone] : []));
  const moved = ownersMoved(step).length;
  const rebalanced = of('zone.rebalanced');
  const lost = nodes.filter((node) => node.after?.status === 'down' && node.before?.status !== 'down');
  const told = of('zone.node-lost');
  const slots = (index = -1): number => before?.map.owner.filter((owner) => owner === index).length ?? 0;
  return [
    ...(moved === (rebalanced[0]?.slots ?? 0) ? [] : [`${moved} slots moved, and ${rebalanced[0]?.slots} are told`]),
    ...(told.length === lost.length ? [] : [`${lost.length} nodes are lost, and ${told.length} are told`]),
    ...lost.flatMap(({ id, before: was }) => {
      const known = told.find(({ node }) => node === id);
      return known?.slots === slots(was?.index) ? [] : [`${id} is lost with ${slots(was?.index)} slots, and ${known?.slots} are told`];
    }),
    ...[...told, ...rebalanced].flatMap(({ mapVersion }) =>
      mapVersion === after.head.version ? [] : [`told as of map version ${mapVersion}`],
    ),
  ];
}
