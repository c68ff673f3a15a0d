import { nothing, type Plan, type Tick } from '../decision.ts';
import { forgetZone } from '../doors/zones.ts';
import { apply } from '../runtime/apply.ts';
import { applyPlan, type Reading } from '../runtime/apply-plan.ts';
import { stateOf } from '../runtime/content.ts';
import type { Shell } from '../runtime/shell.ts';
import { keyOf } from '../table/keys.ts';
import { plusMs } from '../units.ts';
import { plan } from '../zones/plan.ts';
import { pagesEveryMs, slotsMin } from '../zones/slots.ts';
import type { ZoneHead } from '../zones/zone.ts';
import { noteAdmitted } from './admitted.ts';
import { writePages } from './pages.ts';
import { readSnapshot } from './read-snapshot.ts';

/** Plans a zone for its due nodes and carries the plan out; then what the plan leaves to the sweep: the head's own tick, pages, the count of admitted nodes. */
export async function planZoneNow(shell: Shell, zone: string, nodes: readonly string[], tick: Tick): Promise<void> {
  const id = `plan-${shell.newId()}`;
  const before = shell.now();
  const done = await applyPlan(shell, { id }, (reading) => planOnce(shell, reading, zone, nodes, tick));
  if (done.because.length > 0)
    shell.log('info', 'plan.applied', { zone, rows: done.changes.length, because: done.because.join('; '), ms: shell.now() - before });
  forgetZone(shell, zone);
  const head = await settleHead(shell, zone);
  if (head) await noteAdmitted(shell, head);
}

/** A plan may first have to see the desired states of nodes that lose slots; it is made again with them. */
async function planOnce(shell: Shell, reading: Reading, zone: string, nodes: readonly string[], { graceUntil }: Tick): Promise<Plan> {
  const wanted = new Set<string>();
  for (;;) {
    const snapshot = await readSnapshot(shell, reading, zone, nodes, [...wanted]);
    if (!snapshot) return { changes: [], because: [] };
    const planned = plan({ ...snapshot, graceUntil }, shell.now());
    if (planned.needs.length === 0) return planned;
    for (const node of planned.needs) wanted.add(node);
  }
}

/** The head's own time: pages are written when it is theirs; a share not yet whole keeps the head due. */
async function settleHead(shell: Shell, name: string): Promise<ZoneHead | undefined> {
  const ref = { noun: 'zone', id: name };
  const row = await shell.table.read(keyOf(ref));
  const read = stateOf<ZoneHead>(row, shell.now());
  if (!read) return undefined;
  const behind = read.slots > slotsMin && (await writePages(shell, read));
  if (row?.wakeAt === undefined || row.wakeAt > shell.now()) return read;
  await apply<ZoneHead, { type: 'tick'; id: string }>(shell, ref, { type: 'tick', id: `tick-${shell.newId()}` }, (head, _tick, now) =>
    nothing('the head rests', head && head.settling.length > 0 ? now : behind ? plusMs(now, pagesEveryMs) : undefined),
  );
  return read;
}
