import fc from 'fast-check';
import { describe, it } from 'vitest';
import type { NodeReport } from '../../events/reported/node.ts';
import { type EpochMs, plusMs } from '../../lib/core/time.ts';
import type { NodeCommand } from '../../lib/nodes/command.ts';
import type { Desired } from '../../lib/nodes/desired/desired.ts';
import type { Node } from '../../lib/nodes/node.ts';
import type { Row } from '../../lib/ports/table/table.ts';
import type { LoadedZone } from '../../lib/zones/rows/loaded.ts';

import { aBeat, aJoin, aNodeUp, drop, hasReleased, isLeaving, isReady, stay } from '../unit/nodes/reports.ts';
import { always, command, findsFault, keeps, type Model, same } from './model.ts';
import { zoneLaws } from './zones/laws.ts';
import { type Fault, ZoneReal } from './zones/real.ts';

const count = 5;
const everybody = Array.from({ length: count }, (_, n) => n + 1);
/** The zone as it was after the last step, and how many boots there were. */
type Remembered = { zone: LoadedZone; boots: number };
type Saying = (node: Node, at: EpochMs, model: Remembered) => NodeReport | NodeCommand;

const sayings: Readonly<Record<string, Saying>> = {
  boots: (_node, receivedAt, { boots }) => aNodeUp({ boot: `boot-${1_000 + boots}`, receivedAt }),
  'speaks with its boot again': ({ boot }, receivedAt) => aNodeUp({ boot: boot?.id ?? 'boot-none', receivedAt }),
  'joins as new': ({ generation }, receivedAt, { boots }) => aNodeUp({ boot: `boot-${1_000 + boots}`, receivedAt, flushed: generation }),
  'is ready': ({ incarnation }, receivedAt) => isReady({ incarnation: Math.max(1, incarnation), receivedAt }),
  beats: ({ incarnation, seq }, receivedAt) => aBeat({ incarnation: Math.max(1, incarnation), seq: seq + 1, receivedAt }),
  drains: ({ incarnation }, receivedAt) => isLeaving('drain', { incarnation: Math.max(1, incarnation), receivedAt }),
  'is upgraded': ({ incarnation }, receivedAt) =>
    isLeaving('hold', { incarnation: Math.max(1, incarnation), receivedAt, until: plusMs(receivedAt, 120_000) }),
  released: ({ incarnation }, receivedAt, { zone }) =>
    hasReleased(zone.head.mapVersion, { incarnation: Math.max(1, incarnation), receivedAt }),
  'is kept': () => stay,
  'is dropped': () => drop,
  'weighs more': (_node, _at, { boots }) => ({ type: 'edit', id: '', weight: 1 + (boots % 4) }),
};

async function settle(model: Remembered, real: ZoneReal, isSwept = false): Promise<void> {
  const { whole: after, kept } = await real.read();
  const releases = [...real.shell.table.rows.values()].flatMap((row: Row) =>
    row.key.sk === 'desired' ? [[row.key.pk.slice(5), row.body as Desired] as const] : [],
  );
  keeps(zoneLaws, { nodes: real.nodes(count), before: model.zone, after, kept, releases, isSwept });
  model.zone = after;
}

/**
 * The n-th node says something; a key that nobody knows joins. Resolves to what was said once it was heard, if it was.
 */
async function says(model: Remembered, real: ZoneReal, n: number, what: string): Promise<NodeReport | NodeCommand | undefined> {
  const node = real.node(n);
  model.boots += 1;
  const said = node ? sayings[what]!(node, real.shell.now(), model) : aJoin;
  return (await real.say(n, said)).does === 'write' ? said : undefined;
}

/** So many turns of whatever else is under way pass: where in a sweep it is met. */
async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await undefined;
}

const aModelOf = (slots: number, fault?: Fault): Model<Remembered, ZoneReal> => ({
  begin: async () => {
    const real = new ZoneReal(fault);
    await real.begin(slots);
    const model = { zone: (await real.read()).whole, boots: 0 };
    for (const what of ['joins', 'boots', 'is ready']) for (const n of [1, 2, 3]) await says(model, real, n, what);
    return { model, real };
  },
  commands: [
    ...[1, 2].map(() =>
      fc.tuple(fc.constantFrom(...everybody), fc.constantFrom(...Object.keys(sayings))).map(([n, what]) =>
        command<Remembered, ZoneReal>(`node ${n} ${what}`, async (model, real) => {
          real.shell.step(1);
          await says(model, real, n, what);
          await settle(model, real);
        }),
      ),
    ),
    fc.tuple(fc.constantFrom(20_000, 20_000, 1_900_000), fc.constantFrom(...everybody)).map(([ms, silent]) =>
      command(`${ms} ms pass, node ${silent} is silent`, async (model, real) => {
        real.shell.step(ms);
        for (const n of everybody) if (n !== silent && real.node(n)) await says(model, real, n, 'beats');
      }),
    ),
    ...[1, 2].map(() =>
      fc.constant(
        command<Remembered, ZoneReal>('sweep', async (model, real) => {
          real.shell.step(5_000);
          await real.sweep();
          await settle(model, real, true);
        }),
      ),
    ),
    fc
      .tuple(fc.constantFrom(...everybody), fc.constantFrom(...Object.keys(sayings)), fc.nat(200), fc.nat(200))
      .map(([n, what, first, second]) =>
        command(`two sweeps, the other ${second} turns later, while node ${n} ${what} after ${first}`, async (model, real) => {
          real.shell.step(5_000);
          const saying = turns(first).then(() => says(model, real, n, what));
          const [said] = await Promise.all([saying, real.sweep(), turns(second).then(real.sweepElsewhere)]);
          await settle(model, real);
          if (said && 'receivedAt' in said)
            same((await real.say(n, said)).does, 'nothing', 'no plan takes back what a node said meanwhile');
        }),
      ),
  ],
});

describe('a zone', () => {
  it('keeps its laws whatever its nodes do, with the whole map in each commit', () => always(aModelOf(1_024), { numRuns: 25 }), 600_000);
  it('keeps them with what moved in each commit', () => always(aModelOf(256), { numRuns: 25 }), 600_000);

  it('is found out when the second row of a commit is not fenced', () =>
    findsFault(
      aModelOf(1_024, (table) => ({
        commit: async (changes) => {
          const at = await table.readMany(changes.map((change) => ('put' in change ? change.put.key : change.check)));
          await table.commit(changes.map((change, n) => (n === 0 ? change : { ...change, readRev: at[n]?.rev ?? 0 })));
        },
      })),
      // Whichever a history meets first: what a node said is overwritten, or its events are.
      /event numbers have no holes|no plan takes back what a node said meanwhile/,
    ));

  it('is found out when the map is not stored with the head', () =>
    findsFault(
      aModelOf(1_024, (table) => ({
        commit: (changes) =>
          table.commit(changes.filter((change) => !('put' in change) || change.put.key.sk !== 'map#0000000000' || change.readRev === 0)),
      })),
      'after a sweep every slot has an owner that serves',
    ));
});
