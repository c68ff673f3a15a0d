import * as z from 'zod';
import { ReportedConfiguration, ResourceId } from '../../../events/reported/service.ts';
import { InstanceId, ServiceName, ServiceTypeName } from '../../../lib/core/ids.ts';
import { plainText } from './ask.ts';

/** A line that is safe to display: it has no control characters. */
const line = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => plainText(text) === text && !text.includes('\n'), { error: 'one line of plain text' });

export const Address = line(300);
export const Version = line(100);
export const Reason = line(400);

const resource = { kind: ServiceTypeName, id: ResourceId };

/** A service's report about itself to the agent of its host, from inside its own commands. */
export const ReportByService = z.strictObject({
  service: ServiceTypeName,
  instance: InstanceId,
  report: z.discriminatedUnion('is', [
    z.strictObject({ is: z.literal('ready'), address: Address.optional(), version: Version.optional() }),
    z.strictObject({ is: z.literal('stopping') }),
    z.strictObject({ is: z.literal('acquired'), ...resource, hold: z.enum(['shared', 'exclusive']) }),
    z.strictObject({ is: z.literal('released'), ...resource }),
    z.strictObject({ is: z.literal('configured'), configuration: ReportedConfiguration }),
    z.strictObject({ is: z.literal('failed'), reason: Reason }),
  ]),
});
export type ReportByService = z.infer<typeof ReportByService>;

/** A question to the agent of a host: where services of this name run in its zone. */
export const Lookup = z.strictObject({ find: ServiceName });
export type Lookup = z.infer<typeof Lookup>;

/** A question of a service to Muster, by way of the agent of its host: one that its type declares. */
export const Question = z.strictObject({
  service: ServiceTypeName,
  instance: InstanceId,
  question: ServiceTypeName,
  data: z.json().optional(),
});
export type Question = z.infer<typeof Question>;
