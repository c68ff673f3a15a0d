import type { ServiceReport } from '../../events/reported/service.ts';
import { type Decision, isSame, type Nothing, nothing, write } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import { dueAt, moved } from './move.ts';
import type { ServiceSchema } from './rows/service-type.ts';
import { type Held, holdersMax, type ResourceHolders, type Service } from './service.ts';

type ReportData<T extends ServiceReport['type']> = Extract<ServiceReport, { type: T }>['data'];
/**
 * The context of an acquisition: the holders of the resource, the resources that the type may hold, and the fields that
 * record the report.
 */
export type Taking = {
  readonly holders?: ResourceHolders | undefined;
  readonly mayHold?: ServiceSchema['resources'] | undefined;
  /**
   * For a failed service: whether the report concerns the next process, which its agent has started while disconnected.
   */
  readonly isOfNext: boolean;
  readonly also: Partial<Service>;
};

/** The maximum number of resources that a service holds, as in the schema of its row. */
const heldMax = 64;

/**
 * A service reports that it acquired a resource. It cannot hold the resource if another service holds it alone, or if
 * it would hold it alone beside others. The service then fails with a reason that names the holder, and its agent is
 * ordered to stop it. The rule tries again, because the holder may be gone by then.
 */
export function acquire(
  service: Service,
  reported: ReportData<'service.acquired'>,
  { holders, mayHold, isOfNext, also }: Taking,
  now: EpochMs,
): Decision<Service> & { readonly refused?: true } {
  const { kind, id, hold } = reported;
  const { is } = service.state;
  const what = `${kind} ${id}`;
  if (is === 'offline' || (is === 'failed' && !isOfNext))
    return { ...noted(service, also, `it is ${is}: it cannot hold ${what}`), refused: true };
  if (mayHold && !mayHold.some((one) => one.kind === kind && one.hold === hold))
    return refused(`a ${service.type} may not hold a resource of the kind ${kind} ${hold === 'shared' ? 'with others' : 'alone'}`);
  const before = service.resources.find((one) => isOf(one, reported));
  if (before?.hold === hold) return noted(service, also, `it holds ${what} already`);
  const taken = takenBy(service, reported, holders);
  if (taken !== undefined) return moved(service, 'failed', { because: taken, reason: taken, also }, now) ?? refused(taken);
  if (!before && service.resources.length >= heldMax) return refused(`it holds ${heldMax} resources, the maximum`);
  if (!before && (holders?.holders.length ?? 0) >= holdersMax) return refused(`${holdersMax} services hold ${what}, the maximum`);
  const resources: Held[] = [...service.resources.filter((one) => !isOf(one, reported)), { kind, id, hold }];
  const next: Service = { ...service, ...also, resources };
  return write<Service, never>(next, `it holds ${what}${hold === 'exclusive' ? ' alone' : ''}`, { wakeAt: dueAt(next) });
}

/**
 * A service reports that it released a resource. If it does not hold the resource, its report of the acquisition may
 * still be on its way.
 */
export function release(service: Service, reported: ReportData<'service.released'>, also: Partial<Service>): Decision<Service> {
  const resources = service.resources.filter((one) => !isOf(one, reported));
  if (resources.length === service.resources.length) return noted(service, also, `it does not hold ${reported.kind} ${reported.id}`);
  const next: Service = { ...service, ...also, resources };
  return write<Service, never>(next, `it released ${reported.kind} ${reported.id}`, { wakeAt: dueAt(next) });
}

/** Records only the number of the report, so that earlier reports have no effect when they arrive. */
function noted(service: Service, also: Partial<Service>, because: string): Decision<Service> {
  const next: Service = { ...service, ...also };
  return isSame(next, service) ? nothing(because) : write<Service, never>(next, because, { wakeAt: dueAt(next) });
}

const refused = (because: string): Nothing & { readonly refused: true } => ({ ...nothing(because), refused: true });
const isOf = (a: Pick<Held, 'kind' | 'id'>, b: Pick<Held, 'kind' | 'id'>): boolean => a.kind === b.kind && a.id === b.id;

/** Which holders prevent a service from taking a resource this way, in words for people; undefined where none does. */
function takenBy({ node, type }: Service, { kind, id, hold }: Held, holders: ResourceHolders | undefined): string | undefined {
  const others = (holders?.holders ?? []).filter((one) => one.node !== node || one.type !== type);
  if (others.length === 0 || (hold === 'shared' && !holders!.exclusive)) return undefined;
  const [first] = others;
  const more = others.length > 1 ? ` and ${others.length - 1} more` : '';
  return `${kind} ${id} is held${holders!.exclusive ? ' alone' : ''} by ${first!.type} of node ${first!.node}${more}`;
}

/** The holders of a resource after a service acquired or released it; undefined where none is left. */
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
