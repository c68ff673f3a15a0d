import * as z from 'zod';
import { route } from '../../api/route.ts';
import { ZoneName } from '../../core/ids.ts';

const zone = z.strictObject({ zone: ZoneName });
const Value = z.union([z.number(), z.boolean()]);

/** The view of a variable of a storage cluster: its value, its default, its unit, and whether it sets anything. */
export const VarView = z.strictObject({
  name: z.string(),
  value: Value,
  usual: Value,
  unit: z.enum(['s', 'ms', 'times', 'switch']),
  /** `none`: it is stored and displayed, and changes nothing; `does` says what takes its place. */
  effect: z.enum(['setting', 'none']),
  does: z.string(),
});
export type VarView = z.infer<typeof VarView>;

const Vars = z.strictObject({ items: z.array(VarView) });

/** The variables of a storage cluster. */
export const adminMeroVarsRoutes = {
  getMeroVars: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/mero/vars',
    summary: 'The variables of a storage cluster, by the names of the original',
    scope: 'read',
    params: zone,
    reply: Vars,
    statuses: [200],
    errors: ['unknown-zone', 'not-a-storage-zone'],
  }),
  editMeroVars: route({
    method: 'PATCH',
    path: '/api/v1/zones/{zone}/mero/vars',
    summary: 'Set variables of a storage cluster; null restores the default of a variable',
    scope: 'admin',
    params: zone,
    body: z.strictObject({ vars: z.record(z.string().max(64), Value.nullable()) }),
    reply: Vars,
    statuses: [200],
    errors: ['unknown-zone', 'not-a-storage-zone', 'invalid'],
  }),
} as const;
