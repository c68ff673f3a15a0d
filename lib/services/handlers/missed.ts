import type { SupervisorReport } from '../../../events/reported/supervisor.ts';
import { type Decision, nothing, type RowRef } from '../../core/decision.ts';
import type { StepBeside } from '../../core/step.ts';
import { type Node, nodeRef } from '../../nodes/node.ts';
import { applyPlan } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import { inParts } from '../../runtime/in-parts.ts';
import type { Shell } from '../../runtime/shell.ts';
import { applyService, planService } from '../changes/reports.ts';
import { askMissed, newlyMissed } from '../missed.ts';
import { servicesOf } from '../reads/of-node.ts';
import { type Service, serviceRef, supervisorType } from '../service.ts';
import type { Missed, WatchSet } from '../watch-set.ts';

/**
 * The maximum number of services that are checked for one report of a supervisor, and how many at once. If more fall
 * silent together, the network between them is the cause.
 */
const askedMax = 1_000;
const atOnce = 20;

/**
 * Applies the report of a supervisor about what it misses. Each service that it newly misses is checked, and then the
 * set records the report. If another report was faster, the supervisor newly misses other services, and those are
 * checked first. If a function dies in between, the report is delivered again, and no service is checked twice.
 */
export async function applyMissed(shell: Shell, report: SupervisorReport, step: StepBeside): Promise<Decision<unknown>> {
  const { decision } = await applyPlan(shell, report, async (reading) => {
    const [row, ...beside] = await reading.rows([step.ref, ...step.beside]);
    const now = shell.now();
    const before = stateOf<WatchSet>(row, now);
    const decided = step.decide(
      before,
      beside.map((one) => stateOf(one, now)),
      now,
    ) as Decision<WatchSet>;
    const because = [decided.because];
    if (decided.does !== 'write') return { changes: [], because, decision: decided };
    const refs = (await Promise.all(newlyMissed(before, decided.next).map((one) => missedServices(shell, decided.next, one)))).flat();
    await inParts(refs.slice(0, askedMax), atOnce, (ref) => askOne(shell, ref, report.id));
    return { changes: [{ ref: step.ref, readRev: row!.rev, decision: decided }], because, decision: decided };
  });
  return decision;
}

/**
 * The services that an entry means: one service of the supervisor's own node, all services of another node, or another
 * supervisor.
 */
async function missedServices(shell: Shell, { supervisors }: WatchSet, { node, service }: Missed): Promise<RowRef[]> {
  if (service !== undefined) return [serviceRef({ node, type: service })];
  if (supervisors.some((one) => one.node === node)) return [serviceRef({ node, type: supervisorType })];
  const services = await servicesOf(shell, { id: node });
  return services.filter(({ type }) => type !== supervisorType).map((one) => serviceRef(one));
}

async function askOne(shell: Shell, ref: RowRef, ask: string): Promise<void> {
  const { decision } = await applyService(shell, { id: `${ask}/${ref.id}` }, async (reading) => {
    const row = await reading.row(ref);
    const now = shell.now();
    const service = stateOf<Service>(row, now);
    const node = service && stateOf<Node>(await reading.row(nodeRef(service.node)), now);
    return planService(reading, { ref, row }, node ? askMissed(service, { node, ask }, now) : nothing('there is no such service'), now);
  });
  shell.log('info', 'report.applied', { id: ask, row: `${ref.noun} ${ref.id}`, does: decision.does, because: decision.because });
}
