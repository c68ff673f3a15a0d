import fc from 'fast-check';
import { describe, it } from 'vitest';
import { write } from '../../lib/core/decision.ts';
import { Desired, withOrder as productWithOrder, type ReleaseOrder } from '../../lib/nodes/desired/desired.ts';
import { decideDesired as productDecide } from '../../lib/nodes/desired/rows/moves.ts';
import { nodeId } from '../../tools/support/builders.ts';
import { hasReleased } from '../unit/nodes/reports.ts';
import { always, command, findsFault, type Model, same } from './model.ts';
import { KeptRow } from './row.ts';

/** The orders that the node has still to carry out, oldest first, and the newest map version. */
type Remembered = { orders: ReleaseOrder[]; version: number };
type Product = { readonly decide: typeof productDecide; readonly withOrder: typeof productWithOrder };

const holds = ({ orders }: Remembered, row: KeptRow<Desired>): void =>
  same(row.state?.release ?? [], orders, 'the newest orders wait, as many as fit, until they are carried out');

const aModelOf = ({ decide, withOrder }: Product, sizes: readonly number[] = [1, 5]): Model<Remembered, KeptRow<Desired>> => ({
  begin: () => ({ model: { orders: [], version: 0 }, real: new KeptRow<Desired>({ noun: 'desired', id: nodeId(1) }, Desired) }),
  commands: [
    ...[1, 2].map(() =>
      fc.constantFrom(...sizes).map((count) =>
        command<Remembered, KeptRow<Desired>>(`${count} slots to release`, async (model, row) => {
          model.version += 1;
          const order = { mapVersion: model.version, zoneSlots: 65_536, slots: Array.from({ length: count }, (_, n) => n) };
          await row.take({ id: row.newId() }, (state) => write({ release: withOrder(state?.release ?? [], order) }, 'slots to release'));
          const { orders } = model;
          orders.push(order);
          const slots = () => orders.reduce((sum, each) => sum + each.slots.length, 0);
          while (orders.length > 16 || (orders.length > 1 && slots() > 65_536)) orders.shift();
          holds(model, row);
        }),
      ),
    ),
    fc.tuple(fc.constantFrom(-20, -14, -5, 0, 1), fc.boolean()).map(([off, losesAnswer]) =>
      command(`released up to ${off} from the newest`, async (model, row) => {
        const report = { ...hasReleased(Math.max(0, model.version + off)), id: row.newId() };
        model.orders = model.orders.filter(({ mapVersion }) => mapVersion > report.data.mapVersion);
        await row.take(report, decide, { losesAnswer });
        holds(model, row);
        const again = await row.take({ ...report, id: row.newId() }, decide);
        same(again.does, 'nothing', 'a release that comes again changes nothing');
      }),
    ),
  ],
});

const product: Product = { decide: productDecide, withOrder: productWithOrder };

describe("a node's desired state", () => {
  it('keeps its laws whatever is ordered and carried out', () => always(aModelOf(product), { numRuns: 40 }));

  it('keeps them when a zone moves nearly all its slots at once', () =>
    always(aModelOf(product, [1, 30_000, 65_536]), { numRuns: 6, maxCommands: 6 }));

  it('is found out when an older release takes newer orders away', () =>
    findsFault(
      aModelOf({
        ...product,
        decide: (state, report) => productDecide(state, { ...report, data: { mapVersion: report.data.mapVersion + 1 } }),
      }),
      'the newest orders wait',
    ));

  it('is found out when it forgets the newest order instead of the oldest', () =>
    findsFault(
      aModelOf({ ...product, withOrder: (waiting, order) => (waiting.length === 16 ? [...waiting] : productWithOrder(waiting, order)) }),
      'the newest orders wait',
    ));
});
