import * as z from 'zod';
import { InstanceId, ServiceTypeName } from '../../../lib/core/ids.ts';
import type { EpochMs } from '../../../lib/core/time.ts';
import { DesiredService } from '../../../lib/nodes/desired/desired.ts';
import type { UnnumberedReport } from '../processes/words.ts';
import type { Alone } from '../supervised/alone.ts';
import { lasting, type Passing, stored } from '../supervised/thing.ts';
import type { Allowed } from './allowed.ts';

/** A question of Muster that is being answered, by its id. */
export const Asking = z.strictObject({ id: z.string(), what: z.enum(['check', 'status', 'message']), message: ServiceTypeName.optional() });
export type Asking = z.infer<typeof Asking>;

/** The record of the service of one type on this host, on disk before any action about it. */
export const Held = z.strictObject({
  service: ServiceTypeName,
  /** The instance that was started last; before the first start, the one that is wanted. */
  instance: InstanceId,
  /** How long that instance may take to stop, in ms. */
  stopMs: z.int().positive(),
  /** The service has no process of its own: the agent does its work. */
  inside: z.literal(true).optional(),
  ...stored,
  /** The instance that was acted on last: the agent starts none twice. */
  acted: InstanceId.optional(),
  /** The instance whose end was reported last. */
  ended: InstanceId.optional(),
  /** The service has announced that it stops. */
  announced: z.literal(true).optional(),
  /** The question that is being answered, and the ids of answered ones that Muster still asks. */
  asking: Asking.optional(),
  answered: z.array(z.string()),
});
/**
 * The other fields belong to this run of the agent only: the action under way, when it is killed, that a command of it
 * runs, when its health is checked next, and the last report of its health.
 */
export type Held = z.infer<typeof Held> &
  Passing & {
    readonly busy?: 'start' | 'signal' | 'forget';
    readonly killAt?: EpochMs;
    readonly commanding?: true;
    readonly checkAt?: EpochMs;
    readonly reported?: { readonly exit: number | undefined; readonly at: EpochMs };
  };

/** The last desired state of the agent's services. */
export const HeldDesired = z.strictObject({ version: z.literal(1), rev: z.int().nonnegative(), services: z.array(DesiredService) });
export type HeldDesired = z.infer<typeof HeldDesired>;

/** The services of this host as stored on disk. */
export const Table = z.strictObject({ version: z.literal(1), held: z.array(Held) });
export type Table = z.infer<typeof Table>;

/** Everything that the next decision about services depends on. */
export type ServicesState = Alone & {
  /** Undefined until Muster has sent it once. */
  readonly desired: HeldDesired | undefined;
  /** By type, in the order in which they came. */
  readonly held: ReadonlyMap<ServiceTypeName, Held>;
  /** New reports, in order, until they are handed on. */
  readonly reports: readonly UnnumberedReport[];
  /** The next look at what runs. */
  readonly look: { readonly at: EpochMs; readonly looking: boolean };
  /** The service types that the host's own configuration allows. */
  readonly allowed: Allowed;
  readonly wakeAt?: EpochMs;
};

/** The files that an agent finds on disk when it starts. */
export type OnDisk = { readonly table: Table | undefined; readonly desired: HeldDesired | undefined };

/** The state of an agent that starts: no action is under way, and the first look finds what runs. */
export const firstServices = ({ table, desired }: OnDisk, allowed: Allowed, now: EpochMs): ServicesState => ({
  mayGoOn: false,
  untoldFrom: undefined,
  desired,
  allowed,
  held: new Map(table?.held.map((held) => [held.service, held])),
  reports: [],
  look: { at: now, looking: false },
});

/** The part of a state that belongs on disk, as text, besides the desired state, which has a file of its own. */
export const tableText = ({ held }: ServicesState): string =>
  JSON.stringify({ version: 1, held: [...held.values()].map(onDisk) } satisfies Table);

function onDisk(held: Held): z.infer<typeof Held> {
  const { killAt: _killAt, commanding: _commanding, checkAt: _checkAt, reported: _reported, ...one } = lasting(held);
  return one;
}

/** The present desired state of a service; undefined for one that no longer belongs to this host. */
export const wantedOf = ({ desired }: ServicesState, service: ServiceTypeName): DesiredService | undefined =>
  desired?.services.find((wanted) => wanted.service === service);
