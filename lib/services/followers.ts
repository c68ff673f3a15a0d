import { type Decision, type Follower, nothing, write } from '../core/decision.ts';
import { holdersAfter } from './on-resource.ts';
import { type Held, type NameHolder, nameRef, type ResourceHolders, resourceRef, type Service, supervisorType } from './service.ts';
import { type SupervisionHead, supervisionRef } from './watch-set.ts';

/**
 * The other rows that change with a decision about a service: the holder of its name, which exists exactly as long as
 * the service's row; the holders of the resources that it acquired or released; and the supervision of its zone, once a
 * supervisor is registered.
 */
export function followers(before: Service | undefined, decision: Decision<Service>): Follower[] {
  if (decision.does === 'nothing') return [];
  const after = decision.does === 'write' ? decision.next : undefined;
  return [...nameFollows(before, after), ...resourcesFollow(before, after), ...supervisionFollows(before, after)];
}

function nameFollows(before: Service | undefined, after: Service | undefined): Follower[] {
  if (before && after) return [];
  const of = (before ?? after)!;
  const because = `${of.type} has the name ${of.name}`;
  const holder: NameHolder = { type: of.type };
  if (after) return [{ ref: nameRef(of), decide: () => write<NameHolder, never>(holder, because) }];
  const gone: Decision<NameHolder> = { does: 'remove', last: holder, events: [], because: `${of.type} is no longer registered` };
  return [{ ref: nameRef(of), decide: (state) => (state ? gone : nothing(gone.because)) }];
}

/** Supervision must be planned once a supervisor is registered. A later notice would be lost if its sender died. */
function supervisionFollows(before: Service | undefined, after: Service | undefined): Follower[] {
  if (before || after?.type !== supervisorType) return [];
  const { zone, since } = after;
  const because = 'a supervisor was registered';
  const decide = (state: unknown): Decision<SupervisionHead> =>
    state ? nothing(because, since) : write<SupervisionHead, never>({ zone }, because, { wakeAt: since });
  return [{ ref: supervisionRef(zone), decide }];
}

function resourcesFollow(before: Service | undefined, after: Service | undefined): Follower[] {
  const [old, now] = [before?.resources ?? [], after?.resources ?? []];
  const of = (before ?? after)!;
  const has = (list: readonly Held[], { kind, id, hold }: Held, exactly: boolean): boolean =>
    list.some((one) => one.kind === kind && one.id === id && (!exactly || one.hold === hold));
  const taken = now.filter((one) => !has(old, one, true));
  const left = old.filter((one) => !has(now, one, false));
  return [...taken.map((one) => resourceFollows(of, one, 'takes')), ...left.map((one) => resourceFollows(of, one, 'lets go'))];
}

function resourceFollows(of: Service, held: Held, does: 'takes' | 'lets go'): Follower {
  const because = `${of.type} of node ${of.node} ${does === 'takes' ? 'holds it' : 'released it'}`;
  const decide = (state: unknown): Decision<ResourceHolders> => {
    const holders = state as ResourceHolders | undefined;
    const next = holdersAfter(holders, of, held, does);
    if (next) return write<ResourceHolders, never>(next, because);
    return holders ? { does: 'remove', last: holders, events: [], because } : nothing(because);
  };
  return { ref: resourceRef(of.zone, held), decide };
}
