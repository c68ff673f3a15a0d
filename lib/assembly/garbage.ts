import { nothing, type Plan, type PlannedChange, type RowRef, write } from '../core/decision.ts';
import { ZoneName } from '../core/ids.ts';
import { clusterRef, type StorageCluster } from '../mero/clusters/cluster.ts';
import { isGarbage, isLeft, nextLook, type Reachable } from '../mero/loads/garbage.ts';
import { type Garbage, garbageRef, loadRef, type MeroLoad } from '../mero/loads/load.ts';
import { planGivenUp } from '../mero/loads/plan.ts';
import { groundOf, heldOf } from '../mero/loads/reads.ts';
import { processId, processRef } from '../mero/processes/process.ts';
import { clusterPartition, inCluster } from '../ports/table/keys.ts';
import type { Row } from '../ports/table/table.ts';
import { applyPlan, type Reading } from '../runtime/apply-plan.ts';
import { stateOf } from '../runtime/content.ts';
import { readRow, readRows } from '../runtime/read.ts';
import type { Shell } from '../runtime/shell.ts';

/**
 * How many rows go at once: a commit takes a hundred, less the rows that it rests on, and the processes that must be
 * absent.
 */
const removedAtOnce = 45;
/** How many rows one step reads, and how many of them in a page. */
const rowsPerStep = 2_000;
const pageRows = 200;
/** How many steps one sweep makes. The rest waits for the next sweep, so that silent nodes do not wait for it. */
const stepsMax = 5;

/**
 * Searches a cluster's rows for unreachable ones, and removes them: some in each sweep, from where the last one ended.
 * A load that was left alone for a day is given up first.
 */
export async function collectGarbage(shell: Shell, zone: string): Promise<void> {
  await giveUpLeft(shell, ZoneName.parse(zone));
  for (let step = 0; step < stepsMax; step++) {
    const garbage = heldOf<Garbage>(await readRow(shell, garbageRef(zone)), shell);
    if (!garbage.state || garbage.wakeAt === undefined || garbage.wakeAt > shell.now()) return;
    await collectSome(shell, garbage.state);
  }
}

async function giveUpLeft(shell: Shell, zone: ZoneName): Promise<void> {
  await applyPlan(shell, { id: `left-${shell.newId()}` }, async (reading): Promise<Plan> => {
    const ground = await groundOf(reading, zone, shell);
    const { state } = ground.load;
    if (!state || !isLeft(state, shell.now())) return { changes: [], because: [] };
    return planGivenUp(ground, state, `load ${state.load} was left alone for a day`, shell.now());
  });
}

type Found = { readonly refs: readonly RowRef[]; readonly after: string | undefined };

async function collectSome(shell: Shell, { zone, after }: Garbage): Promise<void> {
  const found = await search(shell, zone, after);
  const removed = await applyPlan(shell, { id: `garbage-${shell.newId()}` }, (reading) => planRemoval(shell, reading, zone, found));
  if (removed.changes.length > 0)
    shell.log('debug', 'garbage.removed', { zone, rows: found.refs.length, because: removed.because[0] ?? '' });
}

/**
 * The rows that seem to be garbage after a position, and the position that the search reached; undefined at the end.
 * The removal decides whether a row is garbage.
 */
async function search(shell: Shell, zone: ZoneName, from: string | undefined): Promise<Found> {
  const reachable = await reachableNow(shell, zone);
  const refs: RowRef[] = [];
  let after = from;
  for (let rowsRead = 0; rowsRead < rowsPerStep; rowsRead += pageRows) {
    const page = await shell.table.query({ pk: clusterPartition(zone), limit: pageRows, ...(after !== undefined && { after }) });
    for (const row of await suspects(shell, zone, page.items, reachable)) {
      refs.push(row.ref);
      if (refs.length === removedAtOnce) return { refs, after: row.sk };
    }
    after = page.next;
    if (after === undefined) break;
  }
  return { refs, after };
}

async function reachableNow(shell: Shell, zone: ZoneName): Promise<Reachable> {
  const [garbage, cluster, load] = await readRows(shell, [garbageRef(zone), clusterRef(zone), loadRef(zone)]);
  return reachableOf(garbage, cluster, load, shell);
}

const reachableOf = (garbage: Row | undefined, cluster: Row | undefined, load: Row | undefined, shell: Shell): Reachable => ({
  loaded: stateOf<StorageCluster>(cluster, shell.now())?.loaded?.load,
  underWay: stateOf<MeroLoad>(load, shell.now())?.load,
  ended: stateOf<Garbage>(garbage, shell.now())?.ended === true,
});

/** The process of a row, by the id of its row: the holder of an endpoint, or the owner of devices. */
function processOf({ noun, id }: RowRef, body: unknown, zone: string): string | undefined {
  if (noun === 'endpoint') return processId({ zone, fid: (body as { process: string }).process });
  return noun === 'devices' ? id : undefined;
}

