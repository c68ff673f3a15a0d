import * as z from 'zod';
import { isIpv4 } from './address.ts';
import { faultOfKey } from './public-key.ts';

/** A node's id: `n` and the first 16 hex digits of the SHA-256 of the key it first joined with. */
export const NodeId = z
  .string()
  .regex(/^n[0-9a-f]{16}$/, 'a node id is the letter n and 16 hex digits')
  .brand<'NodeId'>();
export type NodeId = z.infer<typeof NodeId>;

/** A deployment's name, part of every signature's tag: letters, digits and `._-`, 1 to 64 of them. */
export const DeploymentName = z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, 'the name of a deployment has 1 to 64 letters, digits or ._-');

/** A zone's name: lower-case letters, digits and hyphens, 1 to 40 of them, beginning with a letter. */
export const ZoneName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,39}$/, 'a zone name is 1 to 40 lower-case letters, digits or hyphens, beginning with a letter')
  .brand<'ZoneName'>();
export type ZoneName = z.infer<typeof ZoneName>;

/**
 * The identity of a client system: the SHA-256 of its public key as 64 lower-case hex digits. On the wire it may also
 * be written as in Salt and ssh: hex pairs with colons, in either case.
 */
export const Fingerprint = z
  .string()
  .transform((text) => text.replaceAll(':', '').toLowerCase())
  .pipe(z.string().regex(/^[0-9a-f]{64}$/, 'a fingerprint is 32 bytes in hex, with or without colons'))
  .pipe(z.string().brand<'Fingerprint'>());
export type Fingerprint = z.infer<typeof Fingerprint>;

/** A fingerprint as an administrator compares it: hex pairs with colons. */
export const showFingerprint = (fp: Fingerprint): string => fp.replace(/..(?!$)/g, '$&:');

/** The largest cluster id: what XML-RPC's `int` holds, in which tools of Uyuni carry the ids of systems. */
export const clusterIdMax = 2 ** 31 - 1;

/** The id of a client system in the cluster, for life: 31 bits, as tools of Uyuni know systems. */
export const ClusterId = z.int().positive().max(clusterIdMax);
export type ClusterId = z.infer<typeof ClusterId>;

/**
 * The first number that Muster gives to an action: servers count their own from 1, so that a number of theirs is never
 * taken for one of the cluster.
 */
export const firstActionNumber = 1_500_000_000;

/** The number of an action in the cluster: 31 bits, which is what XML-RPC's `int` holds. */
export const ActionNumber = z.int().min(firstActionNumber).max(clusterIdMax);
export type ActionNumber = z.infer<typeof ActionNumber>;

/** The number of an action in a path. */
export const ActionNumberInPath = z
  .string()
  .regex(/^[1-9][0-9]{9}$/, 'the number of an action has ten digits')
  .transform(Number)
  .pipe(ActionNumber.describe('The number of an action in the cluster'));

/** A cluster id as text, in an address: at most ten digits, so that no fingerprint is taken for one. */
export const ClusterIdText = z
  .string()
  .regex(/^[1-9][0-9]{0,9}$/, 'a cluster id has at most ten digits')
  .transform(Number)
  .pipe(ClusterId);

/**
 * A host's own name: labels of letters, digits and inner hyphens, 253 characters at most (RFC 1123, 2.1), most often
 * fully qualified. ASCII only, so that no look-alike letter passes; the last label is not all digits, so that an
 * address is no name. Names with another meaning are refused: the id of a node, `localhost`, and `muster`, which is
 * Muster itself among the nodes.
 */
