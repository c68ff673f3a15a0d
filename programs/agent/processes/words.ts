import * as z from 'zod';
import {
  ServiceAcquired,
  ServiceAnswered,
  ServiceConfigured,
  ServiceFailed,
  ServiceReleased,
  ServiceStarted,
  ServiceStarting,
  ServiceStopped,
  ServiceStopping,
} from '../../../events/reported/service.ts';
import { SupervisorMissed } from '../../../events/reported/supervisor.ts';
import { EpochMs } from '../../../lib/core/time.ts';

/**
 * What every word has: its number, which counts all that this folder ever had to say, and when it was said by the clock
 * of this host.
 */
export const numbered = { n: z.int().positive(), at: EpochMs };

const said = <T extends string, D extends z.ZodType>({ shape }: { readonly shape: { readonly type: z.ZodLiteral<T>; readonly data: D } }) =>
  z.strictObject({ ...numbered, type: shape.type, data: shape.data });

/**
 * Something to report of a service, or what a supervisor has to say; kept, like what there is to say of processes,
 * until Muster has it.
 */
export const ServiceWord = z.discriminatedUnion('type', [
  said(ServiceStarting),
  said(ServiceStarted),
  said(ServiceStopping),
  said(ServiceStopped),
  said(ServiceFailed),
  said(ServiceAcquired),
  said(ServiceReleased),
  said(ServiceConfigured),
  said(ServiceAnswered),
  said(SupervisorMissed),
]);
export type ServiceWord = z.infer<typeof ServiceWord>;

type Unnumbered<W> = W extends ServiceWord ? Omit<W, 'n'> : never;
/** A word about a service that has no number yet. */
export type ServiceSaid = Unnumbered<ServiceWord>;
