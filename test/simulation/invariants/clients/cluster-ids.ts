import { type Client, type ClientAlias, clusterIdOf } from '../../../../lib/clients/client.ts';
import { type ClusterIdOwner, type ClusterIds, firstId } from '../../../../lib/clients/cluster-ids/cluster-ids.ts';
import type { Row } from '../../../../lib/ports/table/table.ts';
import type { Committed } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';

type Body = Client | ClientAlias;
const bodyOf = <T>(row: Row | undefined): T | undefined => (row === undefined || row.gone ? undefined : (row.body as T));
const idIn = (body: Body | undefined): number | undefined => (body && body.standing !== 'alias' ? clusterIdOf(body) : undefined);

/** A client system in a commit, as it was and is. */
type Step = { readonly fp: string; readonly before: Body | undefined; readonly after: Body };

/** What all commits so far have said of cluster ids: whom each finds, and what is given. */
class Given {
  readonly owners = new Map<number, string>();
  all: ClusterIds | undefined;

  take(changes: readonly Committed[]): void {
    for (const { after } of changes) {
      if (after.key.sk === 'cluster-ids') this.all = after.body as ClusterIds;
      if (after.key.sk === 'cluster-id') this.owners.set(numberOf(after), (after.body as ClusterIdOwner).of);
    }
  }
}

const numberOf = ({ key }: Row): number => Number(key.pk.slice('cluster-id#'.length));

const stepsOf = (changes: readonly Committed[]): Step[] =>
  changes.flatMap(({ before, after }) =>
    after.key.sk === 'client' && after.rev > (before?.rev ?? 0)
      ? [{ fp: after.key.pk.slice('client#'.length), before: bodyOf<Body>(before), after: after.body as Body }]
      : [],
  );

/** Which key a client system has handed everything over to in this commit. */
const heirOf = ({ after }: Step): string | undefined =>
  after.standing === 'alias' ? after.of : after.standing === 'banned' ? after.replacedBy : undefined;

/** Why a client system must not have the id that it has. */
function wrongOf(step: Step, steps: readonly Step[], given: Given): string | undefined {
  const { fp, before, after } = step;
  const [was, is] = [idIn(before), idIn(after)];
  const heir = heirOf(step);
  if (heir !== undefined) {
    const next = steps.find((one) => one.fp === heir)?.after;
    if (is !== undefined) return `has id ${is}, and ${heir.slice(0, 8)} took its place`;
    return was === undefined || idIn(next) === was ? undefined : `had id ${was}, and ${heir.slice(0, 8)} has ${idIn(next)}`;
  }
  if (was !== undefined && is !== was) return `had id ${was}, and has ${is}`;
  if (after.standing === 'accepted' && before?.standing !== 'accepted' && is === undefined) return 'is accepted without an id';
  if (is === undefined) return undefined;
  const owner = given.owners.get(is);
  return owner === fp ? undefined : `has id ${is}, which finds ${owner?.slice(0, 8)}`;
}

/** Why an id that a client system has got is none that it may get. */
function wronglyGiven(
  { before, after }: Step,
  steps: readonly Step[],
  { all }: Given,
  wasTaken: (id: number) => boolean,
): string | undefined {
  if (after.standing !== 'accepted' || after.clusterId === undefined || idIn(before) !== undefined) return undefined;
  const { clusterId, adopted } = after;
  if (steps.some((one) => idIn(one.before) === clusterId)) return undefined;
  const own = adopted?.number ?? 0;
  // A key that was another of a machine, and is adopted, was so of a machine that has been forgotten since.
  const isNew = before === undefined || before.standing === 'alias';
  const keeps = adopted !== undefined && isNew && all?.server === adopted.node && own > 0 && own < firstId && !wasTaken(own);
  if (keeps) return clusterId === own ? undefined : `was ${own} on the first server, and has id ${clusterId}`;
  return clusterId >= firstId && clusterId < (all?.next ?? 0) ? undefined : `has id ${clusterId}, which nobody has reserved`;
}

/** An id may find another client system only once that has taken the place of the one before. */
function movedWrongly({ before, after }: Committed, steps: readonly Step[]): string | undefined {
  const was = bodyOf<ClusterIdOwner>(before)?.of;
  const { of } = after.body as ClusterIdOwner;
  if (was === undefined || was === of) return undefined;
  const former = steps.find(({ fp }) => fp === was);
  return former && heirOf(former) === of ? undefined : `id ${numberOf(after)} found ${was.slice(0, 8)}, and finds ${of.slice(0, 8)}`;
}

/** A script that has an id means one machine by it, whatever has become of that machine since. */
export const clusterIds: Invariant = {
  name: 'a-cluster-id-is-for-life',
  says: 'each client system that is accepted has one cluster id, which no other has or had, which it keeps, and which finds it; whoever takes its place has it from then on; systems of the first server that was adopted have their own ids there, and all others have ids that were reserved; where the version before serves as well, some have none',
  begin: ({ violated, world }) => {
    const given = new Given();
    return {
      committed: (changes) => {
        const steps = stepsOf(changes);
        const taken = new Set(given.owners.keys());
        given.take(changes);
        for (const change of changes) {
          const wrong = change.after.key.sk === 'cluster-id' ? movedWrongly(change, steps) : undefined;
          if (wrong !== undefined) violated(wrong);
        }
        // The version before neither gives ids nor keeps them.
        if (world().config.faults.deploy !== undefined) return;
        for (const step of steps) {
          const wrong = wrongOf(step, steps, given) ?? wronglyGiven(step, steps, given, (id) => taken.has(id));
          if (wrong !== undefined) violated(`${step.fp.slice(0, 8)} ${wrong}`);
        }
      },
    };
  },
};
