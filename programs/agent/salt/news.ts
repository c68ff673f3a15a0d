import { type ApiClient, Unreachable } from '../../../lib/api/client.ts';
import { problemTypeOf } from '../../../lib/api/problem.ts';
import type { Fingerprint, NodeId } from '../../../lib/core/ids.ts';
import { type EpochMs, hourMs, minuteMs } from '../../../lib/core/time.ts';
import { nodeRoutes } from '../../../lib/node-contract.ts';
import type { Memory } from './memory.ts';

/**
 * How often the agent reads the revisions of all: news are hints, and one may have been lost. As seldom as a client
 * system at rest calls.
 */
const allEveryMs = 6 * hourMs;

/**
 * How often at most after a missed list: a client system may have gone and come back unseen, and news of it went to the
 * node that it was on. A zone that rebalances has another map with each of its plans.
 */
const missedEveryMs = 10 * minuteMs;

/**
 * The parts of a node that the agent holds: the revision of its desired state, and its list of client systems with the
 * version of the map that the list reflects.
 */
export type Held = {
  readonly desired: number;
  readonly list: { readonly version: number; readonly mapVersion: number; readonly systems: readonly string[] };
};

/**
 * The memory with the metadata revisions from Muster. When the desired state has changed, it reads the few whose
 * metadata changed lately. When some of those or a list were missed, and every six hours, it reads all. Throws
 * {@link Unreachable} when Muster does not answer.
 */
export async function heardOf(api: ApiClient, id: NodeId, memory: Memory, { desired, list }: Held, now: EpochMs): Promise<Memory> {
  let { heard = { desired: 0, n: 0, allAt: 0 as EpochMs } } = memory;
  let { wanted = {} } = memory;
  const { map = list.mapVersion } = heard;
  const hasMissed = list.mapVersion !== map && list.mapVersion !== map + 1;
  let isBehind = now - heard.allAt >= (hasMissed ? missedEveryMs : allEveryMs);
  if (desired !== heard.desired) {
    const answer = await api(nodeRoutes.desired, { params: { id } });
    if (!answer.ok) throw new Unreachable(`Muster refused to give the changes of metadata: ${problemTypeOf(answer.problem)}`);
    const { changed = [], fallen = 0 } = answer.body.metadata ?? {};
    isBehind ||= fallen > heard.n;
    const here = named(list.systems, memory);
    for (const { n, system, revision } of changed) {
      const fp = here.get(system);
      if (n > heard.n && fp !== undefined) wanted = { ...wanted, [fp]: Math.max(revision, wanted[fp] ?? 0) };
    }
    heard = { ...heard, desired, n: Math.max(fallen, changed.at(-1)?.n ?? 0) };
  }
  if (!isBehind) return { ...memory, heard: { ...heard, map: hasMissed ? map : list.mapVersion }, wanted };
  const revisions = await revisionsOfAll(api, id, list);
  // Muster has a newer list than ours by now, which is on its way here.
  if (!revisions) return memory;
  return { ...memory, heard: { ...heard, allAt: now, map: list.mapVersion }, wanted: later(wanted, revisions) };
}

type Revisions = Readonly<Record<Fingerprint, number>>;

/** The later revision of each. The revisions of all are read from an index, which may be behind the news. */
function later(heard: Revisions, read: Revisions): Revisions {
  const entries = Object.entries(read) as [Fingerprint, number][];
  return { ...heard, ...Object.fromEntries(entries.map(([fp, revision]) => [fp, Math.max(revision, heard[fp] ?? 0)])) };
}

async function revisionsOfAll(api: ApiClient, id: NodeId, { version, systems }: Held['list']): Promise<Revisions | undefined> {
  const answer = await api(nodeRoutes.systems, { params: { id }, query: { since: version, revisions: 'true' } });
  if (!answer.ok) throw new Unreachable(`Muster refused to give the revisions of metadata: ${problemTypeOf(answer.problem)}`);
  const { version: now, revisions = [] } = answer.body;
  if (now !== version) return undefined;
  return Object.fromEntries(systems.flatMap((fp, i) => ((revisions[i] ?? 0) > 0 ? [[fp, revisions[i]!]] : [])));
}

/** Whole fingerprints by the first 16 digits, of those on the list and those that Muster accepts. */
function named(systems: readonly string[], { verdicts }: Memory): ReadonlyMap<string, Fingerprint> {
  const accepted = Object.values(verdicts).flatMap(({ verdict, fp }) => (verdict === 'accept' && fp !== undefined ? [fp] : []));
  return new Map([...systems, ...accepted].map((fp) => [fp.slice(0, 16), fp as Fingerprint]));
}
