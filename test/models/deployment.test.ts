import fc from 'fast-check';
import { describe, it } from 'vitest';
import {
  admittedNodes,
  Deployment,
  type DeploymentCommand,
  intervalOf,
  decideDeployment as productDecide,
} from '../../lib/deployment/deployment.ts';
import { apply } from '../../lib/runtime/apply.ts';
import { endsInSomeOrder } from './at-once.ts';
import { always, command, findsFault, type Model, same } from './model.ts';
import { KeptRow } from './row.ts';

/** What was last counted of each zone, and set by an operator. */
type Remembered = { readonly nodes: Record<string, number>; beatMinMs: number | undefined };

const wish = fc.oneof(
  fc.record({
    type: fc.constant('admitted' as const),
    zone: fc.constantFrom('default', 'branch'),
    nodes: fc.constantFrom(0, 1, 400, 20_000),
  }),
  fc.record({ type: fc.constant('set' as const), beatMinMs: fc.constantFrom(undefined, 100, 1_000) }),
);
type Wish = typeof wish extends fc.Arbitrary<infer W> ? W : never;

function holds({ nodes, beatMinMs }: Remembered, { state }: KeptRow<Deployment>): void {
  const all = Object.values(nodes).reduce((sum, n) => sum + n, 0);
  same(state?.admitted ?? {}, nodes, 'each zone counts for itself, by its last count');
  same(admittedNodes(state), all, 'the nodes of all zones are their sum');
  const interval = Math.min(300_000, Math.max(beatMinMs ?? 10_000, all * 20));
  same(intervalOf(state, 10_000), interval, 'all nodes together beat 50 times a second at the most, none faster than was set');
}

const aModelOf = (decide: typeof productDecide): Model<Remembered, KeptRow<Deployment>> => ({
  begin: () => ({
    model: { nodes: {}, beatMinMs: undefined },
    real: new KeptRow<Deployment>({ noun: 'deployment', id: 'deployment' }, Deployment),
  }),
  commands: [
    wish.map((one) =>
      command(JSON.stringify(one), async (model, row) => {
        if (one.type === 'admitted') model.nodes[one.zone] = one.nodes;
        else model.beatMinMs = one.beatMinMs ?? model.beatMinMs;
        await row.take(asked(one, row), decide);
        holds(model, row);
        same((await row.take(asked(one, row), decide)).does, 'nothing', 'what is said again changes nothing');
      }),
    ),
    fc.tuple(wish, wish).map((both) =>
      command(`at once: ${JSON.stringify(both)}`, async (_model, row) => {
        const [one, other] = both.map((each) => asked(each, row)) as [DeploymentCommand, DeploymentCommand];
        const told = (input: DeploymentCommand) => (shell: typeof row.shell) =>
          apply<Deployment, DeploymentCommand>(shell, row.ref, input, decide);
        await endsInSomeOrder(row.shell, told(one), told(other));
      }),
    ),
  ],
});

const asked = (one: Wish, row: KeptRow<Deployment>): DeploymentCommand => ({ ...one, id: row.newId() });

describe("the deployment's row", () => {
  it('keeps its laws whatever is counted and set', () => always(aModelOf(productDecide), { numRuns: 100 }));

  it('is found out when a count of one zone forgets the others', () =>
    findsFault(
      aModelOf((state, asks) => {
        const decision = productDecide(state, asks);
        if (decision.does !== 'write' || asks.type !== 'admitted') return decision;
        return { ...decision, next: { ...decision.next, admitted: { [asks.zone]: asks.nodes } } };
      }),
      'each zone counts for itself',
    ));
});
