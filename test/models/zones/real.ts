import type { NodeReport } from '../../../events/reported/node.ts';
import { sweep } from '../../../lib/assembly/sweep.ts';
import type { Decision } from '../../../lib/core/decision.ts';
import type { NodeCommand } from '../../../lib/nodes/command.ts';
import { decide } from '../../../lib/nodes/decide.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { nameOf, type Table } from '../../../lib/ports/table/table.ts';
import { apply } from '../../../lib/runtime/apply.ts';
import { applyPlan } from '../../../lib/runtime/apply-plan.ts';
import { planZone } from '../../../lib/zones/create.ts';
import { zoneNow } from '../../../lib/zones/reads/zones.ts';
import type { LoadedZone } from '../../../lib/zones/rows/loaded.ts';
import { defaultZone, defaultZoneNumber } from '../../../lib/zones/zone.ts';
import { aShell, type TestShell } from '../../../tools/support/a-shell.ts';
import { nodeFqdn, nodeId } from '../../../tools/support/builders.ts';
import { keepingRows } from './commits.ts';

/** Something that is done to the table on its way: a planted fault. */
export type Fault = (table: Table) => Partial<Table>;

/** A zone of a few nodes on the real shell: their rows, its sweeps, and a reader who remembers what he read. */
export class ZoneReal {
  readonly shell: TestShell;
  readonly reader: TestShell;
  /** Another environment that sweeps the same table at the same time. */
  readonly #other: TestShell;
  #inputs = 0;

  constructor(fault: Fault = () => ({})) {
    const shell = aShell({ zoneMaxAgeMs: 0 });
    const table = { ...shell.table, ...keepingRows(shell.table) };
    this.shell = { ...shell, table: { ...table, ...fault(table) } };
    this.reader = { ...this.shell, caches: new Map() };
    this.#other = { ...this.shell, caches: new Map(), newId: () => `other-${shell.newId()}` };
  }

  /** Makes the zone, with so many slots. */
  begin = (slots: number): Promise<unknown> =>
    applyPlan(this.shell, { id: 'a zone' }, async () => planZone(defaultZone, defaultZoneNumber, this.shell.now(), slots));

  node = (n: number): Node | undefined => {
    const row = this.shell.table.rows.get(nameOf(keyOf({ noun: 'node', id: nodeId(n) })));
    return row?.gone ? undefined : (row?.body as Node | undefined);
  };

  /** Every node that has joined. */
  nodes = (count: number): Node[] => Array.from({ length: count }, (_, n) => this.node(n + 1)).flatMap((node) => node ?? []);

  /** The n-th node or its operator says something. */
  async say(n: number, input: NodeReport | NodeCommand): Promise<Decision<Node>> {
    this.#inputs += 1;
    const named = { ...input, id: `input-${this.#inputs}`, node: nodeId(n), ...(input.type === 'join' && { fqdn: nodeFqdn(n) }) };
    const ref = { noun: 'node', id: nodeId(n) };
    return (await apply<Node, NodeReport | NodeCommand>(this.shell, ref, named as NodeReport, decide)).decision;
  }

  sweep = (): Promise<void> => sweep(this.shell);
  sweepElsewhere = (): Promise<void> => sweep(this.#other);

  /** The zone as somebody reads it who never read it before, and as the reader has it who reads only what moved. */
  async read(): Promise<{ whole: LoadedZone; kept: LoadedZone }> {
    const whole = await zoneNow({ ...this.shell, caches: new Map() }, defaultZone);
    const kept = await zoneNow(this.reader, defaultZone);
    return { whole: whole!, kept: kept! };
  }
}
