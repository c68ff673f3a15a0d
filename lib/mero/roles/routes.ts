import * as z from 'zod';
import { route } from '../../api/route.ts';
import { ZoneName } from '../../core/ids.ts';
import { HalonRole } from '../facts/roles/halon-role.ts';
import { MeroRole } from '../facts/roles/mero-role.ts';

const RoleOrigin = z.enum(['muster', 'put', 'over']);

/**
 * Roles of a catalogue and the origin of each: it came with Muster, was put, or was put over one that came with Muster.
 */
export const MeroRoleView = z.strictObject({ origin: RoleOrigin, role: MeroRole });

export const HalonRoleView = z.strictObject({ origin: RoleOrigin, role: HalonRole });

const zone = z.strictObject({ zone: ZoneName });
const role = z.strictObject({ zone: ZoneName, role: MeroRole.shape.name });
const done = z.strictObject({ done: z.boolean(), because: z.string() });
const noZone = ['unknown-zone', 'not-a-storage-zone'] as const;

/** The two catalogues of roles of a storage zone. */
export const adminRoleRoutes = {
  listMeroRoles: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/mero/roles',
    summary: 'The Mero roles of a storage zone: which processes a host gets with each',
    scope: 'read',
    params: zone,
    reply: z.strictObject({ items: z.array(MeroRoleView) }),
    statuses: [200],
    errors: noZone,
  }),
  putMeroRole: route({
    method: 'PUT',
    path: '/api/v1/zones/{zone}/mero/roles/{role}',
    summary: 'Put a Mero role into the catalogue, also in the place of one that comes with Muster. Existing processes stay as they are',
    scope: 'admin',
    params: role,
    body: MeroRole.omit({ name: true }),
    reply: done,
    statuses: [200],
    errors: [...noZone, 'invalid', 'refused'],
  }),
  deleteMeroRole: route({
    method: 'DELETE',
    path: '/api/v1/zones/{zone}/mero/roles/{role}',
    summary: 'Delete a Mero role that was put into the catalogue. A role that comes with Muster is as it was again',
    scope: 'admin',
    params: role,
    reply: done,
    statuses: [200],
    errors: [...noZone, 'unknown-role'],
  }),
  listHalonRoles: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/halon/roles',
    summary: 'The Halon roles of a storage zone: which hosts are stations, and which services run on hosts besides their processes',
    scope: 'read',
    params: zone,
    reply: z.strictObject({ items: z.array(HalonRoleView) }),
    statuses: [200],
    errors: noZone,
  }),
  putHalonRole: route({
    method: 'PUT',
    path: '/api/v1/zones/{zone}/halon/roles/{role}',
    summary: 'Put a Halon role into the catalogue, also in the place of one that comes with Muster',
    scope: 'admin',
    params: role,
    body: HalonRole.omit({ name: true }),
    reply: done,
    statuses: [200],
    errors: [...noZone, 'refused'],
  }),
  deleteHalonRole: route({
    method: 'DELETE',
    path: '/api/v1/zones/{zone}/halon/roles/{role}',
    summary: 'Delete a Halon role that was put into the catalogue. A role that comes with Muster is as it was again',
    scope: 'admin',
    params: role,
    reply: done,
    statuses: [200],
    errors: [...noZone, 'unknown-role'],
  }),
} as const;
