import { contract } from '../../../../lib/contract.ts';
import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';
import { node } from '../../arguments.ts';
import type { Cli, Verb } from '../../cli.ts';
import { examples } from '../../help.ts';
import { dated, interval } from '../../output/moments.ts';
import { painted, paintOf } from '../../output/paint.ts';
import { admits } from './set.ts';
import { statusWord } from './status-word.ts';

/** `node show`: shows everything that Muster knows about one node. */
export const show: Verb = (noun, cli) => {
  const command = noun
    .command('show')
    .argument('<node>', 'its id or fully qualified name', node)
    .description('Show everything that Muster knows about a node, and the reason for its state')
    .action(async (id: NodeView['id']) => {
      const { body } = await cli.call(contract.getNode, { params: { id } });
      cli.show(body, () => page(body, cli));
    });
  examples(command, cli.terminal.name, ['node show node7.acme.org'], ['node show n3b1c5d7e9f01a2b4 --json']);
};

/** So many vanished at once that they are not called silent yet. */
const unseen = ({ since, vanished, until }: NonNullable<NodeView['silenceHeld']>, now: number): string =>
  `${vanished} client systems vanished from its digest at once, ${dated(since, now)}; they count as silent from ${dated(until, now)}`;

function page(view: NodeView, cli: Cli): string {
  const now = cli.terminal.now();
  const { load, host, labels } = view;
  const status = statusWord(view);
  return `${view.fqdn} is ${painted(status, paintOf(status), cli.terminal.colours.out)}\n${cli.details({
    because: view.because,
    id: view.id,
    zone: view.zone,
    kind: view.kind,
    systems: `about ${view.systemsAbout}${view.silentAbout ? `, ${view.silentAbout} of them silent` : ''}, in ${view.slots} slots`,
    'sees too few': view.silenceHeld && unseen(view.silenceHeld, now),
    weight: `${view.weight}, capacity ${view.capacity ?? 'unlimited'}; ${admits(view)}`,
    rate: rateOf(view),
    leaving: leavingOf(view, now),
    'waits for': view.leaving?.waitsFor,
    dropped: droppedOf(view, now),
    vouched: view.vouched && 'another system reports whether it is alive, instead of its agent',
    heard: dated(view.heardAt, now),
    'lease until': dated(view.leaseUntil, now),
    flaps: flapsOf(view, now),
    joined: dated(view.joinedAt, now),
    removed: dated(view.removedAt, now),
    'replaced by': replacedBy(view, now),
    replaces: view.replaces && `${view.replaces}, once it is ready`,
    key: keyOf(view, now),
    'next key': view.key?.next,
    counts: `incarnation ${view.incarnation}, generation ${view.generation}${view.index === undefined ? '' : `, index ${view.index}`}`,
    load:
      load &&
      `${load.load1} ${load.load5} ${load.load15}, memory ${load.memoryUsedMib} of ${load.memoryMib} MiB, sees ${load.systems} systems`,
    'last hour': hourOf(view.loads),
    host: host && `${host.address}, ${host.cpus} CPUs, ${host.memoryMib} MiB${host.os ? `, ${host.os}` : ''}`,
    interfaces: host?.interfaces.map(({ name, address }) => `${name} ${address}`).join(', '),
    watch: view.watch,
    page: view.page,
    labels: Object.entries(labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(', '),
  })}`;
}

const bars = '▁▂▃▄▅▆▇█';

/** The loads of the last hour as a line: a bar for each minute, from none to the highest, and the highest. */
function hourOf(loads: NodeView['loads']): string | undefined {
  const first = loads?.[0];
  if (!loads || !first) return undefined;
  const most = Math.max(...loads.map(({ load }) => load));
  const minute = (at: string): number => Math.round((Date.parse(at) - Date.parse(first.at)) / 60_000);
  const byMinute = new Map(loads.map(({ at, load }) => [minute(at), load]));
  const line = Array.from({ length: Math.max(...byMinute.keys()) + 1 }, (_, n) => {
    const load = byMinute.get(n);
    return load === undefined ? ' ' : (bars[most === 0 ? 0 : Math.round((load / most) * (bars.length - 1))] ?? ' ');
  });
  return `${line.join('')} up to ${most}`;
}

/** How fast it admits where its rate may follow what it bears, and why. */
function rateOf({ rate }: NodeView): string | undefined {
  if (!rate) return undefined;
  const jobs =
    rate.readyMs && `; the first job after ${interval(rate.readyMs.median)}, for nine of ten after ${interval(rate.readyMs.p90)}`;
  const waiting = rate.waiting ? `; ${rate.waiting} wait for theirs` : '';
  return `${rate.everyMs === 0 ? 'any number at once' : `one per ${interval(rate.everyMs)}`}: ${rate.because}${jobs ?? ''}${waiting}`;
}

/** Only while it matters: below 1 its loss was long ago. */
const flapsOf = ({ flaps }: NodeView, now: number): string | undefined =>
  flaps && Date.parse(flaps.calmAt) > now
    ? `score ${flaps.score}, ${dated(flaps.at, now)}; below 1 ${dated(flaps.calmAt, now)}; above 4 it is quarantined`
    : undefined;

const leavingOf = ({ leaving }: NodeView, now: number): string | undefined =>
  leaving && `${leaving.mode}, since ${dated(leaving.since, now)}${leaving.until ? `, until ${dated(leaving.until, now)}` : ''}`;

const droppedOf = ({ dropped }: NodeView, now: number): string | undefined =>
  dropped &&
  `${dated(dropped.at, now)}, ${dropped.planned ? 'as planned' : 'unplanned'}${dropped.readmission ? `; ${comingBack[dropped.readmission]}` : ''}`;

/** How a node that an administrator must let in comes back. */
const comingBack = {
  awaited: 'it has not asked to come back',
  asked: 'it asks to come back: muster node admit',
  given: 'it may come back',
} as const;

const replacedBy = ({ replacedBy: by, status }: NodeView, now: number): string | undefined =>
  by &&
  `${by.node}${status === 'dropped' ? '' : ' once that is ready'}, ordered ${dated(by.since, now)}, ${by.planned ? 'planned' : 'after it was lost'}`;

const keyOf = ({ key }: NodeView, now: number): string | undefined =>
  key && `${key.fingerprint}${key.since ? `, since ${dated(key.since, now)}` : ''}`;
