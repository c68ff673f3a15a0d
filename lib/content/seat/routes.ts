import * as z from 'zod';
import { Moment } from '../../api/moment.ts';
import { route } from '../../api/route.ts';
import { Fqdn, NodeId, ZoneName } from '../../core/ids.ts';
import { Via } from './seat.ts';

const params = z.strictObject({ zone: ZoneName });

/** A person as Uyuni servers know one. */
const Login = z.string().trim().min(1).max(200).describe('The login of a person at the servers, whose call a gateway carries');

/** Where the common content of a zone is edited, as the API and the command line show it. */
export const SeatView = z.strictObject({
  zone: ZoneName,
  /** Counts the elections. */
  epoch: z.int(),
  /** The node on which common content is edited; absent while nobody edits. */
  seat: z
    .strictObject({
      node: NodeId,
      fqdn: Fqdn,
      since: Moment,
      /** Until when common content is open there, unless it is renewed. */
      until: Moment,
      editors: z.array(z.strictObject({ who: z.string(), via: Via, since: Moment, at: Moment })),
    })
    .optional(),
  /** The seat before, while common content may still be open there. */
  before: z.strictObject({ node: NodeId, fqdn: Fqdn, until: Moment }).optional(),
  /** Nodes with changes of common content that the others do not have, as far as Muster knows. */
  ahead: z.array(z.strictObject({ node: NodeId, fqdn: Fqdn, at: Moment })),
  because: z.string(),
});
export type SeatView = z.infer<typeof SeatView>;

const Done = SeatView.extend({ done: z.boolean() });

/** How people and gateways edit the common content of a zone on one server at a time. */
export const seatRoutes = {
  getSeat: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/seat',
    summary: 'On which node the common content of a zone is edited, and by whom',
    scope: 'read',
    params,
    reply: SeatView,
    statuses: [200],
    errors: ['unknown-zone'],
  }),
  editContent: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/seat/edit',
    summary:
      'Edit common content: on the seat, or on the node that becomes the seat because nobody edits. Whoever edits calls again within the time of the answer, and is sent to the same node. Safe to repeat',
    scope: 'edit',
    params,
    body: z.strictObject({
      login: Login.optional(),
      /** The node that becomes the seat if nobody edits, and none has changes that the others lack. */
      prefers: Fqdn.optional(),
      /** A call that changes common content follows. */
      changes: z.boolean().default(false),
    }),
    /** `forMs`: how long this may be relied on, from the moment of the call. */
    reply: z.strictObject({
      zone: ZoneName,
      node: NodeId,
      fqdn: Fqdn,
      epoch: z.int().positive(),
      forMs: z.int().nonnegative(),
      editors: z.int(),
    }),
    statuses: [200],
    errors: ['unknown-zone', 'not-yet'],
    momentary: true,
  }),
  finishEditing: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/seat/finish',
    summary: 'Edit common content no more. With the last editor the seat ends',
    scope: 'edit',
    params,
    body: z.strictObject({ login: Login.optional() }),
    reply: Done,
    statuses: [200],
    errors: ['unknown-zone'],
  }),
  endEditing: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/seat/end',
    summary: 'End the editing of a person who does not finish, or of everybody, with a reason',
    scope: 'operate',
    params,
    body: z.strictObject({ who: z.string().min(1).max(200).optional(), because: z.string().trim().min(1).max(200) }),
    reply: Done,
    statuses: [200],
    errors: ['unknown-zone'],
  }),
  markSynced: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/seat/synced',
    summary: 'Say that what was changed on a node is on all other servers of the zone, or is not wanted',
    scope: 'operate',
    params,
    body: z.strictObject({ node: z.union([NodeId, Fqdn]) }),
    reply: Done,
    statuses: [200],
    errors: ['unknown-zone', 'unknown-node'],
  }),
} as const;
