import * as z from 'zod';
import { Bmc, Globals, Host, Pool, Profile, SecretReference, Server } from '../facts.ts';
import { line, natural, positive } from '../process.ts';

/*
 * Facts on their way into a deployment, cut into parts that a call carries. Everything that gets a fid has a number,
 * `at`: the one that it has when the whole file is expanded. The number after which the cluster's own begin is added to
 * it, and so a part has the same result whenever it comes.
 */

/** The number of something in its file, from 1. */
const At = positive.max(10_000_000);

/** An enclosure as it is handed in: with only the name of a password. */
const LoadedEnclosure = z.strictObject({
  at: At,
  index: natural,
  id: line.min(1),
  bmc: z.array(Bmc.extend({ bmc_pass: SecretReference })).optional(),
  hosts: z.array(Host),
});

/** An enclosure and its place; a rack without enclosures, and a site without racks, have an entry of their own. */
export const Place = z.strictObject({
  site: z.strictObject({ at: At, index: natural }),
  rack: z.strictObject({ at: At, index: natural }).optional(),
  enclosure: LoadedEnclosure.optional(),
});
export type Place = z.infer<typeof Place>;

/**
 * A part of what a cluster is besides its servers. A pool lists its devices by their WWNs, on as many pages as they
 * take.
 */
export const LayoutPage = z.discriminatedUnion('of', [
  z.strictObject({ of: z.literal('globals'), globals: Globals }),
  z.strictObject({ of: z.literal('sites'), places: z.array(Place).min(1) }),
  z.strictObject({
    of: z.literal('pool'),
    at: At,
    pool: Pool.omit({ pool_device_refs: true }),
    devices: z.array(line.min(1)).min(1),
  }),
  z.strictObject({ of: z.literal('profiles'), profiles: z.array(Profile.extend({ at: At })).min(1) }),
]);
export type LayoutPage = z.infer<typeof LayoutPage>;

/** A server, or some of its processes. `next` is the number of the first of them; the others follow in their order. */
export const ServerPart = z.strictObject({ at: At, next: At, server: Server });
export type ServerPart = z.infer<typeof ServerPart>;

/** The servers of one call. */
export const ServerParts = z.array(ServerPart).min(1).max(100);

/** How much there is in facts, and the last number in them. */
export const LoadSize = z.strictObject({
  nodes: natural.max(10_000),
  processes: natural.max(100_000),
  services: natural.max(500_000),
  devices: natural.max(200_000),
  pools: natural.max(1_000),
  profiles: natural.max(1_000),
  fids: natural.max(1_000_000),
});
export type LoadSize = z.infer<typeof LoadSize>;

/** SHA-256 in hex over the content of facts: the same for files with the same content in the same order. */
export const Identity = z.string().regex(/^[0-9a-f]{64}$/, 'it must be a SHA-256 in hex');
