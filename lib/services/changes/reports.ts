import type { ProcessTable } from '../../../events/reported/process.ts';
import type { ServiceReport } from '../../../events/reported/service.ts';
import { Refusal } from '../../api/problem.ts';
import type { Verdict } from '../../core/check.ts';
import { type Decision, type Follower, isSame, type Plan, type PlannedChange, type RowRef } from '../../core/decision.ts';
import type { Ref } from '../../core/ref.ts';
import type { StepBeside } from '../../core/step.ts';
import type { EpochMs } from '../../core/time.ts';
import { desiredRef } from '../../nodes/desired/desired.ts';
import { decideOrder } from '../../nodes/desired/rows/order.ts';
import { type Node, nodeRef } from '../../nodes/node.ts';
import { contradictTable } from '../../nodes/rows/table.ts';
import type { Row } from '../../ports/table/table.ts';
import { applyPlan, type Reading } from '../../runtime/apply-plan.ts';
import { changeOfRow, stateOf } from '../../runtime/content.ts';
import type { Shell } from '../../runtime/shell.ts';
import { ofStations } from '../../stations/reactions.ts';
import { siteOrderChanges } from '../../stations/site-orders/reactions.ts';
import { decide } from '../decide.ts';
import { followers } from '../followers.ts';
import { servicesOf } from '../reads/of-node.ts';
import { isNews } from '../reads/told.ts';
import { isOpenAfter, type TableReport } from '../resync.ts';
import { type Service, serviceRef } from '../service.ts';
import { checksFor, remembered } from './judged.ts';
import { lookAfterService } from './supervision.ts';

/** A plan about one service: the decision, and the row that it was made on. */
export type ServicePlan = Plan & { readonly decision: Decision<Service>; readonly row: Row | undefined };

/**
 * Plans a decision about a service with all rows that change with it, in one commit: the holders of its name and its
 * resources, its agent's orders, and the rows of the stations that depend on it.
 */
export async function planService(
  reading: Reading,
  { ref, row }: { readonly ref: RowRef; readonly row: Row | undefined },
  decision: Decision<Service>,
  now: EpochMs,
): Promise<ServicePlan> {
  const because = [decision.because];
  if (decision.does === 'nothing') return { changes: [], because, decision, row };
  const before = stateOf<Service>(row, now);
  const dependents = [
    ...followers(before, decision),
    ...orders(before, decision),
    ...tableAgain(before, decision),
    ...ofStations(before, decision, now),
    ...siteOrderChanges(before, decision, now),
  ];
  const rows = await reading.rows(dependents.map((one) => one.ref));
  const changes = dependents.map((one, i): PlannedChange => changeOfRow(one.ref, rows[i], one.decide(stateOf(rows[i], now))));
  return { changes: [{ ref, readRev: row?.rev ?? 0, decision }, ...changes], because, decision, row };
}

/** Carries out a plan about one service, and has the supervision planned again where that depends on it. */
export async function applyService<P extends ServicePlan>(
  shell: Shell,
  input: { readonly id: string },
  make: (reading: Reading) => Promise<P>,
): Promise<P> {
  const plan = await applyPlan(shell, input, make);
  await lookAfterService(shell, stateOf<Service>(plan.row, shell.now()), plan.decision);
  return plan;
}

/** Notifies the agent of a service whose orders change. */
function orders(before: Service | undefined, decision: Decision<Service>): Follower[] {
  const after = decision.does === 'write' ? decision.next : undefined;
  if (decision.does === 'nothing' || !isNews(before, after)) return [];
  return [followerOf(desiredRef((before ?? after)!.node), (state) => decideOrder(state, decision.because))];
}

const followerOf = <S>(ref: Ref<S>, decide: (state: S | undefined) => Decision<S>): Follower => ({
  ref,
  decide: (state) => decide(state as S | undefined),
});

/**
 * Has the agent report its table again where a configuration is that of another process than the one on record. Its
 * table may be the one on record: two machines with one boot report as one node.
 */
function tableAgain(before: Service | undefined, decision: Decision<Service>): Follower[] {
  const after = decision.does === 'write' ? decision.next : undefined;
  if (!after?.configuredBy || isSame(before?.configuredBy, after.configuredBy)) return [];
  return [followerOf(nodeRef(after.node), contradictTable)];
}

/**
 * Decides a report about a service with the rows that it depends on, and with a check by its schema where it needs one.
 */
export const applyToService = (shell: Shell, report: ServiceReport, step: StepBeside): Promise<ServicePlan> => {
  const check = checksFor(shell, { who: `node:${report.node}`, source: '' });
  // A node that has used up its processor time gets no error: its check is late.
  const checked = remembered((asked) => check(asked).catch(lateFor));
  return applyService(shell, report, async (reading) => {
    const [row, ...beside] = await reading.rows([step.ref, ...step.beside]);
    const now = shell.now();
    const [state, besides] = [stateOf(row, now), beside.map((one) => stateOf(one, now))];
    const asked = step.check?.(state, besides);
    const verdict = asked && (await checked(asked));
    return planService(reading, { ref: step.ref, row }, step.decide(state, besides, now, verdict) as Decision<Service>, now);
  });
};

function lateFor(error: unknown): Verdict {
  if (error instanceof Refusal && error.type === 'rate-limited') return { is: 'late', because: error.message };
  throw error;
}

/** How many rows a table changed, and whether a report since contradicts it about one of them. */
export type TableEffect = { readonly changed: number; readonly contradicted: boolean };

/**
 * Applies the table of a node to each service of that node, one after another, each step valid by itself. A node that
 * never had a service costs nothing.
 */
export async function applyServiceTable(
  shell: Shell,
  {
    id,
    node,
    table,
    origin,
  }: { readonly id: string; readonly node: Node; readonly table: ProcessTable; readonly origin: Omit<TableReport, 'type' | 'entry'> },
): Promise<TableEffect> {
  if (!node.services) return { changed: 0, contradicted: false };
  const entries = new Map((table.services ?? []).map((entry) => [entry.service, entry]));
  let [changed, contradicted] = [0, false];
  for (const service of await servicesOf(shell, node)) {
    const input: TableReport = { ...origin, type: 'table', entry: entries.get(service.type) };
    const effect = await applyToOne(shell, `${id}/${service.type}`, service, input);
    changed += effect.changed;
    contradicted ||= effect.contradicted;
  }
  return { changed, contradicted };
}

async function applyToOne(shell: Shell, id: string, service: Service, input: TableReport): Promise<TableEffect> {
  const ref = serviceRef(service);
  const { changes, decision, contradicted } = await applyService(shell, { id }, async (reading) => {
    const row = await reading.row(ref);
    const now = shell.now();
    const state = stateOf(row, now);
    const plan = await planService(reading, { ref, row }, decide(state, input, {}, now), now);
    return { ...plan, contradicted: state !== undefined && isOpenAfter(state, input) };
  });
  shell.log(decision.does === 'nothing' ? 'debug' : 'info', 'report.applied', {
    id,
    type: input.type,
    row: `${ref.noun} ${ref.id}`,
    does: decision.does,
    because: decision.because,
  });
  return { changed: changes.length, contradicted };
}
