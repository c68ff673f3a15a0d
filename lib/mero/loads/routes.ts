import * as z from 'zod';
import { route } from '../../api/route.ts';
import { ZoneName } from '../../core/ids.ts';
import { Identity, LayoutPage, LoadSize, ServerParts } from '../facts/load/parts.ts';

const zone = z.strictObject({ zone: ZoneName });
const LoadId = z.string().regex(/^[0-9A-Za-z-]{1,64}$/, 'it must be the id of a load');
const load = z.strictObject({ zone: ZoneName, load: LoadId });
/** A part of a load by its number; the first is 0. */
const part = load.extend({ n: z.coerce.number().int().min(0).max(99_999) });
/** A part that was handed in: its number, and the first 16 hex digits of the SHA-256 of its content. */
const Handed = z.strictObject({ n: z.int().nonnegative(), digest: z.string() });
const done = z.strictObject({ done: z.boolean(), because: z.string() });
const refusals = ['unknown-zone', 'not-a-storage-zone', 'unknown-load', 'refused', 'not-yet'] as const;

/**
 * Facts are loaded in parts: begin a load, hand in its pages and servers in any order and as often as necessary, and
 * then finish it. Until then it is invisible.
 */
export const adminMeroLoadsRoutes = {
  beginMeroLoad: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/mero/loads',
    summary: 'Begin to load facts, or resume the load of these facts that is under way. Numbers for their fids are reserved',
    scope: 'admin',
    params: zone,
    body: z.strictObject({ identity: Identity, size: LoadSize }),
    reply: z.strictObject({
      /** `loaded`: these facts are loaded already, and nothing remains to be done. */
      state: z.enum(['under-way', 'loaded']),
      load: z.string(),
      pages: z.array(Handed),
      servers: z.array(Handed),
    }),
    statuses: [201, 200],
    errors: ['unknown-zone', 'not-a-storage-zone', 'other-facts', 'not-yet'],
  }),
  putMeroLayout: route({
    method: 'PUT',
    path: '/api/v1/zones/{zone}/mero/loads/{load}/layout/{n}',
    summary: 'Hand in a page of a load: globals, places of hosts, devices of a pool, or profiles',
    scope: 'admin',
    params: part,
    body: z.strictObject({ page: LayoutPage }),
    reply: done,
    statuses: [200],
    errors: refusals,
  }),
  putMeroServers: route({
    method: 'PUT',
    path: '/api/v1/zones/{zone}/mero/loads/{load}/servers/{n}',
    summary: 'Hand in servers of a load, or some of their processes, with their devices',
    scope: 'admin',
    params: part,
    body: z.strictObject({ servers: ServerParts }),
    reply: done,
    statuses: [200],
    errors: [...refusals, 'invalid'],
  }),
  finishMeroLoad: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/mero/loads/{load}/finish',
    summary: 'Check a load as a whole and make it the cluster, for all readers at once',
    scope: 'admin',
    params: load,
    body: z.strictObject({}).default({}),
    reply: done,
    statuses: [200],
    errors: refusals,
  }),
  deleteMeroLoad: route({
    method: 'DELETE',
    path: '/api/v1/zones/{zone}/mero/loads/{load}',
    summary: 'Give up a load that is under way, and remove its parts',
    scope: 'admin',
    params: load,
    reply: done,
    statuses: [200],
    errors: refusals,
  }),
} as const;
