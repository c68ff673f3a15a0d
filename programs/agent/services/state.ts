import * as z from 'zod';
import { InstanceId, ServiceTypeName } from '../../../lib/core/ids.ts';
import type { EpochMs } from '../../../lib/core/time.ts';
import { DesiredService } from '../../../lib/nodes/desired/desired.ts';
import type { ServiceSaid } from '../processes/words.ts';
import type { Alone } from '../supervised/alone.ts';
import { lasting, type Passing, stored } from '../supervised/thing.ts';
import type { Allowed } from './allowed.ts';

/** An ask of Muster's that is being answered, by its id. */
export const Asking = z.strictObject({ id: z.string(), what: z.enum(['check', 'status', 'message']), message: ServiceTypeName.optional() });
export type Asking = z.infer<typeof Asking>;

/** What this host knows of the service of one type, on disk before anything is done about it. */
export const Held = z.strictObject({
  service: ServiceTypeName,
  /** The instance that was begun last; before the first one, that which is to be. */
  instance: InstanceId,
  /** How long that one may take to stop, in ms. */
  stopMs: z.int().positive(),
  /** It has no process of its own: the agent does it. */
  inside: z.literal(true).optional(),
  ...stored,
  /** The instance that was acted on last: none is started twice. */
  acted: InstanceId.optional(),
  /** The instance whose end was told last. */
  ended: InstanceId.optional(),
  /** It has said itself that it stops. */
  announced: z.literal(true).optional(),
  /** What is being answered, and the ids of what was, of those that are still asked. */
  asking: Asking.optional(),
  answered: z.array(z.string()),
});
/**
 * The rest is of this run of the agent alone: what is being done, when it is killed, that a command of it runs, when its
 * health is checked next, and what was reported last of that.
 */
export type Held = z.infer<typeof Held> &
  Passing & {
    readonly busy?: 'start' | 'signal' | 'forget';
    readonly killAt?: EpochMs;
    readonly commanding?: true;
    readonly checkAt?: EpochMs;
    readonly told?: { readonly exit: number | undefined; readonly at: EpochMs };
  };

/** What the agent was told last of its services. */
export const HeldDesired = z.strictObject({ version: z.literal(1), rev: z.int().nonnegative(), services: z.array(DesiredService) });
export type HeldDesired = z.infer<typeof HeldDesired>;

/** The services of this host as they stand on disk. */
export const Table = z.strictObject({ version: z.literal(1), held: z.array(Held) });
export type Table = z.infer<typeof Table>;

/** Everything that the next decision about services rests on. */
export type ServicesState = Alone & {
  /** Undefined until Muster has told once. */
  readonly desired: HeldDesired | undefined;
  /** By type, in the order in which they came. */
  readonly held: ReadonlyMap<ServiceTypeName, Held>;
  /** What is new, in order, until it is handed on. */
  readonly said: readonly ServiceSaid[];
  /** The next look at what runs. */
  readonly look: { readonly at: EpochMs; readonly looking: boolean };
  /** What the host's own configuration lets run. */
  readonly allowed: Allowed;
  readonly wakeAt?: EpochMs;
};

/** What an agent finds on disk when it starts. */
export type OnDisk = { readonly table: Table | undefined; readonly desired: HeldDesired | undefined };

/** The state of an agent that starts: what it did is over, and what runs will be seen. */
export const firstServices = ({ table, desired }: OnDisk, allowed: Allowed, now: EpochMs): ServicesState => ({
  mayGoOn: false,
  untoldFrom: undefined,
  desired,
  allowed,
  held: new Map(table?.held.map((held) => [held.service, held])),
  said: [],
  look: { at: now, looking: false },
});

/** What of a state belongs on disk, as text, beside the desired state, which has a file of its own. */
export const tableText = ({ held }: ServicesState): string =>
  JSON.stringify({ version: 1, held: [...held.values()].map(onDisk) } satisfies Table);

function onDisk(held: Held): z.infer<typeof Held> {
  const { killAt: _killAt, commanding: _commanding, checkAt: _checkAt, told: _told, ...one } = lasting(held);
  return one;
}

/** What is wanted of a service now; undefined for one that is no more among those of this host. */
export const wantedOf = ({ desired }: ServicesState, service: ServiceTypeName): DesiredService | undefined =>
  desired?.services.find((wanted) => wanted.service === service);
