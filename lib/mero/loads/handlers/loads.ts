import type { AdminCall } from '../../../access/verify-admin.ts';
import { Refusal } from '../../../api/problem.ts';
import { isSame, nothing, type Plan, type PlannedChange, write } from '../../../core/decision.ts';
import { pointerOf } from '../../../core/defect.ts';
import type { ZoneName } from '../../../core/ids.ts';
import { loadRange } from '../../../ports/table/keys.ts';
import { applyPlan } from '../../../runtime/apply-plan.ts';
import { stateOf } from '../../../runtime/content.ts';
import type { Answer } from '../../../runtime/on-route.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { enteringZone } from '../../../zones/changes/gate.ts';
import type { StorageCluster } from '../../clusters/cluster.ts';
import { clusterOf } from '../../clusters/reads/of-caller.ts';
import { rowsIn } from '../../clusters/reads/rows.ts';
import { expandParts } from '../../facts/load/check.ts';
import { digestOf } from '../../facts/load/identity.ts';
import { layoutRef, loadedPartRef, loadRef, type MeroLoad } from '../load.ts';
import { type Begun, type LoadGround, planBegin, planEnding, planFlip, planGivenUp } from '../plan.ts';
import { groundOf, heldOf } from '../reads.ts';
import { planRows, rowsOf } from '../rows.ts';
import { checkLoad } from './check.ts';

/**
 * How many rows one commit writes: a hundred, less the row of the load on which all of them depend and that of the
 * part.
 */
const rowsAtOnce = 96;

/**
 * Begins or resumes a load of facts. Throws a {@link Refusal} if the cluster has other facts, a load of others is under
 * way, or the zone is being deleted.
 */
export async function beginMeroLoad({ params, body, request, caller }: AdminCall<'beginMeroLoad'>, shell: Shell): Promise<Answer> {
  const { zone } = params;
  await clusterOf(shell, zone, caller);
  const newLoad = shell.newId();
  const { begun } = await applyPlan(shell, { id: request.id }, async (reading) => {
    const found = planBegin({ ...body, newLoad }, await groundOf(reading, zone, shell), shell.now());
    if (found.is !== 'under-way') return { changes: [], because: [found.is], begun: found };
    // A load ends with its zone: none begins once the zone is being deleted.
    const entry = found.isNew ? await enteringZone(shell, reading, zone) : { changes: [] };
    if ('shut' in entry) throw new Refusal('unknown-zone', entry.shut);
    return { ...found.plan, changes: [...found.plan.changes, ...entry.changes], begun: found };
  });
  return answerTo(begun, zone, shell);
}

async function answerTo(begun: Begun, zone: ZoneName, shell: Shell): Promise<Answer> {
  switch (begun.is) {
    case 'loaded':
      return { status: 200, body: { state: 'loaded', load: begun.load, pages: [], servers: [] } };
    case 'other-facts':
    case 'not-yet':
      throw new Refusal(begun.is, begun.because);
    case 'under-way': {
      const { load, isNew } = begun;
      const [pages, servers] = isNew
        ? [[], []]
        : await Promise.all([handedIn(shell, zone, load.load, 'layout'), handedIn(shell, zone, load.load, 'part')]);
      return { status: isNew ? 201 : 200, body: { state: 'under-way', load: load.load, pages, servers } };
    }
  }
}

/** The parts of a load that were handed in whole, by their numbers. */
async function handedIn(shell: Shell, zone: ZoneName, load: string, kind: 'layout' | 'part'): Promise<{ n: number; digest: string }[]> {
  const handed: { n: number; digest: string }[] = [];
  for await (const { key, body } of rowsIn(shell, zone, loadRange(kind, load)))
    handed.push({ n: Number(key.sk.split('#')[2]), digest: (body as { digest: string }).digest });
  return handed;
}

/** The load under way, if it is this one. Throws a {@link Refusal} if it is not. */
function goingOn({ load, cluster }: LoadGround, id: string): MeroLoad {
  if (load.state?.load !== id) {
    const isLoaded = cluster.state.loaded?.load === id;
    throw isLoaded ? new Refusal('refused', `load ${id} is loaded already`) : new Refusal('unknown-load', `no load ${id} is under way`);
  }
  return load.state;
}

function takesParts(ground: LoadGround, id: string): MeroLoad {
  const load = goingOn(ground, id);
  if (load.ending) throw new Refusal('not-yet', `load ${id} is being finished: begin it again to hand in more`);
  return load;
}

