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

const numberedReport = <T extends string, D extends z.ZodType>({
  shape,
}: {
  readonly shape: { readonly type: z.ZodLiteral<T>; readonly data: D };
}) => z.strictObject({ ...numbered, type: shape.type, data: shape.data });

/** A report of a service or a supervisor, retained until Muster has it, as reports of processes are. */
export const ServiceReport = z.discriminatedUnion('type', [
  numberedReport(ServiceStarting),
  numberedReport(ServiceStarted),
  numberedReport(ServiceStopping),
  numberedReport(ServiceStopped),
  numberedReport(ServiceFailed),
  numberedReport(ServiceAcquired),
  numberedReport(ServiceReleased),
  numberedReport(ServiceConfigured),
  numberedReport(ServiceAnswered),
  numberedReport(SupervisorMissed),
]);
export type ServiceReport = z.infer<typeof ServiceReport>;

type Unnumbered<W> = W extends ServiceReport ? Omit<W, 'n'> : never;
/** A report about a service that has no number yet. */
export type UnnumberedReport = Unnumbered<ServiceReport>;
