import * as z from 'zod';
import { route } from '../../api/route.ts';
import { ZoneName } from '../../core/ids.ts';

/** What an operator may stop in a zone: slots that move, nodes that are given up for being silent or away, or both. */
export const freezes = z.enum(['moves', 'expiry', 'all']);

const zone = z.strictObject({ zone: ZoneName });
const done = z.strictObject({ done: z.boolean(), because: z.string() });

/** What an operator says of the brakes of a zone. */
export const adminZoneBrakeRoutes = {
  calmZone: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/calm',
    summary: 'End a disruption: whoever is silent now is lost, and its client systems go elsewhere',
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
    summary: 'Freeze a zone: no slot moves, nobody is given up for being silent or away, or both, until it is unfrozen',
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
    summary: 'Let a frozen zone go on',
    scope: 'operate',
    params: zone,
    body: z.strictObject({}).default({}),
    reply: done,
    statuses: [202],
    errors: ['unknown-zone'],
  }),
} as const;