/**
 * The audit does not list rows that are still invisible one by one: it has when the load was begun, and when it became
 * the cluster.
 */
function unaudited({ actor: _actor, ...shell }: Shell): Shell {
  return shell;
}

const rests = (zone: ZoneName, { load }: LoadGround): PlannedChange => ({
  ref: loadRef(zone),
  readRev: load.rev,
  decision: nothing('the load is under way'),
});

/** Takes a page of a load. Throws a {@link Refusal} if it was handed in before with other content. */
export async function putMeroLayout({ params, body, request, caller }: AdminCall<'putMeroLayout'>, shell: Shell): Promise<Answer> {
  const { zone, load: id, n } = params;
  await clusterOf(shell, zone, caller);
  const { page } = body;
  const digest = digestOf(page);
  const { because } = await applyPlan(unaudited(shell), { id: request.id }, async (reading): Promise<Plan> => {
    const ground = await groundOf(reading, zone, shell);
    const { base, size } = takesParts(ground, id);
    const ref = layoutRef(zone, id, n);
    const held = heldOf<{ digest: string }>(await reading.row(ref), shell);
    if (held.state?.digest === digest) return { changes: [], because: ['the page was handed in before'] };
    if (held.state) throw new Refusal('refused', `page ${n} was handed in before with other content`);
    const beyond = numbersIn(page).find((at) => at > size.fids);
    if (beyond !== undefined) throw new Refusal('invalid', `number ${beyond} is beyond the ${size.fids} numbers of the load`);
    const decision = write({ load: id, base, digest, page }, 'facts are loaded');
    return { changes: [{ ref, readRev: held.rev, decision }, rests(zone, ground)], because: ['the page is accepted'] };
  });
  return { status: 200, body: { done: true, because: because[0] } };
}

type Page = AdminCall<'putMeroLayout'>['body']['page'];
function numbersIn(page: Page): number[] {
  if (page.of === 'sites') return page.places.flatMap(({ site, rack, enclosure }) => [site.at, rack?.at ?? 1, enclosure?.at ?? 1]);
  if (page.of === 'pool') return [page.at];
  return page.of === 'profiles' ? page.profiles.map(({ at }) => at) : [];
}

/**
 * Takes servers of a load. Throws a {@link Refusal} that names everything that is wrong with them, or there already.
 */
export async function putMeroServers({ params, body, request, caller }: AdminCall<'putMeroServers'>, shell: Shell): Promise<Answer> {
  const { zone, load: id, n } = params;
  const { cluster } = await clusterOf(shell, zone, caller);
  const quiet = unaudited(shell);
  const digest = digestOf(body.servers);
  const rows = await applyPlan(quiet, { id: `${request.id}-look` }, async (reading) => {
    const load = takesParts(await groundOf(reading, zone, shell), id);
    const part = stateOf(await reading.row(loadedPartRef(zone, id, n)), shell.now());
    if (part && part.digest !== digest) throw new Refusal('refused', `part ${n} was handed in before with other content`);
    return { changes: [], because: [], rows: part ? [] : expandedRows(body.servers, load, { zone, load: id }, shell) };
  });
  for (let at = 0; at < rows.rows.length; at += rowsAtOnce)
    await writeRows(quiet, rows.rows.slice(at, at + rowsAtOnce), { zone, id, cluster, by: `${request.id}-${at}` });
  if (rows.rows.length > 0) await markPart(quiet, { zone, id, n, digest, by: request.id });
  return {
    status: 200,
    body: { done: true, because: rows.rows.length > 0 ? 'the servers are accepted' : 'the servers were handed in before' },
  };
}

type Servers = AdminCall<'putMeroServers'>['body']['servers'];
type ZoneLoad = { readonly zone: ZoneName; readonly load: string };

function expandedRows(servers: Servers, { base, size }: MeroLoad, zoneLoad: ZoneLoad, shell: Shell) {
  const checked = expandParts(servers, { base, fids: size.fids });
  if (checked.ok) return checked.parts.flatMap((part) => rowsOf(part, zoneLoad, shell.now()));
  const errors = checked.defects.slice(0, 100).map(({ path, says }) => ({ pointer: `/servers${pointerOf(path)}`, detail: says }));
  throw new Refusal('invalid', errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join('; '), { errors });
}

type Writing = { readonly zone: ZoneName; readonly id: string; readonly cluster: StorageCluster; readonly by: string };

