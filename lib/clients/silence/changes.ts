import type { Plan } from '../../core/decision.ts';
import { Later } from '../../core/errors.ts';
import type { Ref } from '../../core/ref.ts';
import type { DigestRow } from '../../nodes/digests/digest.ts';
import type { Node } from '../../nodes/node.ts';
import { applyPlan, type Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import { readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { clientRef } from '../client.ts';
import { entriesAt, entriesOfVersion, wholeFingerprint } from '../reads/listed.ts';
import { systemIn } from '../reads/rows.ts';
import { systemsRef } from '../systems/rows/list.ts';
import { type Judged, judge, type Sight } from './judge.ts';
import { type Found, planSilence, silencesPerPlanMax, silentMax } from './plan.ts';
import { silenceRef } from './silence.ts';
import { carried, isOneVersion, type Lists, sightOf } from './versions.ts';

/**
 * The most commits for one digest, each of up to 48 client systems. The next digest, a minute later, has the rest: the
 * heartbeats behind this one do not wait for it.
 */
const plansMax = 12;

type Of = Pick<Node, 'id' | 'zone' | 'fqdn'>;
/** A digest of a node, as it was just written, and the lists that it and the one before it are over. */
type Judging = {
  readonly node: Of;
  readonly digest: DigestRow;
  readonly sight: Sight;
  readonly lists: Lists | undefined;
  readonly id: string;
};

/**
 * Records which client systems of a node fell silent, and which are heard again, by the digest that was just written. A
 * transient failure is only logged, because the next digest has the same news.
 */
export async function recordSilence(shell: Shell, node: Of, digest: DigestRow): Promise<void> {
  try {
    const row = await asItWas(shell, silenceRef(node.id));
    const lists = isOneVersion(digest, row) ? undefined : await listsOf(shell, node.id, digest);
    const sight = sightOf(digest, lists);
    if (!sight || (row && !lists && !hasNews(judge(row, sight)))) return;
    const judging = { node, digest, sight, lists, id: `silence-${shell.newId()}` };
    for (let n = 0; n < plansMax; n++) {
      const { isWhole } = await applyPlan(shell, { id: `${judging.id}-${n}` }, (reading) => planPart(shell, reading, judging));
      if (isWhole) return;
    }
  } catch (error) {
    if (!(error instanceof Later)) throw error;
    shell.log('warn', 'silence.later', { row: `silence ${node.id}`, reason: error.code, detail: error.message });
  }
}

/** A row as it was a moment ago, at half the units: what is decided by it is decided again when it is written. */
async function asItWas<S>(shell: Shell, ref: Ref<S>): Promise<S | undefined> {
  const [row] = await readRows(shell, [ref], 'lately');
  return stateOf(row, shell.now());
}

const hasNews = ({ vanished, returned, isNews }: Judged): boolean => isNews || vanished.length + returned.length > 0;

/** The lists of a node that a digest and the one before it are over. */
async function listsOf(shell: Shell, node: string, { listVersion, before }: DigestRow): Promise<Lists> {
  const head = await asItWas(shell, systemsRef(node));
  const entriesOf = async (number: number): Promise<string[] | undefined> => {
    const version = [head?.newest, head?.before].find((one) => one?.version === number);
    return version && entriesOfVersion(shell, node, version);
  };
  const now = await entriesOf(listVersion);
  return { now, former: before && before.listVersion !== listVersion ? await entriesOf(before.listVersion) : undefined };
}

/** Plans as much as one commit takes. `isWhole`: nothing of the digest is left. */
async function planPart(shell: Shell, reading: Reading, { node, digest, sight, lists, id }: Judging): Promise<Plan & { isWhole: boolean }> {
  const found = await reading.row(silenceRef(node.id));
  const row = stateOf(found, shell.now());
  const judged = row && row.at > digest.at ? undefined : judge(carried(row, node.zone, digest, lists), sight);
  if (!judged) return { changes: [], because: ['a newer digest was judged already'], isWhole: true };
  const back = judged.returned.slice(0, silencesPerPlanMax);
  const vanished = judged.vanished.slice(0, Math.max(0, silentMax - judged.next.count));
  const places = vanished.slice(0, silencesPerPlanMax - back.length);
  const isWhole = back.length === judged.returned.length && places.length === vanished.length;
  if (!hasNews({ ...judged, vanished }) && row?.listVersion === digest.listVersion)
    return { changes: [], because: ['the digest has no news'], isWhole };
  const entries = await entriesAt(shell, node.id, digest.listVersion, places);
  const gone = places.flatMap((place, n) => (entries[n] === undefined ? [] : [{ place, entry: entries[n] }]));
  const clients = await clientsOf(shell, reading, node.zone, [...gone.map(({ entry }) => entry), ...back]);
  const snapshot = {
    node,
    rev: found?.rev ?? 0,
    next: judged.next,
    vanished: gone.map((one, n) => ({ ...one, client: clients[n] })),
    returned: back.map((entry, n) => ({ entry, client: clients[gone.length + n] })),
    since: sight.before?.at ?? digest.at,
  };
  return { ...planSilence(snapshot, id, shell.now()), isWhole };
}

/** The rows of the client systems with these entries, in order; undefined for one that the list index does not have. */
async function clientsOf(shell: Shell, reading: Reading, zone: string, entries: readonly string[]): Promise<Found[]> {
  const fps = await Promise.all(entries.map((entry) => wholeFingerprint(shell, zone, entry)));
  const known = fps.filter((fp) => fp !== undefined);
  const rows = await reading.rows(known.map((fp) => clientRef(fp)));
  const byFp = new Map(known.map((fp, n) => [fp, rows[n]]));
  return fps.map((fp) => {
    const row = fp && byFp.get(fp);
    const body = row && systemIn(row, shell.now());
    return body ? { body, rev: row.rev } : undefined;
  });
}
