import * as z from 'zod';
import { name } from '../process.ts';

/** A Halon role: whether its hosts are stations, and which services run on them with which configuration. */
export const HalonRole = z.strictObject({
  name,
  station: z.boolean(),
  services: z.array(z.strictObject({ type: name, configuration: z.record(z.string(), z.json()) })),
});
export type HalonRole = z.infer<typeof HalonRole>;

/** The Halon roles that come with Muster; operators add services as they run some. */
export const defaultHalonRoles = (): HalonRole[] => [
  { name: 'station', station: true, services: [] },
  { name: 'ssu', station: false, services: [] },
  { name: 'cmu', station: false, services: [] },
  { name: 'dm', station: false, services: [] },
];