export const Fqdn = z
  .string()
  .max(253)
  .transform((text) => text.toLowerCase())
  .pipe(
    z
      .string()
      .regex(
        /^(?=.{1,253}$)(?!(?:n[0-9a-f]{16}|localhost|muster)$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*(?!\d+$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
        'the name of a host: labels of letters, digits and hyphens',
      ),
  )
  .pipe(z.string().brand<'Fqdn'>());
export type Fqdn = z.infer<typeof Fqdn>;

/** Whether a name has a domain: a name of a single label can lead to another host in another network. */
export const isQualified = (name: Fqdn): boolean => name.includes('.');

/**
 * The kind of a document about a client system, such as `channels`: lower-case letters, digits and hyphens, 1 to 32 of
 * them, beginning with a letter.
 */
export const MetadataKind = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'a kind is 1 to 32 lower-case letters, digits or hyphens, beginning with a letter')
  .brand<'MetadataKind'>();
export type MetadataKind = z.infer<typeof MetadataKind>;

/** Where a client system checks that its node is alive: `host:port`, by a TCP connect. */
export const WatchAddress = z
  .string()
  .max(259)
  .regex(/^[A-Za-z0-9.-]{1,253}:\d{1,5}$/, 'a watch address is host:port')
  .refine((text) => Number(text.slice(text.lastIndexOf(':') + 1)) <= 65_535, 'a port is at most 65535')
  .refine((text) => !/^[\d.]+:/.test(text) || isIpv4(text.slice(0, text.lastIndexOf(':'))), 'an IPv4 address is four numbers of 0 to 255');

const plainName = /^[a-z][a-z0-9-]{0,39}$/;
/** The name of a service type: lower-case letters, digits and hyphens, 1 to 40 of them, beginning with a letter. */
export const ServiceTypeName = z
  .string()
  .regex(plainName, 'the name of a service type is 1 to 40 lower-case letters, digits or hyphens, beginning with a letter')
  .brand<'ServiceTypeName'>();
export type ServiceTypeName = z.infer<typeof ServiceTypeName>;

/** The name of a service, of any type; only one service of a node has it at a time. Written as the name of a type. */
export const ServiceName = z
  .string()
  .regex(plainName, 'a service name is 1 to 40 lower-case letters, digits or hyphens, beginning with a letter')
  .brand<'ServiceName'>();
export type ServiceName = z.infer<typeof ServiceName>;

/** One run of a service on its node: when the service was registered, base 36, and how often it was started since. */
export const InstanceId = z
  .string()
  .regex(/^[0-9a-z]{1,11}\.[1-9]\d{0,9}$/, 'not an instance id: Muster gives a service one at each start')
  .brand<'InstanceId'>();
export type InstanceId = z.infer<typeof InstanceId>;

/** A raw Ed25519 public key, 32 bytes in base64url without padding, that may be trusted with something. */
export const PublicKey = z
  .string()
  .max(8192)
  .regex(/^[A-Za-z0-9_-]{43}$/, 'an Ed25519 public key is 32 bytes in base64url')
  .refine((key) => faultOfKey(key) !== 'unsupported-key', {
    message: 'not an Ed25519 public key: RSA, P-256, PEM and JWK are not accepted',
    params: { problem: 'unsupported-key' },
  })
  .refine((key) => faultOfKey(key) !== 'weak-key', {
    message: 'a weak key: anybody can make its signatures',
    params: { problem: 'weak-key' },
  });

/** The name of a label of a node: 1 to 32 printable characters, none of which moves or hides others. */
export const LabelName = z.string().regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,32}$/u, 'the name of a label has 1 to 32 printable characters');

/** A label, tag or group: letters, digits and `._:/-`, 1 to 64 of them. */
export const Tag = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/, 'a tag is 1 to 64 letters, digits or ._:/- and begins with a letter or digit');

/**
 * A public key in PEM as a Salt minion stores it. Its fingerprint is the hash of the lines between the two marks, so
 * there must be some.
 */
export const PemPublicKey = z
  .string()
  .max(4096)
  .regex(
    /^-----BEGIN (RSA )?PUBLIC KEY-----\r?\n([A-Za-z0-9+/=]{1,76}\r?\n)+-----END (RSA )?PUBLIC KEY-----\s*$/,
    'a public key in PEM, as in a minion.pub file',
  );