async function writeRows(shell: Shell, rows: ReturnType<typeof rowsOf>, { zone, id, cluster, by }: Writing): Promise<void> {
  await applyPlan(shell, { id: by }, async (reading) => {
    const ground = await groundOf(reading, zone, shell);
    takesParts(ground, id);
    const read = (await reading.rows(rows.map(({ ref }) => ref))).map((row) => heldOf(row, shell));
    const { changes, conflicts } = planRows(rows, read, cluster);
    if (conflicts.length > 0) throw new Refusal('refused', conflicts.slice(0, 10).join('; '));
    return { changes: changes.length > 0 ? [...changes, rests(zone, ground)] : [], because: ['facts are loaded'] };
  });
}

type Mark = { readonly zone: ZoneName; readonly id: string; readonly n: number; readonly digest: string; readonly by: string };

/**
 * Records that a part was written whole. This comes only with the last of its rows: a caller that resumes before that
 * sends the part again.
 */
async function markPart(shell: Shell, { zone, id, n, digest, by }: Mark): Promise<void> {
  await applyPlan(shell, { id: by }, async (reading) => {
    const ground = await groundOf(reading, zone, shell);
    takesParts(ground, id);
    const ref = loadedPartRef(zone, id, n);
    const held = heldOf<object>(await reading.row(ref), shell);
    const next = { load: id, digest };
    if (held.state && isSame(held.state, next)) return { changes: [], because: [] };
    return {
      changes: [{ ref, readRev: held.rev, decision: write(next, 'a part of the facts is complete') }, rests(zone, ground)],
      because: [],
    };
  });
}

/**
 * Makes a load the cluster. Throws a {@link Refusal} that says what is missing or wrong; the load stays under way then.
 */
export async function finishMeroLoad({ params, request, caller }: AdminCall<'finishMeroLoad'>, shell: Shell): Promise<Answer> {
  const { zone, load: id } = params;
  const { cluster } = await clusterOf(shell, zone, caller);
  if (cluster.loaded?.load === id) return { status: 200, body: { done: true, because: 'the facts are loaded' } };
  await applyPlan(unaudited(shell), { id: `${request.id}-end` }, async (reading) => {
    const ground = await groundOf(reading, zone, shell);
    const load = goingOn(ground, id);
    return load.ending ? { changes: [], because: [] } : planEnding(ground, load);
  });
  const { findings, rev } = await checkLoad(shell, zone, id);
  if (!findings.ok) await takeParts(shell, { zone, id, by: `${request.id}-open` });
  if (!findings.ok)
    throw new Refusal('refused', findings.findings.join('; '), {
      errors: findings.findings.map((detail) => ({ pointer: '/load', detail })),
    });
  const plan = await applyPlan(shell, { id: request.id }, async (reading): Promise<Plan> => {
    const ground = await groundOf(reading, zone, shell);
    if (ground.cluster.state.loaded?.load === id) return { changes: [], because: ['the facts are loaded'] };
    const load = goingOn(ground, id);
    // This also refuses a load that another caller finishes by now: parts may have come in between.
    if (!load.ending || ground.load.rev !== rev) throw new Refusal('not-yet', `load ${id} was begun again meanwhile`);
    return planFlip(ground, load, findings.profile, shell.now());
  });
  return { status: 200, body: { done: true, because: plan.because[0] } };
}

/** Opens a load that is not whole to parts again. */
async function takeParts(shell: Shell, { zone, id, by }: Omit<Mark, 'n' | 'digest'>): Promise<void> {
  await applyPlan(unaudited(shell), { id: by }, async (reading) => {
    const { load } = await groundOf(reading, zone, shell);
    if (load.state?.load !== id || !load.state.ending) return { changes: [], because: [] };
    const { ending: _ending, ...going } = load.state;
    return { changes: [{ ref: loadRef(zone), readRev: load.rev, decision: write(going, 'the load is not whole') }], because: [] };
  });
}

/** Gives a load up. */
export async function deleteMeroLoad({ params, request, caller }: AdminCall<'deleteMeroLoad'>, shell: Shell): Promise<Answer> {
  const { zone, load: id } = params;
  await clusterOf(shell, zone, caller);
  const { because } = await applyPlan(shell, { id: request.id }, async (reading): Promise<Plan> => {
    const ground = await groundOf(reading, zone, shell);
    return planGivenUp(ground, goingOn(ground, id), `load ${id} was given up`, shell.now());
  });
  return { status: 200, body: { done: true, because: because[0] } };
}
