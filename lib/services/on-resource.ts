import type { ServiceReport } from '../../events/reported/service.ts';
import { type Decision, isSame, type Nothing, nothing, write } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import { dueAt, moved } from './move.ts';
import type { ServiceSchema } from './rows/service-type.ts';
import { type Held, holdersMax, type ResourceHolders, type Service } from './service.ts';

type Said<T extends ServiceReport['type']> = Extract<ServiceReport, { type: T }>['data'];
/**
 * What an acquisition rests on: who holds the resource, which ones its type may hold, and what the row keeps of the
 * word.
 */
export type Taking = {
  readonly holders?: ResourceHolders | undefined;
  readonly mayHold?: ServiceSchema['resources'] | undefined;
  /**
   * Whether it speaks, should the service have failed, of the next life: its agent has begun that while it was alone.
   */
  readonly isOfNext: boolean;
  readonly also: Partial<Service>;
};

/** How many resources a service holds at the most, as its row has it. */
const heldMax = 64;

/**
 * It says that it has come to hold a resource. One that another holds alone, or that it would have alone beside others,
 * it cannot hold: it has failed, which names the holder, its agent is told to stop it, and the rule tries again, as the
 * holder may have gone by then.
 */
export function acquire(
  service: Service,
  said: Said<'service.acquired'>,
  { holders, mayHold, isOfNext, also }: Taking,
  now: EpochMs,
): Decision<Service> & { readonly refused?: true } {
  const { kind, id, hold } = said;
  const { is } = service.state;
  const what = `${kind} ${id}`;
  if (is === 'offline' || (is === 'failed' && !isOfNext))
    return { ...noted(service, also, `it is ${is}: it can hold no ${what}`), refused: true };
  if (mayHold && !mayHold.some((one) => one.kind === kind && one.hold === hold))
    return refused(`a ${service.type} may not hold a resource of the kind ${kind} ${hold === 'shared' ? 'with others' : 'alone'}`);
  const before = service.resources.find((one) => isOf(one, said));
  if (before?.hold === hold) return noted(service, also, `it holds ${what} already`);
  const taken = takenBy(service, said, holders);
  if (taken !== undefined) return moved(service, 'failed', { because: taken, reason: taken, also }, now) ?? refused(taken);
  if (!before && service.resources.length >= heldMax) return refused(`it holds ${heldMax} resources, which are the most`);
  if (!before && (holders?.holders.length ?? 0) >= holdersMax) return refused(`${holdersMax} services hold ${what}, which are the most`);
  const resources: Held[] = [...service.resources.filter((one) => !isOf(one, said)), { kind, id, hold }];
  const next: Service = { ...service, ...also, resources };
  return write<Service, never>(next, `it holds ${what}${hold === 'exclusive' ? ' alone' : ''}`, { wakeAt: dueAt(next) });
}

/** It holds a resource no more. What does not hold it may have said before that it does, which is still on its way. */
export function release(service: Service, said: Said<'service.released'>, also: Partial<Service>): Decision<Service> {
  const resources = service.resources.filter((one) => !isOf(one, said));
  if (resources.length === service.resources.length) return noted(service, also, `it does not hold ${said.kind} ${said.id}`);
  const next: Service = { ...service, ...also, resources };
  return write<Service, never>(next, `it has let ${said.kind} ${said.id} go`, { wakeAt: dueAt(next) });
}

/** Nothing changes but which word was the last: what was said before it comes in vain. */
function noted(service: Service, also: Partial<Service>, because: string): Decision<Service> {
  const next: Service = { ...service, ...also };
  return isSame(next, service) ? nothing(because) : write<Service, never>(next, because, { wakeAt: dueAt(next) });
}

const refused = (because: string): Nothing & { readonly refused: true } => ({ ...nothing(because), refused: true });
const isOf = (a: Pick<Held, 'kind' | 'id'>, b: Pick<Held, 'kind' | 'id'>): boolean => a.kind === b.kind && a.id === b.id;

/** Who stands in the way of taking a resource so, in words for people; undefined where nobody does. */
function takenBy({ node, type }: Service, { kind, id, hold }: Held, holders: ResourceHolders | undefined): string | undefined {
  const others = (holders?.holders ?? []).filter((one) => one.node !== node || one.type !== type);
  if (others.length === 0 || (hold === 'shared' && !holders!.exclusive)) return undefined;
  const [first] = others;
  const more = others.length > 1 ? ` and ${others.length - 1} more` : '';
  return `${kind} ${id} is held${holders!.exclusive ? ' alone' : ''} by ${first!.type} of node ${first!.node}${more}`;
}

/** The holders of a resource once a service has taken it, or let it go; undefined where nobody is left. */
export function holdersAfter(
  holders: ResourceHolders | undefined,
  { node, type }: Pick<Service, 'node' | 'type'>,
  { kind, id, hold }: Held,
  does: 'takes' | 'lets go',
): ResourceHolders | undefined {
  const others = (holders?.holders ?? []).filter((one) => one.node !== node || one.type !== type);
  if (does === 'takes') return { kind, id, exclusive: hold === 'exclusive', holders: [...others, { node, type }] };
  return others.length === 0 ? undefined : { kind, id, exclusive: false, holders: others };
}
