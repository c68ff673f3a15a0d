import { type AdoptPlan, adoptSystems } from '../../../clients/changes/adopt.ts';
import { type Plan, type PlannedChange, write } from '../../../core/decision.ts';
import { desiredRef } from '../../../nodes/desired/desired.ts';
import { decideAdopt } from '../../../nodes/desired/rows/order.ts';
import type { Node } from '../../../nodes/node.ts';
import { refuseStranger } from '../../../nodes/verify-life.ts';
import { type NodeCaller, nodeOf } from '../../../nodes/verify-node.ts';
import { applyPlan, type Reading } from '../../../runtime/apply-plan.ts';
import { stateOf } from '../../../runtime/content.ts';
import type { Answer, Call } from '../../../runtime/on-route.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { forgetZone } from '../../../zones/reads/zones.ts';
import type { Offered, uyuniNodeRoutes } from '../../node-routes.ts';
import { decideEnd, isOpen, type Outcomes, withOutcomes } from '../decide.ts';
import { type Adoption, adoptionRef } from '../rows/adoption.ts';

type Reporting = Call<(typeof uyuniNodeRoutes)['reportAdoption'], NodeCaller>;

/**
 * Adopts the systems that a node offers, as many in each commit as fit, with the count of what became of them: a report
 * that is repeated passes over those that were taken. An order that has ended, or was replaced by another, takes
 * nothing.
 */
export async function reportAdoption({ params, body, caller, request }: Reporting, shell: Shell): Promise<Answer> {
  const node = nodeOf(caller);
  refuseStranger(node, body.incarnation);
  const offered = [...body.systems].sort((a, b) => (a.minion < b.minion ? -1 : 1));
  const report: Report = { ...body, systems: offered };
  let state: Adoption | undefined;
  try {
    for (let n = 0; ; n++) {
      const step = await applyPlan(shell, { id: `${request.id}-${n}` }, (reading) => planned(shell, reading, node, report));
      state = step.state;
      if (!step.goesOn) break;
    }
  } finally {
    forgetZone(shell, node.zone);
  }
  const own = state?.order === body.order ? state : undefined;
  const after = own?.after;
  shell.log('info', 'adoption.taken', { node: params.id, systems: offered.length, state: state?.state, after });
  return { status: 200, body: { open: own !== undefined && isOpen(own), ...(after !== undefined && { after }) } };
}

type Report = {
  readonly order: string;
  readonly total: number;
  readonly systems: readonly Offered[];
  readonly end?: { readonly why?: string | undefined } | undefined;
};

/** `state`: the adoption after the plan; `goesOn`: more systems of the report are for the next commit. */
type Step = Plan & { readonly state: Adoption | undefined; readonly goesOn: boolean };

async function planned(shell: Shell, reading: Reading, node: Node, report: Report): Promise<Step> {
  const row = await reading.row(adoptionRef(node.id));
  const adoption = stateOf(row, shell.now());
  if (!adoption || adoption.order !== report.order || !isOpen(adoption))
    return { state: adoption, goesOn: false, because: ['no such order is open'], changes: [] };
  const readRev = row?.rev ?? 0;
  const after = adoption.after ?? '';
  const rest = report.systems.filter(({ minion }) => minion > after);
  if (rest.length === 0) return ended(shell, reading, node, { adoption, readRev, report });
  if (adoption.generation !== node.generation || node.index === undefined)
    return ended(shell, reading, node, { adoption, readRev, report: { ...report, end: { why: 'the node has joined anew since' } } });
  const { outcomes, changes } = await taken(shell, reading, { node, index: node.index, adoption, systems: rest });
  const next = withOutcomes(adoption, outcomes, report.total, shell.now());
  const because = `${outcomes.length} systems were taken`;
  return {
    state: next,
    goesOn: outcomes.length < rest.length || report.end !== undefined,
    because: [because],
    changes: [{ ref: adoptionRef(node.id), readRev, decision: write<Adoption, never>(next, because), besides: true }, ...changes],
  };
}

type Taking = { readonly node: Node; readonly index: number; readonly adoption: Adoption; readonly systems: readonly Offered[] };

/** What becomes of the first systems. A dry run changes nothing. */
async function taken(
  shell: Shell,
  reading: Reading,
  { node, index, adoption, systems }: Taking,
): Promise<{ readonly outcomes: Outcomes; readonly changes: AdoptPlan['changes'] }> {
  const { id, generation, fqdn: name, zone } = node;
  const { order, by, dryRun, duplicates } = adoption;
  const asked = systems.map(({ minion, ofText, ...system }) => ({ ...system, minion: { id: minion, ofText } }));
  const adopting = { id: order, by, zone, node: { id, index, generation, name }, duplicates, dryRun };
  const plan = await adoptSystems(shell, reading, asked, adopting);
  const outcomes = plan.outcomes.map((outcome, n) => ({ ...outcome, minion: systems[n]?.minion ?? '', name: systems[n]?.name ?? '' }));
  return { outcomes, changes: plan.changes };
}

type Ending = { readonly adoption: Adoption; readonly readRev: number; readonly report: Report };

/** The last report ends the adoption, and the agent is not asked for it any more. */
async function ended(shell: Shell, reading: Reading, { id }: Node, { adoption, readRev, report }: Ending): Promise<Step> {
  const counted = { ...adoption, total: report.total };
  if (!report.end) return { state: adoption, goesOn: false, because: ['nothing new was offered'], changes: [] };
  const decision = decideEnd(counted, report.end.why, shell.now());
  const desired = await reading.row(desiredRef(id));
  const told = decideAdopt(stateOf(desired, shell.now()), undefined);
  const changes: PlannedChange[] = [
    { ref: adoptionRef(id), readRev, decision, besides: true },
    { ref: desiredRef(id), readRev: desired?.rev ?? 0, decision: told, besides: true },
  ];
  return { state: decision.does === 'write' ? decision.next : adoption, goesOn: false, because: [decision.because], changes };
}
