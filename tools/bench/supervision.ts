import { type RowRef, write } from '../../lib/core/decision.ts';
import { Fqdn, type NodeId, ServiceName, ServiceTypeName, ZoneName } from '../../lib/core/ids.ts';
import { secondMs } from '../../lib/core/time.ts';
import { keyOf } from '../../lib/ports/table/keys.ts';
import { contentOf } from '../../lib/runtime/content.ts';
import { type Service, serviceRef, supervisorType } from '../../lib/services/service.ts';
import { planSupervisionNow } from '../../lib/services/tick/supervision.ts';
import { planSets, supervisionRef } from '../../lib/services/watch-set.ts';
import { aShell, type TestShell } from '../support/a-shell.ts';
import { aNode, noon } from '../support/builders.ts';
import type { Figure } from './report/figure.ts';
import { program } from './report/program.ts';
import { median, nsPerCall, spread } from './rounds.ts';
import { nodeIdAt } from './zone.ts';

const zone = ZoneName.parse('default');
const nodes = 500;
/** Instances on all nodes together, for the rows of a hand-over. */
const totals = [1_000, 10_000] as const;
/** A supervisor on each node, and on one in 25. */
const supervisors = [500, 20] as const;
const repeats = { calls: 10, rounds: 15 };

const ids = (count: number): NodeId[] => Array.from({ length: count }, (_, n) => nodeIdAt(Math.floor((n * nodes) / count)));
const addressOf = (node: NodeId) => `${node}.acme.org:4505`;

/** The sets of a zone in which all is well, and those after the supervisor in their middle dies. */
function handOver(count: number) {
  const watching = ids(count);
  const context = { zone, nodes: ids(nodes), addressOf };
  const before = planSets([], { ...context, supervisors: watching }).changed;
  const dead = watching[count >> 1]!;
  const without = watching.filter((one) => one !== dead);
  return { before, plan: () => planSets(before, { ...context, supervisors: without }) };
}

function planning(count: number): Figure {
  const { before, plan } = handOver(count);
  const { changed, ended } = plan();
  const ms = nsPerCall(() => plan().changed.length, repeats).map((ns) => ns / 1e6);
  const sets = before.length;
  const note = `${changed.length + ended.length} of ${sets} sets change; processor time, ${spread(ms, (one) => one.toFixed(2))}`;
  return {
    what: `plan a hand-over (${nodes} nodes, ${count} supervisors)`,
    measured: median(ms),
    unit: 'ms',
    target: { atMost: 50 },
    note,
  };
}

/** A service that is in that state. */
const aService = (node: NodeId, type: ServiceTypeName, state: Service['state']): Service => ({
  type,
  name: ServiceName.parse(type),
  node,
  host: Fqdn.parse(`${node}.acme.org`),
  zone,
  registered: noon,
  start: 1,
  configuration: '{}',
  state,
  since: noon,
  resources: [],
  asks: [],
  results: [],
  limits: { startMs: 1_000, stopMs: 1_000, askMs: 1_000 },
});

async function put(shell: TestShell, ref: RowRef, state: object): Promise<void> {
  const row = await shell.table.read(keyOf(ref));
  const decision = write<object, never>(state, 'as the bench has it', { wakeAt: shell.now() });
  const content = contentOf(ref, row, decision, { by: shell.newId(), at: shell.now(), exact: true })!;
  await shell.table.commit([{ put: content, readRev: row?.rev ?? 0 }]);
}

/** The rows that a sweep writes and reads when the supervisor in the middle dies, with so many instances in all. */
async function handedOver(total: number, count: number) {
  const shell = aShell({ sweepPeriodMs: 5 * secondMs });
  const watching = ids(count);
  const all = ids(nodes);
  for (const node of all) await put(shell, { noun: 'node', id: node }, aNode({ id: node, services: true }));
  for (const node of all)
    for (let n = 0; n < (total - count) / nodes; n++) {
      const service = aService(node, ServiceTypeName.parse(`worker-${n}`), { is: 'online' });
      await put(shell, serviceRef(service), service);
    }
  for (const node of watching)
    await put(shell, serviceRef({ node, type: supervisorType }), aService(node, supervisorType, { is: 'online' }));
  await put(shell, supervisionRef(zone), { zone });
  await planSupervisionNow(shell, zone);
  const dead = watching[count >> 1]!;
  await put(shell, serviceRef({ node: dead, type: supervisorType }), aService(dead, supervisorType, { is: 'failed', reason: 'killed' }));
  const before = { ...shell.table.meter };
  const began = process.cpuUsage();
  await planSupervisionNow(shell, zone);
  const { user, system } = process.cpuUsage(began);
  const { rowsWritten, writeUnits, readUnits } = shell.table.meter;
  return {
    rows: rowsWritten - before.rowsWritten,
    note: `${writeUnits - before.writeUnits} write units and ${Math.round(readUnits - before.readUnits)} read units; ${((user + system) / 1_000).toFixed(0)} ms of processor time with all reading and writing`,
  };
}

async function rows(total: number, count: number): Promise<Figure> {
  const { rows: measured, note } = await handedOver(total, count);
  const what = `rows written for a hand-over (${total.toLocaleString('en-US')} instances on ${nodes} nodes, ${count} supervisors)`;
  return { what, measured, unit: 'rows', note };
}

await program(async () => {
  const figures = supervisors.map(planning);
  for (const count of supervisors) for (const total of totals) figures.push(await rows(total, count));
  return figures;
});
