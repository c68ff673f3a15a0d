import fc from 'fast-check';
import { describe, it } from 'vitest';
import type { NodeUp } from '../../events/reported/node.ts';
import { nothing } from '../../lib/core/decision.ts';
import { plusMs } from '../../lib/core/time.ts';
import { Host, decideHost as productDecide } from '../../lib/nodes/hosts/host.ts';
import { nodeId } from '../../tools/support/builders.ts';
import { aNodeUp, someFacts } from '../unit/nodes/reports.ts';
import { always, command, findsFault, keeps, law, type Model, same } from './model.ts';
import { KeptRow } from './row.ts';

/** Every node-up so far, as they came. */
type Remembered = { readonly said: NodeUp[] };
type Step = {
  readonly host: Host | undefined;
  readonly before: Host | undefined;
  readonly said: readonly NodeUp[];
};

const laws = [
  law<Step>('facts received earlier take nothing back', ({ host, before }) => (host?.at ?? 0) >= (before?.at ?? 0)),
  law<Step>('facts on record were said, all together and just then', ({ host, said }) =>
    said.some(({ receivedAt, data }) => receivedAt === host?.at && data.facts.cpus === host.cpus && data.facts.address === host.address),
  ),
  law<Step>('the newest facts are on record', ({ host, said }) => host?.at === Math.max(...said.map(({ receivedAt }) => receivedAt))),
];

async function hear(model: Remembered, row: KeptRow<Host>, up: NodeUp, decide: typeof productDecide): Promise<void> {
  const before = row.state;
  model.said.push(up);
  await row.take({ ...up, id: row.newId() }, decide);
  keeps(laws, { host: row.state, before, said: model.said });
  same((await row.take({ ...up, id: row.newId() }, decide)).does, 'nothing', 'facts that come again change nothing');
}

const aModelOf = (decide: typeof productDecide): Model<Remembered, KeptRow<Host>> => ({
  begin: () => ({ model: { said: [] }, real: new KeptRow<Host>({ noun: 'host', id: nodeId(1) }, Host) }),
  commands: [
    fc.constantFrom(1, 5_000).map((ms) => command(`wait ${ms}`, async (_model, row) => row.shell.step(ms))),
    fc
      .record({ lateMs: fc.constantFrom(0, 0, 7_000), cpus: fc.constantFrom(2, 4), address: fc.constantFrom('192.0.2.1', '192.0.2.2') })
      .map(({ lateMs, cpus, address }) =>
        command(`node-up, ${cpus} CPUs, ${address}, ${lateMs} ms late`, async (model, row) => {
          const up = aNodeUp({ receivedAt: plusMs(row.shell.now(), -lateMs) });
          await hear(model, row, { ...up, data: { ...up.data, facts: { ...someFacts, cpus, address } } }, decide);
        }),
      ),
  ],
});

describe('the facts of a host', () => {
  it('keep their laws in whatever order node-ups come', () => always(aModelOf(productDecide), { numRuns: 100 }));

  it('are found out when their moment is not kept', () =>
    findsFault(
      aModelOf((host, up) => {
        const decision = productDecide(host, up);
        return decision.because === 'the host is as it was' ? nothing(decision.because) : decision;
      }),
      'the newest facts are on record',
    ));

  it('are found out when older ones are believed', () =>
    findsFault(
      aModelOf((host, up) => productDecide(host && up.receivedAt < host.at ? { ...host, at: plusMs(up.receivedAt, -1) } : host, up)),
      'facts received earlier take nothing back',
    ));
});
