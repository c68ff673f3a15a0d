import type { ApiClient } from '../../lib/api/client.ts';
import type { Problem } from '../../lib/api/problem.ts';
import { contract } from '../../lib/contract.ts';
import { digestOf } from './digest.ts';

/** What is known about one client system, each fact as text under its name. */
export type Facts = Readonly<Record<string, string>>;

/** The facts of several client systems, by fully qualified name. */
export type Recorded = ReadonlyMap<string, Facts>;

/** Two recordings beside each other: a line for each fact of each client system that either has. */
export type Compared = {
  readonly fqdn: string;
  readonly fact: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly same: boolean;
};

/** What an API call gave. Throws when it was refused. */
export async function given<T>(what: string, call: Promise<{ ok: true; body: T } | { ok: false; problem: Problem }>): Promise<T> {
  const answer = await call;
  if (!answer.ok) throw new Error(`${what}: ${answer.problem.detail || answer.problem.title}`);
  return answer.body;
}

/**
 * Everything that must survive a node: what Muster says of each client system, except which node it is on, since when,
 * and why; and every document about it, with its revision. Throws when Muster does not say.
 */
export async function factsOf(api: ApiClient, fps: readonly string[]): Promise<Recorded> {
  const recorded = new Map<string, Facts>();
  for (const fp of fps) {
    const view = await given(`client system ${fp}`, api(contract.getSystem, { params: { fp } }));
    const { status, zone, tags, groups, fqdn, machineId, minion, facts, firstSeenAt } = view;
    recorded.set(fqdn, {
      name: fqdn,
      status,
      zone: zone ?? 'none',
      tags: sorted(tags),
      groups: sorted(groups),
      'machine id': machineId,
      key: view.fingerprint,
      minion: minion?.fingerprint ?? 'none',
      facts: JSON.stringify(facts),
      'first seen': firstSeenAt,
      ...(await documentsOf(api, fp)),
    });
  }
  return recorded;
}

async function documentsOf(api: ApiClient, fp: string): Promise<Facts> {
  const { revision, items } = await given(`metadata of ${fp}`, api(contract.listMetadata, { params: { fp: fp as never } }));
  const documents = await Promise.all(
    items.map(async ({ kind, appended, bytes }) => {
      const read = await given(`${kind} of ${fp}`, api(contract.getMetadata, { params: { fp: fp as never, kind } }));
      const what = `revision ${read.revision}, ${bytes} B${appended ? ' appended' : ''}, ${digestOf(read.document)}`;
      return [`metadata ${kind}`, what] as const;
    }),
  );
  return { 'metadata revision': String(revision), ...Object.fromEntries(documents) };
}

const sorted = (words: readonly string[]): string => [...words].sort().join(', ');

/**
 * Each fact of each client system before and after, in the order of the names; one that only one of the two has
 * differs.
 */
export function compare(before: Recorded, after: Recorded): Compared[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.flatMap((fqdn) => {
    const [was, is] = [before.get(fqdn) ?? {}, after.get(fqdn) ?? {}];
    return [...new Set([...Object.keys(was), ...Object.keys(is)])].map((fact) => ({
      fqdn,
      fact,
      before: was[fact],
      after: is[fact],
      same: was[fact] === is[fact],
    }));
  });
}
