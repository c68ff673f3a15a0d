import * as z from 'zod';
import { route } from '../../api/route.ts';
import { ZoneName } from '../../core/ids.ts';

/**
 * Operations that an operator may stop in a zone: moves of slots, giving nodes up for being silent or away, or both.
 */
export const freezes = z.enum(['moves', 'expiry', 'all']);

const zone = z.strictObject({ zone: ZoneName });
const done = z.strictObject({ done: z.boolean(), because: z.string() });

/** An operator's commands to the guard-rails of a zone. */
export const adminZoneGuardrailRoutes = {
  calmZone: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/calm',
    summary: 'End a disruption: nodes that are silent now are lost, and their client systems go elsewhere',
    scope: 'operate',
    params: zone,
    body: z.strictObject({}).default({}),
    reply: done,
    statuses: [202],
    errors: ['unknown-zone'],
  }),
  freezeZone: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/freeze',
    summary: 'Freeze a zone until it is unfrozen: no slot moves, no node is given up for being silent or away, or both',
    scope: 'operate',
    params: zone,
    body: z.strictObject({ what: freezes }),
    reply: done,
    statuses: [202],
    errors: ['unknown-zone'],
  }),
  unfreezeZone: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/unfreeze',
    summary: 'Unfreeze a zone',
    scope: 'operate',
    params: zone,
    body: z.strictObject({}).default({}),
    reply: done,
    statuses: [202],
    errors: ['unknown-zone'],
  }),
} as const;
