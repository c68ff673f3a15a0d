import type { AdminCall, AdminCaller } from '../../../access/verify-admin.ts';
import { seesSystem, seesZone } from '../../../access/zones-of-caller.ts';
import { Refusal } from '../../../api/problem.ts';
import type { ActionNumber } from '../../../core/ids.ts';
import { stateOf } from '../../../runtime/content.ts';
import type { Answer } from '../../../runtime/on-route.ts';
import { read, readRows } from '../../../runtime/read.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { clientsBy } from '../../reads/rows.ts';
import { actionOfNodeRef, type SystemAction, systemActionRef } from '../rows/system-action.ts';
import { systemActionView } from '../view.ts';

/** An order whose zones a caller may all see. Throws a {@link Refusal} for any other. */
export async function orderFor(shell: Shell, number: ActionNumber, caller: AdminCaller): Promise<SystemAction> {
  const order = await read(shell, systemActionRef(number));
  if (order?.nodes.every(({ zone }) => seesZone(caller, zone))) return order;
  throw new Refusal('not-found', `no action on client systems has the number ${number}`);
}

/** How far an action on client systems has come. Who may not see all zones that take part sees none of it. */
export async function systemAction({ params: { number }, caller }: AdminCall<'systemAction'>, shell: Shell): Promise<Answer> {
  const order = await orderFor(shell, number, caller);
  const rows = await readRows(
    shell,
    order.nodes.map(({ node }) => actionOfNodeRef(number, node)),
  );
  const now = shell.now();
  const parts = rows.map((row) => stateOf(row, now));
  // Who only looks has not asked for what he may not read.
  const { reached: _asked, ...looking } = caller;
  const executing = { ...looking, zones: caller.rights.execute ?? [] };
  const mayReadScript = order.nodes.every(({ zone }) => seesZone(executing, zone));
  const view = systemActionView({ number, order, parts, mayReadScript }, now);
  const clients = await clientsBy(
    shell,
    view.examples.map(({ fp }) => fp),
  );
  // The agent of a node says which these are: its word opens no other zone.
  const examples = view.examples.map((one, n) => {
    const client = clients[n];
    return { ...one, ...(client && seesSystem(caller, client) && { fqdn: client.fqdn }) };
  });
  return { status: 200, body: { ...view, examples } };
}