const verdict = (ref: RowRef, body: unknown, zone: string, reachable: Reachable) => {
  const { load } = body as { load?: string };
  return isGarbage({ noun: ref.noun, load, process: processOf(ref, body, zone) }, reachable);
};

type Suspect = { readonly ref: RowRef; readonly sk: string };

async function suspects(shell: Shell, zone: ZoneName, rows: readonly Row[], reachable: Reachable): Promise<Suspect[]> {
  const judged = rows.flatMap(({ key: { sk }, gone, body }) => {
    const ref = gone ? undefined : inCluster(zone, sk);
    return ref ? [{ ref, sk, body, is: verdict(ref, body, zone, reachable) }] : [];
  });
  const asked = judged.filter(({ is }) => is === 'unless-process');
  const processes = await readRows(
    shell,
    asked.map(({ ref, body }) => processRef(processOf(ref, body, zone)!)),
    'lately',
  );
  const held = new Set(asked.filter((_one, n) => stateOf(processes[n], shell.now())));
  return judged.filter((one) => one.is === true || (one.is === 'unless-process' && !held.has(one)));
}

/**
 * Removes the rows that are garbage now, in a commit that rests on the rows that decide so. Then the search continues,
 * or begins again when it is time.
 */
async function planRemoval(shell: Shell, reading: Reading, zone: ZoneName, { refs, after }: Found): Promise<Plan> {
  const [garbage, cluster, load] = await reading.rows([garbageRef(zone), clusterRef(zone), loadRef(zone)]);
  const state = stateOf(garbage, shell.now());
  if (!state) return { changes: [], because: [] };
  const reachable = reachableOf(garbage, cluster, load, shell);
  const removals = await removalsOf(shell, reading, refs, { zone, reachable });
  const because = `${removals.filter(({ decision }) => decision.does === 'remove').length} unreachable rows`;
  const isRemoved = removals.some(({ ref }) => ref.noun === loadRef(zone).noun);
  const rests: PlannedChange[] = [
    { ref: clusterRef(zone), readRev: cluster?.rev ?? 0, decision: nothing(because, cluster?.wakeAt) },
    // The load of a deleted zone may be removed too.
    ...(isRemoved ? [] : [{ ref: loadRef(zone), readRev: load?.rev ?? 0, decision: nothing(because, load?.wakeAt) }]),
  ];
  const next: PlannedChange = {
    ref: garbageRef(zone),
    readRev: garbage!.rev,
    decision: nextState(state, { removals, after, load, shell }),
  };
  return { because: [because], changes: [next, ...removals, ...(removals.length > 0 ? rests : [])] };
}

type Searched = {
  readonly removals: readonly PlannedChange[];
  readonly after: string | undefined;
  readonly load: Row | undefined;
  readonly shell: Shell;
};

function nextState({ after: _before, ...state }: Garbage, { removals, after, load, shell }: Searched): PlannedChange['decision'] {
  const found = state.found === true || removals.length > 0;
  const { found: _found, ...rest } = state;
  if (after !== undefined)
    return write({ ...rest, ...(found && { found: true as const }), after }, 'the search continues', { wakeAt: shell.now() });
  if (state.ended && !found) return { does: 'remove', last: rest, events: [], because: 'nothing is left of the cluster' };
  const wakeAt = nextLook(found ? { ...rest, found: true } : rest, stateOf<MeroLoad>(load, shell.now()), shell.now());
  return write(rest, found ? 'it is searched once more' : 'no row is unreachable', { wakeAt });
}

type Judging = { readonly zone: ZoneName; readonly reachable: Reachable };

/** A row without its process is only removed while the process is absent: another call may be making it. */
async function removalsOf(shell: Shell, reading: Reading, refs: readonly RowRef[], { zone, reachable }: Judging): Promise<PlannedChange[]> {
  const rows = await reading.rows(refs);
  const changes = new Map<string, PlannedChange>();
  for (const [n, ref] of refs.entries()) {
    const row = rows[n];
    const body = stateOf(row, shell.now());
    if (!row || !body) continue;
    const is = verdict(ref, body, zone, reachable);
    const process: RowRef | undefined = is === 'unless-process' ? processRef(processOf(ref, body, zone)!) : undefined;
    const processRow = process && (await reading.row(process));
    if (is === false || stateOf(processRow, shell.now())) continue;
    changes.set(`${ref.noun} ${ref.id}`, {
      ref,
      readRev: row.rev,
      decision: { does: 'remove', last: lastOf(ref, body), events: [], because: 'it is unreachable' },
    });
    if (process && !changes.has(`process ${process.id}`))
      changes.set(`process ${process.id}`, {
        ref: process,
        readRev: processRow?.rev ?? 0,
        decision: nothing('there is no such process', processRow?.wakeAt),
      });
  }
  return [...changes.values()];
}

/** The body that a removed row keeps for thirty days: the last state of a process or host, and nothing of any other. */
const lastOf = ({ noun }: RowRef, body: object): object => (noun === 'process' || noun === 'mero-node' ? body : {});
