import * as z from 'zod';
import { Endpoint } from '../../core/endpoint.ts';

const name = z.string('it must be a text').regex(/^[A-Za-z][\w.-]{0,63}$/, 'a name is a letter and up to 63 letters, digits or ._-');
const positive = z.int('it must be a whole number from 1').positive('it must be a whole number from 1');
const natural = z.int('it must be a whole number from 0').nonnegative('it must be a whole number from 0');
/** The value in the original's files where there is none. */
const nothing = z.tuple([], 'it must be an empty list').default([]);

/** Texts that become one line of a file: printable, no longer than a path may be. */
const line = z
  .string('it must be a text: put it in quotes')
  .max(4096)
  // This is not a pattern: schemas for others have patterns without flags, and this one needs a flag.
  .refine((text) => !/\p{Cc}/u.test(text), 'it must be one line without control characters');

/** The kinds of Mero services. */
export const serviceTypes = [
  ...['CST_MDS', 'CST_IOS', 'CST_CONFD', 'CST_RMS', 'CST_STATS', 'CST_HA', 'CST_SSS', 'CST_SNS_REP', 'CST_SNS_REB', 'CST_ADDB2'],
  ...[
    'CST_CAS',
    'CST_DIX_REP',
    'CST_DIX_REB',
    'CST_DS1',
    'CST_DS2',
    'CST_FIS',
    'CST_FDMI',
    'CST_BE',
    'CST_M0T1FS',
    'CST_CLOVIS',
    'CST_ISCS',
  ],
] as const;

/** A disk as a service uses it; its WWN identifies it. */
export const Device = z.strictObject({
  m0d_wwn: line.min(1, 'it must not be empty'),
  m0d_serial: line.min(1, 'it must not be empty'),
  m0d_path: line.regex(/^\//, 'a path begins with /'),
  /** Of a block and of the whole, in bytes. */
  m0d_bsize: positive,
  m0d_size: positive,
  m0d_slot: natural.optional(),
});
export type Device = z.infer<typeof Device>;

/** A Mero service of a process. It answers where its process does; `m0s_endpoints` may say so. */
export const Service = z.strictObject({
  m0s_type: z.strictObject({
    tag: z.enum(serviceTypes, `a service is one of ${serviceTypes.join(', ')}`),
    contents: nothing,
  }),
  m0s_endpoints: z.array(Endpoint).optional(),
  m0s_devices: z.array(Device).optional(),
});
export type Service = z.infer<typeof Service>;

/**
 * The type of a process, which decides when it starts: Halon's own, a server of level 0 (confd) or 1, a kernel client,
 * or an application.
 */
export const ProcessType = z.discriminatedUnion(
  'tag',
  [
    z.strictObject({ tag: z.literal('PLHalon'), contents: nothing }),
    z.strictObject({
      tag: z.literal('PLM0d'),
      contents: z.int('its level must be 0 or 1').min(0, 'its level must be 0 or 1').max(1, 'its level must be 0 or 1'),
    }),
    z.strictObject({ tag: z.literal('PLM0t1fs'), contents: nothing }),
    z.strictObject({
      tag: z.literal('PLClovis'),
      contents: z.tuple(
        [name, z.enum(['Managed', 'Independent'], 'it must be Managed or Independent')],
        'it must be a name, and Managed or Independent',
      ),
    }),
  ],
  'a type has a tag: PLHalon, PLM0d, PLM0t1fs or PLClovis',
);
export type ProcessType = z.infer<typeof ProcessType>;

const Port = z.int('it must be a whole number from 0 to 65535').min(0).max(65_535, 'it must be a whole number from 0 to 65535');
/** A variable's value, or the first of a range that is free on the node. */
const EnvironmentValue = z.discriminatedUnion(
  'tag',
  [
    z.strictObject({ tag: z.literal('M0PEnvValue'), contents: line }),
    z.strictObject({
      tag: z.literal('M0PEnvRange'),
      contents: z
        .tuple([Port, Port], 'it must be the first and the last of a range')
        .refine(([low, high]) => low <= high, 'a range goes upwards'),
    }),
  ],
  'a value has a tag: M0PEnvValue or M0PEnvRange',
);
/** A variable of a process; a hyphen in its name becomes an underscore, so that every shell knows it. */
const EnvironmentName = z
  .string('it must be a name')
  .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,127}$/, 'the name of a variable has letters, digits, - and _, and does not begin with a digit');

/** How often a process may be on one node: 16 times the most that were ever seen on one. */
export const multiplicityMax = 256;

/** The specification of one process, or of several that are alike. */
export const Process = z.strictObject({
  m0p_endpoint: Endpoint,
  /** Limits of its memory, in bytes; 0 is none. */
  m0p_mem_as: natural.optional(),
  m0p_mem_rss: natural.optional(),
  m0p_mem_stack: natural.optional(),
  m0p_mem_memlock: natural.optional(),
  m0p_cores: z.array(natural).optional(),
  m0p_type: ProcessType,
  m0p_services: z.array(Service).min(1, 'a process needs a service'),
  m0p_environment: z.array(z.tuple([EnvironmentName, EnvironmentValue], 'it must be a name and a value')).optional(),
  m0p_multiplicity: positive.max(multiplicityMax, `it must be a whole number from 1 to ${multiplicityMax}`).optional(),
});
export type Process = z.infer<typeof Process>;
export { line, name, natural, positive };
