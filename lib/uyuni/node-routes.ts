import * as z from 'zod';
import { Incarnation } from '../../events/define.ts';
import { route } from '../api/route.ts';
import { signatureProblems } from '../api/signature-problems.ts';
import { Fingerprint, NodeId } from '../core/ids.ts';
import { EnterPath } from './enter/rows/path.ts';
import { Entry, TicketId } from './enter/rows/ticket.ts';
import { Change } from './outbox/batch.ts';
import { SourceId } from './outbox/source.ts';

/** The most kinds that one report is about: every kind once, and everything. */
const changesMax = 100;

/** The most systems that one report offers for adoption: with all their fingerprints some 25 KB. */
export const offeredMax = 50;

/** A system with an accepted key at the Salt master of a node, as its agent offers it. */
const Offered = z.strictObject({
  minion: z.string().min(1).max(255),
  /** The fingerprint of its minion's key, and those of the same key as Salt 3008 prints it. */
  fp: Fingerprint,
  ofText: z.array(Fingerprint).max(2),
  /** What the server calls it: its host name, if it has one. */
  name: z.string().max(253),
  /** Empty if the server does not know it. */
  machineId: z.string().max(64),
  /** Its number on the server; absent if that is no Uyuni server, or has no system with this minion id. */
  number: z.int().nonnegative().optional(),
});
export type Offered = z.infer<typeof Offered>;

/** What the agent of a Uyuni server reports of it. */
export const uyuniNodeRoutes = {
  reportChanges: route({
    method: 'POST',
    path: '/nodes/{id}/changes',
    summary:
      'Report what has changed on the Uyuni server of the node. It is taken once the call is answered; repeating a report, by its number, changes nothing',
    scope: 'node',
    params: z.strictObject({ id: NodeId }),
    body: z.strictObject({
      incarnation: Incarnation,
      /** Whose count the number is. */
      source: SourceId,
      seq: z.int().positive(),
      changes: z.array(Change).min(1).max(changesMax),
    }),
    /** The number up to which reports of this source were taken. */
    reply: z.strictObject({ taken: z.int().positive() }),
    statuses: [200],
    errors: [...signatureProblems, 'unknown-node', 'send-node-up', 'must-rejoin', 'removed'],
  }),
  reportAdoption: route({
    method: 'POST',
    path: '/nodes/{id}/adoption',
    summary:
      'Offer the next systems of the node for adoption, in the order of their minion ids, as an administrator has ordered it. They are adopted once the call is answered; systems that were taken already are passed over',
    scope: 'node',
    params: z.strictObject({ id: NodeId }),
    body: z.strictObject({
      incarnation: Incarnation,
      order: z.string().min(1).max(100),
      /** How many systems there are. */
      total: z.int().nonnegative(),
      systems: z.array(Offered).max(offeredMax),
      /** It is the last report: all systems were offered, or it cannot go on and says why. */
      end: z.strictObject({ why: z.string().max(500).optional() }).optional(),
    }),
    /** Whether more is to come, and the minion id of the last system that was taken. */
    reply: z.strictObject({ open: z.boolean(), after: z.string().optional() }),
    statuses: [200],
    errors: [...signatureProblems, 'unknown-node', 'send-node-up', 'must-rejoin', 'removed'],
  }),
  presentTicket: route({
    method: 'POST',
    path: '/nodes/{id}/tickets',
    summary:
      'Use up the ticket that a browser brought to the server, and learn who enters and where. An empty one, or a text that is none, is recorded in the audit',
    scope: 'node',
    params: z.strictObject({ id: NodeId }),
    body: z.strictObject({ incarnation: Incarnation, ticket: z.string().max(200) }),
    /**
     * The public part of the ticket, to whom calls of the person are attributed, the issuer's own name of the person if
     * an issuer vouches for one, a name for people, and the page.
     */
    reply: z.strictObject({ ticket: TicketId, who: z.string(), subject: z.string().optional(), name: z.string(), path: EnterPath }),
    statuses: [200],
    errors: [...signatureProblems, 'unknown-node', 'send-node-up', 'must-rejoin', 'removed', 'refused'],
    secret: true,
  }),
  reportEntry: route({
    method: 'POST',
    path: '/nodes/{id}/tickets/{ticket}/entry',
    summary: 'Report as which login the person of a ticket entered the server, or why not',
    scope: 'node',
    params: z.strictObject({ id: NodeId, ticket: TicketId }),
    body: z.strictObject({ incarnation: Incarnation, entry: Entry }),
    reply: z.strictObject({ because: z.string() }),
    statuses: [200],
    errors: [...signatureProblems, 'unknown-node', 'send-node-up', 'must-rejoin', 'removed', 'unknown-token'],
  }),
} as const;
