import fc from 'fast-check';
import type { NodeReport } from '../../../events/reported/node.ts';
import { type EpochMs, plusMs } from '../../../lib/core/time.ts';
import type { NodeCommand } from '../../../lib/nodes/command.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import { aBeat, aJoin, aNodeUp, drop, hasReleased, isLeaving, isReady, remove, stay, takeBack } from '../../unit/nodes/reports.ts';
import { command } from '../model.ts';
import type { NodeReal } from './real.ts';
import type { Remembered } from './remembered.ts';

/** What somebody says, made for the node as it is when it is said; received so long ago. */
type Said = { readonly name: string; readonly lateMs: number; readonly make: (node: Node | undefined, at: EpochMs) => NodeReport };
const incarnationOf = (node: Node | undefined, off = 0): number => Math.max(1, (node?.incarnation ?? 0) + off);

const late = fc.constantFrom(0, 0, 0, 200, 20_000, 50_000);
const intervalMs = fc.constantFrom(10_000, 10_000, 1_000);
const off = fc.constantFrom(0, 0, 0, -1, 1);
const said = (name: string, make: (off: number, intervalMs: number) => Said['make']): fc.Arbitrary<Said> =>
  fc.tuple(late, off, intervalMs).map(([lateMs, by, interval]) => ({
    name: `${name}${by === 0 ? '' : ` (${by})`}${lateMs > 0 ? `, ${lateMs} ms late` : ''}, every ${interval} ms`,
    lateMs,
    make: make(by, interval),
  }));

const boot = fc
  .constantFrom('boot-aaaa', 'boot-bbbb', 'boot-cccc')
  .chain((id) => said(`node-up ${id}`, (_by, interval) => (_node, receivedAt) => aNodeUp({ boot: id, receivedAt, intervalMs: interval })));
const flushed = fc
  .constantFrom('boot-aaaa', 'boot-bbbb')
  .chain((id) =>
    said(
      `node-up ${id}, flushed`,
      (by, interval) => (node, receivedAt) =>
        aNodeUp({ boot: id, receivedAt, intervalMs: interval, flushed: Math.max(0, (node?.generation ?? 0) + by) }),
    ),
  );
const beat = said(
  'heartbeat',
  (by, interval) => (node, receivedAt) =>
    aBeat({ seq: Math.max(0, (node?.seq ?? 0) + 1 + by), incarnation: incarnationOf(node), receivedAt, intervalMs: interval }),
);
const stranger = said(
  'heartbeat of another incarnation',
  (by) => (node, receivedAt) => aBeat({ seq: 999, incarnation: incarnationOf(node, by || 1), receivedAt }),
);
const ready = said('ready', (by) => (node, receivedAt) => isReady({ incarnation: incarnationOf(node, by), receivedAt }));
const leaving = fc
  .tuple(fc.constantFrom('drain' as const, 'hold' as const), fc.constantFrom(60_000, undefined))
  .chain(([mode, ms]) =>
    said(
      `leaving (${mode})`,
      (by) => (node, receivedAt) =>
        isLeaving(mode, { incarnation: incarnationOf(node, by), receivedAt, ...(ms && { until: plusMs(receivedAt, ms) }) }),
    ),
  );
const released = fc
  .nat(5)
  .chain((version) =>
    said(`released ${version}`, (by) => (node, receivedAt) => hasReleased(version, { incarnation: incarnationOf(node, by), receivedAt })),
  );

const report = fc.oneof(
  { weight: 4, arbitrary: boot },
  { weight: 2, arbitrary: flushed },
  { weight: 5, arbitrary: beat },
  { weight: 1, arbitrary: stranger },
  { weight: 3, arbitrary: ready },
  { weight: 3, arbitrary: leaving },
  { weight: 1, arbitrary: released },
);
const leaves = fc.constantFrom('drain' as const, 'hold' as const).map((mode): NodeCommand => ({ type: 'leave', id: 'leave', mode }));
const edits = fc
  .constantFrom(1, 2.5)
  .map((weight): NodeCommand => ({ type: 'edit', id: 'edit', weight, capacity: weight === 1 ? null : 100 }));
const order = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom<NodeCommand>(aJoin, aJoin, stay, drop) },
  { weight: 12, arbitrary: leaves },
  { weight: 12, arbitrary: edits },
  { weight: 1, arbitrary: fc.constantFrom<NodeCommand>(remove, takeBack, takeBack, takeBack) },
);

const make = (one: Said, { row }: NodeReal): NodeReport => ({
  ...one.make(row.state, plusMs(row.shell.now(), -one.lateMs)),
  id: row.newId(),
});
type Command = fc.AsyncCommand<Remembered, NodeReal>;

/** Everything that can happen to a node. */
export const nodeCommands: readonly fc.Arbitrary<Command>[] = [
  fc
    .constantFrom(500, 9_000, 39_000, 700_000, 1_900_000)
    .map((ms) => command(`wait ${ms}`, async (_model, real) => real.row.shell.step(ms))),
  fc.tuple(report, fc.boolean()).map(([one, losesAnswer]) =>
    command(`${one.name}${losesAnswer ? ', its answer lost' : ''}`, async (model, real) => {
      const made = make(one, real);
      model.said.push(made);
      await real.hear(model, made, losesAnswer);
    }),
  ),
  fc.nat(30).map((n) =>
    command(`report ${n} again`, async (model, real) => {
      const again = model.said[n % Math.max(1, model.said.length)];
      if (again) await real.hear(model, again);
    }),
  ),
  order.map((one) => command(one.type, (model, real) => real.hear(model, { ...one, id: real.row.newId() }))),
  fc.constantFrom(0, 0, 20_000).map((graceMs) => command(`tick, grace ${graceMs} ms`, (model, real) => real.tick(model, graceMs))),
  fc.constantFrom(0, 10).map((ownedSlots) => command(`plan, ${ownedSlots} slots`, (model, real) => real.follow(model, ownedSlots))),
  fc.tuple(report, fc.oneof(report, order)).map(([one, other]) =>
    command(`at once: ${one.name} | ${'make' in other ? other.name : other.type}`, (model, real) => {
      const first = make(one, real);
      const second = 'make' in other ? make(other, real) : { ...other, id: real.row.newId() };
      return real.both(model, first, second);
    }),
  ),
];
