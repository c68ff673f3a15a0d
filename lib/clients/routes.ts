import * as z from 'zod';
import { route } from '../api/route.ts';
import { signatureProblems } from '../api/signature-problems.ts';
import { Fingerprint, Fqdn, PemPublicKey, PublicKey, Tag, ZoneName } from '../core/ids.ts';
import { BootId } from './rows/boots.ts';

const byte = z.enum(['0', '1', '2', '3']);
const fp = z.strictObject({ fp: Fingerprint });

/** Names of the headers that client systems read and send. */
export const clientHeaders = {
  /** The membership token, both ways. */
  token: 'muster-token',
  /** Answered as `1` when the token of the call is no longer valid: only a knock returns another. */
  knock: 'muster-knock',
  /** Seconds until the next call. */
  next: 'muster-next',
  /** The address to watch: `host:port;every=seconds`. */
  watch: 'muster-watch',
  /**
   * For how many seconds, 1 or more, the client has been without its node. Sent until the watch succeeds or the node
   * changes.
   */
  lost: 'muster-lost',
  /** The boot of the daemon, as its knocks name it. */
  boot: 'muster-boot',
} as const;

/** The client system protocol: every answer is one byte, or a name. */
export const clientRoutes = {
  knock: route({
    method: 'POST',
    path: '/system/knock',
    summary: 'Knock: introduce this machine. Answers the status byte, and a token once it is accepted',
    scope: 'client',
    body: z.strictObject({
      publicKey: PublicKey,
      fqdn: Fqdn,
      machineId: z.string().min(1).max(64),
      /** The zone that it asks for: the administrators of that zone see it wait. Only a signed knock asks for one. */
      zone: ZoneName.optional(),
      facts: z
        .record(z.string().min(1).max(64), z.string().max(256))
        .refine((facts) => Object.keys(facts).length <= 32, 'at most 32 facts')
        .default({}),
      suggestedTags: z.array(Tag).max(16).default([]),
      minion: z.strictObject({ id: z.string().min(1).max(255), publicKey: PemPublicKey, proof: z.string().max(4096) }).optional(),
      /**
       * An onboarding token. A token that is refused changes nothing for the machine; only its administrator sees the
       * reason.
       */
      token: z.string().max(200).optional(),
      /** The boot of the daemon: made at random at each of its starts, and stored nowhere. */
      boot: BootId.optional(),
      confirmed: Fqdn.optional(),
      lost: z.boolean().optional(),
    }),
    reply: byte,
    replyType: 'text/plain',
    statuses: [200],
    errors: [
      'unknown-zone',
      ...signatureProblems,
      'fingerprint-mismatch',
      'weak-key',
      'unsupported-key',
      'proof-invalid',
      'key-in-use',
      'nonce-reused',
      'onboarding-rate',
    ],
  }),
  systemStatus: route({
    method: 'GET',
    path: '/system/status',
    summary: 'The status byte: 0 new, 1 onboarded, 2 orphan, 3 deleted; with a token, a sign of life',
    scope: 'client',
    query: fp,
    reply: byte,
    replyType: 'text/plain',
    statuses: [200],
    errors: ['signature-missing'],
  }),
  orphan: route({
    method: 'GET',
    path: '/system/orphan',
    summary: "The node's name, or 204 with retry-after: not your turn, keep knocking",
    scope: 'client',
    query: fp,
    reply: Fqdn,
    replyType: 'text/plain',
    statuses: [200, 204],
    errors: ['unknown-system', 'signature-missing'],
  }),
} as const;
