import { type Decision, type Plan, type PlannedChange, write } from '../../core/decision.ts';
import type { NodeId } from '../../core/ids.ts';
import { type EpochMs, minuteMs, plusMs } from '../../core/time.ts';
import { type Desired, desiredRef } from '../../nodes/desired/desired.ts';
import { decideOrder } from '../../nodes/desired/rows/order.ts';
import { type Node, nodeRef } from '../../nodes/node.ts';
import { isAway } from '../../nodes/rows/away.ts';
import { keyOf } from '../../ports/table/keys.ts';
import type { Row } from '../../ports/table/table.ts';
import { applyPlan, type Reading } from '../../runtime/apply-plan.ts';
import { fitsCommit } from '../../runtime/commit-size.ts';
import { stateOf } from '../../runtime/content.ts';
import { readListed } from '../../runtime/read.ts';
import { restUntil } from '../../runtime/rest.ts';
import type { Shell } from '../../runtime/shell.ts';
import { zoneOf } from '../../zones/reads/zones.ts';
import { listedNodes, watchSetRows } from '../reads/supervision.ts';
import { serviceRef, supervisorType } from '../service.ts';
import {
  type PlannedSets,
  planSets,
  type SetsInput,
  type SupervisionHead,
  supervisionRef,
  type WatchSet,
  watchSetRef,
} from '../watch-set.ts';

/**
 * How often the supervision is planned without a notice of a change, in ms: the list of services follows their rows,
 * the address of a node may change, and the sender of the notice may have died.
 */
export const planEveryMs = minuteMs;
/** The same where there is no supervisor, in ms: one may have been registered that the list did not contain yet. */
export const idleEveryMs = 10 * minuteMs;
/**
 * The maximum number of sets that change in one commit, each with the notification of its node: as many as a commit has
 * room for.
 */
export const setsAtOnce = 45;
/** The maximum number of commits in one sweep. A zone with more changes continues in the next sweep. */
const stepsMax = 12;

/**
 * A plan of the supervision, and the revision that it rests on. `more`: there are further changes. `isIdle`: there is
 * no supervisor. `isOver`: nothing is left to plan.
 */
type Planned = Plan & { readonly rev: number; readonly more: boolean; readonly isIdle?: boolean; readonly isOver?: boolean };

/**
 * Plans the supervision of a zone. Where many sets change it makes several commits, each of which is valid by itself.
 */
export async function planSupervisionNow(shell: Shell, zone: string): Promise<void> {
  for (let step = 0; step < stepsMax; step++) {
    const planned = await applyPlan(shell, { id: `watch-${shell.newId()}` }, (reading) => planOnce(shell, reading, zone));
    const because = planned.because.join('; ');
    if (planned.changes.length > 0) shell.log('info', 'supervision.planned', { zone, rows: planned.changes.length, because });
    else {
      const wakeAt = planned.isOver ? undefined : plusMs(shell.now(), planned.isIdle ? idleEveryMs : planEveryMs);
      return restUntil(shell, supervisionRef(zone), { wakeAt, because, rev: planned.rev });
    }
    if (!planned.more) return;
  }
}

async function planOnce(shell: Shell, reading: Reading, zone: string): Promise<Planned> {
  const ref = supervisionRef(zone);
  const row = await reading.row(ref);
  const head = stateOf(row, shell.now());
  if (!head) return { changes: [], because: ['nothing is watched'], rev: row?.rev ?? 0, more: false, isOver: true };
  const rows = await watchSetRows(shell, zone);
  for (const one of rows) reading.remember(one);
  const before = rows.flatMap((one) => stateOf<WatchSet>(one, shell.now()) ?? []);
  const listed = await listedNodes(shell, zone);
  const input = await inputOf(shell, head, listed);
  const planned = planSets(before, input);
  const total = planned.changed.length + planned.ended.length;
  const rev = row!.rev;
  if (total === 0)
    return {
      changes: [],
      because: ['the sets of all supervisors are up to date'],
      rev,
      more: false,
      isIdle: input.supervisors.length === 0,
    };
  const because = `${input.supervisors.length} supervisors for the services of ${input.nodes.length} nodes: ${total} sets change`;
  for (let most = Math.min(total, setsAtOnce); ; most = Math.ceil(most / 2)) {
    const wakeAt = total > most ? shell.now() : plusMs(shell.now(), planEveryMs);
    const fence: PlannedChange = { ref, readRev: rev, decision: write<SupervisionHead, never>(head, because, { wakeAt }) };
    const changes = [fence, ...(await changesOf(reading, planned, { because, most }, shell.now()))];
    // The desired state of a node may be large because of its releases. That of one node always fits.
    if (most === 1 || fitsCommit(changes)) return { changes, because: [because], rev, more: total > most };
  }
}

/** The input of a plan of sets. Supervisors are those that are online on a node that is not away. */
async function inputOf(
  shell: Shell,
  { zone }: SupervisionHead,
  { nodes, supervisors }: Awaited<ReturnType<typeof listedNodes>>,
): Promise<SetsInput> {
  const ids = [...supervisors];
  const keys = ids.flatMap((node) => [keyOf(serviceRef({ node, type: supervisorType })), keyOf(nodeRef(node))]);
  const rows = await readListed(shell, serviceRef, keys);
  const now = shell.now();
  const online = ids.filter((_id, n) => {
    const service = stateOf(rows[2 * n], now);
    return service?.zone === zone && service.state.is === 'online' && !isAway(stateOf<Node>(rows[2 * n + 1], now));
  });
  const members = new Map((await zoneOf(shell, zone))?.members.flatMap((one) => (one ? [[one.node, one.watch] as const] : [])));
  return { zone, nodes: [...nodes], supervisors: online, addressOf: (node: NodeId) => members.get(node) };
}

type Some = { readonly because: string; readonly most: number };

/** The changes of at most `most` sets, each with the notification of its node. */
async function changesOf(
  reading: Reading,
  { changed, ended }: PlannedSets,
  { because, most }: Some,
  now: EpochMs,
): Promise<PlannedChange[]> {
  const decided: { readonly set: WatchSet; readonly decision: Decision<WatchSet> }[] = [
    ...ended.map((set) => ({ set, decision: { does: 'remove', last: set, events: [], because } as const })),
    ...changed.map((set) => ({ set, decision: write<WatchSet, never>(set, because) })),
  ];
  const some = decided.slice(0, most);
  const refs = some.flatMap(({ set }) => [watchSetRef(set), desiredRef(set.node)]);
  const rows = await reading.rows(refs);
  return some.flatMap(({ decision }, n): PlannedChange[] => {
    const [set, desired] = [rows[2 * n], rows[2 * n + 1]];
    const order = decideOrder(stateOf<Desired>(desired, now), because);
    return [
      { ref: refs[2 * n]!, readRev: set?.rev ?? 0, decision: goingOn(decision, set, now) },
      { ref: refs[2 * n + 1]!, readRev: desired?.rev ?? 0, decision: order },
    ];
  });
}

/**
 * A set that begins records when it began. A set that begins again retains the number of its supervisor's last report.
 * An earlier report that is delivered again is then recognized as old.
 */
function goingOn(decision: Decision<WatchSet>, row: Row | undefined, now: EpochMs): Decision<WatchSet> {
  if (decision.does !== 'write' || (row && !row.gone)) return decision;
  const heard = row && (row.body as WatchSet).heard;
  return { ...decision, next: { ...decision.next, ...(heard && { heard }), since: now } };
}
