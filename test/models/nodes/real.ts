import type { NodeReport } from '../../../events/reported/node.ts';
import type { Decision, Tick } from '../../../lib/core/decision.ts';
import { plusMs } from '../../../lib/core/time.ts';
import type { NodeCommand } from '../../../lib/nodes/command.ts';
import { decide as productDecide } from '../../../lib/nodes/decide.ts';
import { Node } from '../../../lib/nodes/node.ts';
import { apply } from '../../../lib/runtime/apply.ts';
import { applyPlan } from '../../../lib/runtime/apply-plan.ts';
import { resolveStanding } from '../../../lib/zones/map/follow.ts';
import type { TestShell } from '../../../tools/support/a-shell.ts';
import { nodeId } from '../../../tools/support/builders.ts';
import { endsInSomeOrder } from '../at-once.ts';
import { keeps, same } from '../model.ts';
import { KeptRow } from '../row.ts';
import { type NodeStep, nodeLaws } from './laws.ts';
import { type Remembered, remember } from './remembered.ts';

type Input = NodeReport | NodeCommand | (Tick & { readonly id: string });
export type NodeDecide = typeof productDecide;

/** One node's row, kept by the real shell, and what is said to it. */
export class NodeReal {
  readonly row = new KeptRow<Node>({ noun: 'node', id: nodeId(1) }, Node);
  readonly #decide: NodeDecide;

  readonly #seen: Set<string>;

  /** `seen` is told every move of the status that was made. */
  constructor(decide: NodeDecide = productDecide, seen = new Set<string>()) {
    this.#decide = decide;
    this.#seen = seen;
  }

  /** A report or an order arrives; what is said twice must change nothing more. */
  async hear(model: Remembered, input: Input, losesAnswer = false): Promise<void> {
    await this.#step(model, 'decide', input, () => this.row.take(input, this.#decide, { losesAnswer }));
    const { state, shell } = this.row;
    const again = this.#decide(state, input, shell.now());
    if ('receivedAt' in input) same(again.does, 'nothing', 'a report that comes again changes nothing');
    else if (again.does === 'write') same([again.next, again.events], [{ ...state }, []], 'an order that is repeated changes nothing more');
  }

  tick(model: Remembered, graceMs: number): Promise<void> {
    const { shell } = this.row;
    const tick = { type: 'tick' as const, id: this.row.newId(), ...(graceMs > 0 && { graceUntil: plusMs(shell.now(), graceMs) }) };
    return this.#step(model, 'decide', tick, () => this.row.take(tick, this.#decide));
  }

  /** The zone's plan follows the node, as it does for every node that is due. */
  async follow(model: Remembered, ownedSlots: number): Promise<void> {
    const { row } = this;
    if (!row.state) return;
    const id = row.newId();
    await this.#step(model, 'plan', { type: 'plan' }, async () => {
      let decision: Decision<Node> | undefined;
      const before = row.row;
      await applyPlan(row.shell, { id }, async (reading) => {
        const read = await reading.row(row.ref);
        decision = resolveStanding(read!.body as Node, {
          before: 'up',
          ownedSlots,
          now: row.shell.now(),
          because: read!.because,
          brakes: {},
        }).node;
        const changes = decision.does === 'nothing' ? [] : [{ ref: row.ref, readRev: read!.rev, decision }];
        return { changes, because: [] };
      });
      if (decision!.does !== 'nothing')
        row.holdTo({ before, after: row.row, decision: decision!, input: { id }, now: row.shell.now(), exact: true });
      return decision!;
    });
  }

  /** Two inputs reach the row at the same moment. */
  async both(model: Remembered, one: Input, other: Input): Promise<void> {
    const { shell, ref } = this.row;
    const told = (input: Input) => (on: TestShell) => apply<Node, Input>(on, ref, input, this.#decide);
    await endsInSomeOrder(shell, told(one), told(other));
    await this.hear(model, one);
    await this.hear(model, other);
  }

  async #step(model: Remembered, by: NodeStep['by'], input: NodeStep['input'], carryOut: () => Promise<Decision<Node>>): Promise<void> {
    const before = this.row.state;
    const decision = await carryOut();
    const events = decision.does === 'nothing' ? [] : decision.events.map(({ type }) => type);
    const { state: after, row, shell } = this.row;
    const step = { by, input, before, after, row, events, now: shell.now(), remembered: { ...model } };
    keeps(nodeLaws, step);
    if (before && after && before.status !== after.status) this.#seen.add(`${by}: ${before.status} → ${after.status}`);
    remember(model, step);
  }
}
