import { type Concluded, nothing, type Plan, type Tick } from '../../core/decision.ts';
import { Later } from '../../core/errors.ts';
import type { NodeId } from '../../core/ids.ts';
import { leaseMsOf } from '../../core/lease.ts';
import { type EpochMs, earlier, plusMs } from '../../core/time.ts';
import { noteAdmitted } from '../../deployment/changes.ts';
import { intervalNow } from '../../deployment/reads.ts';
import { lookAtLevels } from '../../mero/levels/changes.ts';
import { nodeRef } from '../../nodes/node.ts';
import { apply } from '../../runtime/apply.ts';
import { applyPlan, type Reading } from '../../runtime/apply-plan.ts';
import { fillOf } from '../../runtime/commit-size.ts';
import { stateOf } from '../../runtime/content.ts';
import type { LogCode } from '../../runtime/log.ts';
import { readRow, readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { lookAtSupervision } from '../../services/changes/supervision.ts';
import { wantPowerCycled } from '../../stations/site-orders/changes.ts';
import { crowdedDueAt } from '../capacity/crowding.ts';
import { checkEveryMs } from '../guardrails/braking.ts';
import { isOn } from '../guardrails/now.ts';
import { standingAt } from '../map/rows/roster.ts';
import { pagesEveryMs, slotsMin } from '../map/rows/slots.ts';
import { admitted } from '../map/rows/standing.ts';
import type { ZoneMembers } from '../map/snapshot.ts';
import type { Cut } from '../placing/cut.ts';
import { paceDueAt } from '../placing/pace.ts';
import { isIncomplete, plan } from '../placing/plan.ts';
import { recoveryDueAt } from '../placing/recovery.ts';
import { forgetZone } from '../reads/zones.ts';
import { retentionEndsAt } from '../rows/kept.ts';
import type { LoadedZone } from '../rows/loaded.ts';
import { type ZoneHead, zoneRef } from '../zone.ts';
import { writePages } from './pages.ts';
import { readSnapshot } from './read-snapshot.ts';

/**
 * Plans a zone for its due nodes and applies the plan. Then does the work that the plan leaves to the sweep: the head's
 * own tick, pages, the count of admitted nodes. Gives the due nodes for which one commit had no room.
 */
export async function planZoneNow(shell: Shell, zone: string, nodes: readonly string[], tick: Tick): Promise<readonly string[]> {
  const id = `plan-${shell.newId()}`;
  const before = shell.now();
  const done = await applyPlan(shell, { id }, (reading) => planOnce(shell, reading, zone, nodes, tick));
  if (done.because.length > 0)
    shell.log('info', 'plan.applied', { zone, rows: done.changes.length, because: done.because.join('; '), ms: shell.now() - before });
  const has = (type: string) =>
    done.changes.filter(({ decision }) => decision.does === 'write' && decision.events.some((one) => one.type === type));
  for (const { ref, decision } of done.changes)
    for (const event of decision.does === 'write' ? decision.events : []) {
      const code = wakes(event);
      if (code) shell.log('warn', code, { zone, ...(ref.noun === 'node' && { node: ref.id }), because: decision.because });
    }
  forgetZone(shell, zone);
  const head = await settleHead(shell, zone);
  if (head) await noteAdmitted(shell, head);
  const lost = has('node.lost').map(({ ref }) => ref.id as NodeId);
  if (lost.length > 0 && head) await afterLoss(shell, head, lost);
  // A supervisor on a lost node watches nothing.
  if (lost.length > 0 || has('node.recovered').length > 0) await lookAtSupervision(shell, zone);
  return nodes.filter((node) => done.left.includes(node));
}

/**
 * Levels of a storage cluster depend on the processes of the lost host. On a site with actuators, the host is
 * power-cycled where a rule says so.
 */
async function afterLoss(shell: Shell, { name, kind, stations }: ZoneHead, lost: readonly NodeId[]): Promise<void> {
  if (kind === 'storage') await lookAtLevels(shell, name);
  if (stations) await wantPowerCycled(shell, name, lost);
}

/** The log code that an alarm counts, if this event of a plan has one. */
function wakes({ type, data }: Concluded): LogCode | undefined {
  if (type === 'node.quarantined') return (data as { readonly reason?: string }).reason === 'flapping' ? 'node.flapping' : undefined;
  return type === 'zone.disrupted' || type === 'zone.crowded' || type === 'zone.recovery-late' ? type : undefined;
}

/** A plan of a zone, with the due nodes that it leaves to a later one. */
type ZonePlan = Plan & { readonly left: readonly string[] };

/**
 * Makes the plan. It may first need the desired states of nodes that lose slots, the rows of all members, or suspects
 * that are no longer held; it is then made again with them. Each round reads more, and a zone has a limited number of
 * nodes. Throws {@link Later} when the plan asks again for rows that it has: the next sweep plans the zone anew, and
 * this sweep continues with other zones.
 */
async function planOnce(shell: Shell, reading: Reading, zone: string, nodes: readonly string[], { graceUntil }: Tick): Promise<ZonePlan> {
  const processed = new Set(nodes);
  const wanted = new Set<string>();
  let allMembers: ZoneMembers | undefined;
  let cut: Cut | undefined;
  for (let readSize = -1; readSize < readSizeOf(processed, wanted, allMembers); ) {
    readSize = readSizeOf(processed, wanted, allMembers);
    const snapshot = await readSnapshot(shell, reading, zone, [...processed], [...wanted]);
    if (!snapshot) return { changes: [], because: [], left: [] };
    const fill = (changes: Plan['changes']) => fillOf(changes, shell.settings.planRowsMax);
    const planned = plan({ ...snapshot, graceUntil, allMembers, asked: processed }, shell.now(), fill, cut);
    if (!isIncomplete(planned)) return planned;
    cut = planned.cut;
    if (planned.looks) allMembers = await readMembers(shell, snapshot.zone);
    for (const node of planned.follows ?? []) processed.add(node);
    for (const node of planned.needs) wanted.add(node);
  }
  throw new Later('plan.asks-again', `the plan of zone ${zone} asks again for rows that it has read`);
}

/** How much a plan has read; grows with each round. */
const readSizeOf = (followed: ReadonlySet<string>, wanted: ReadonlySet<string>, look: ZoneMembers | undefined): number =>
  followed.size + wanted.size + (look ? 1 : 0);

/**
 * Reads the rows of all members at once, without remembering their revisions: the plan is not fenced by the rows that
 * the guard-rails read.
 */
async function readMembers(shell: Shell, { head, members }: LoadedZone): Promise<ZoneMembers> {
  const ids = members.flatMap((member, index) => (member && admitted(standingAt(head.roster, index)) ? [member.node] : []));
  const rows = await readRows(
    shell,
    ids.map((id) => nodeRef(id)),
  );
  const nodes = rows.flatMap((row) => stateOf(row, shell.now()) ?? []);
  return { nodes, leaseMs: Math.round(leaseMsOf(await intervalNow(shell))) };
}

/**
 * When the head is due next: when a budget allows more moves, a quarter of a lease later while the guard-rails hold a
 * node, and when the retention of clients ends.
 */
function nextCheckAt(head: ZoneHead, leaseMs: number, now: EpochMs): EpochMs | undefined {
  const retainedUntil = retentionEndsAt(head.kept);
  return earlier(
    earlier(earlier(paceDueAt(head, now), recoveryDueAt(head)), crowdedDueAt(head, now)),
    earlier(isOn(head) ? plusMs(now, checkEveryMs(leaseMs)) : undefined, retainedUntil),
  );
}

/** The head's own tick: writes pages when they are due, and keeps the head due while a share is incomplete. */
async function settleHead(shell: Shell, name: string): Promise<ZoneHead | undefined> {
  const ref = zoneRef(name);
  const row = await readRow(shell, ref);
  const read = stateOf(row, shell.now());
  if (!read) return undefined;
  const behind = read.slots > slotsMin && (await writePages(shell, read));
  if (row?.wakeAt === undefined || row.wakeAt > shell.now()) return read;
  const leaseMs = leaseMsOf(await intervalNow(shell));
  await apply(shell, ref, { type: 'tick', id: `tick-${shell.newId()}` }, (head, _tick, now) =>
    nothing(
      'nothing is due in the zone head',
      head && earlier(nextCheckAt(head, leaseMs, now), behind ? plusMs(now, pagesEveryMs) : undefined),
    ),
  );
  return read;
}
