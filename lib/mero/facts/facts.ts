import * as z from 'zod';
import { Fqdn } from '../../core/ids.ts';
import { line, name, natural, Process, positive } from './process.ts';

/** The name of a secret, such as `bmc/enclosure1/0`; the secret itself is in no file, row or log. */
export const SecretReference = z.strictObject({
  secret: z
    .string('it must be the name of a secret')
    .regex(/^[\w.-]{1,100}(\/[\w.-]{1,100}){0,5}$/, 'the name of a secret has letters, digits and ._- between slashes'),
});
export type SecretReference = z.infer<typeof SecretReference>;

/** The controller of an enclosure. */
export const Bmc = z.strictObject({
  bmc_addr: line,
  bmc_user: line,
  bmc_pass: z.union([line, SecretReference], 'it must be a password, or better the name of one: { secret: NAME }'),
});

/** The name of a Halon role, and variables that win over those of the host. */
export const RoleSpec = z.strictObject({ name, overrides: z.record(z.string(), z.json()).optional() });

/** A host in its enclosure. */
export const Host = z.strictObject({ h_fqdn: Fqdn, h_halon: z.strictObject({ roles: z.array(RoleSpec) }).optional() });
const Enclosure = z.strictObject({
  enc_idx: natural,
  enc_id: line.min(1, 'an enclosure needs an id'),
  enc_bmc: z.array(Bmc).optional(),
  enc_hosts: z.array(Host),
});
const Rack = z.strictObject({ rack_idx: natural, rack_enclosures: z.array(Enclosure) });
const Site = z.strictObject({ site_idx: natural, site_racks: z.array(Rack) });
export type Site = z.infer<typeof Site>;

/** A host that Mero processes run on, or may come to run on. */
export const Server = z.strictObject({
  m0h_fqdn: Fqdn,
  /** Its address on the network of the storage cluster, such as `10.0.0.1@tcp`. */
  lnid: line.optional(),
  host_mem_as: natural.optional(),
  host_mem_rss: natural.optional(),
  host_mem_stack: natural.optional(),
  host_mem_memlock: natural.optional(),
  host_cores: z.array(natural).optional(),
  m0h_processes: z.array(Process),
});
export type Server = z.infer<typeof Server>;

const sizes = [
  ...[
    'm0_be_ios_seg_size',
    'm0_be_log_size',
    'm0_be_seg_size',
    'm0_be_tx_payload_size_max',
    'm0_be_tx_reg_nr_max',
    'm0_be_tx_reg_size_max',
  ],
  ...['m0_be_txgr_freeze_timeout_min', 'm0_be_txgr_freeze_timeout_max', 'm0_be_txgr_payload_size_max', 'm0_be_txgr_reg_nr_max'],
  ...['m0_be_txgr_reg_size_max', 'm0_be_txgr_tx_nr_max', 'm0_min_rpc_recvq_len'],
] as const;
/** Settings of the whole cluster. */
export const Globals = z.strictObject({
  m0_md_redundancy: positive,
  ...(Object.fromEntries(sizes.map((key) => [key, positive.optional()])) as Record<(typeof sizes)[number], z.ZodOptional<typeof positive>>),
});

/** One of the two halves of a seed: 64 bits, in quotes where a number of JavaScript is too small. */
const Word64 = z.union(
  [natural, z.string().regex(/^\d{1,20}$/)],
  'it must be a whole number of 64 bits, in quotes when it is above 9007199254740991',
);
const failures = { site: natural, rack: natural, encl: natural, ctrl: natural, disk: natural };

/** A reference to a device: the device must match all that is given. */
const DeviceRef = z
  .strictObject({ dr_wwn: line.optional(), dr_serial: line.optional(), dr_path: line.optional() })
  .refine((ref) => Object.values(ref).some((one) => one !== undefined), 'a reference to a device needs dr_wwn, dr_serial or dr_path');
export type DeviceRef = z.infer<typeof DeviceRef>;
/** Devices that data is spread over, and how. */
export const Pool = z.strictObject({
  pool_id: line.min(1, 'a pool needs an id'),
  pool_pdclust_attrs: z.strictObject({
    data_units: positive,
    parity_units: natural,
    unit_size: positive,
    seed: z.tuple([Word64, Word64], 'it must be two numbers'),
  }),
  pool_allowed_failures: z.array(z.strictObject(failures)).optional(),
  pool_device_refs: z.array(DeviceRef).min(1, 'a pool needs devices'),
});
export type Pool = z.infer<typeof Pool>;
/** Pools that are used together. */
export const Profile = z.strictObject({ prof_id: line.min(1, 'a profile needs an id'), prof_pools: z.array(line) });

/**
 * A facts file: the places of hosts, what runs on them with which devices, and how devices make pools and pools
 * profiles.
 */
export const Facts = z.strictObject({
  id_sites: z.array(Site),
  id_m0_servers: z.array(Server),
  id_m0_globals: Globals,
  id_pools: z.array(Pool),
  id_profiles: z.array(Profile),
});
export type Facts = z.infer<typeof Facts>;

/** The parts of a facts file that have keys: the candidates for a misspelt one. */
const parts = { Facts, Site, Rack, Enclosure, Bmc, Host, Server, Process, Globals, Pool, DeviceRef: DeviceRef, Profile } as const;

/** Every key that a facts file may have. */
export const factsKeys = (): string[] => [
  ...new Set(Object.values(parts).flatMap((part) => Object.keys(part.shape))),
  ...['roles', 'overrides', 'name', 'tag', 'contents', 'secret', 'm0s_type', 'm0s_endpoints', 'm0s_devices'],
  ...['m0d_wwn', 'm0d_serial', 'm0d_path', 'm0d_bsize', 'm0d_size', 'm0d_slot', 'data_units', 'parity_units', 'unit_size', 'seed'],
  ...['h_halon', ...Object.keys(failures)],
];

/**
 * The JSON Schema of a facts file, for editors. `muster facts validate` checks what schemas cannot say, such as that
 * names differ.
 */
export const factsJsonSchema = (): object => ({
  title: 'Facts of a Muster storage cluster',
  ...z.toJSONSchema(Facts, { io: 'input', target: 'draft-2020-12' }),
});
