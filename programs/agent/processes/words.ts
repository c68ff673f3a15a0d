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
 * The fields of every report: its number, which counts all reports of this folder, and when it was made by the clock of
 * this host.
 */
export const numbered = { n: z.int().positive(), at: EpochMs };

const said = <T extends string, D extends z.ZodType>({ shape }: { readonly shape: { readonly type: z.ZodLiteral<T>; readonly data: D } }) =>
  z.strictObject({ ...numbered, type: shape.type, data: shape.data });

/** A report of a service or a supervisor, retained until Muster has it, as reports of processes are. */
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
/** A report about a service that has no number yet. */
export type ServiceSaid = Unnumbered<ServiceWord>;
