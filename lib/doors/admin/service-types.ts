import { Refusal } from '../../api/problem.ts';
import type { Fqdn } from '../../ids.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Answer } from '../../runtime/on-route.ts';
import { readAll } from '../../runtime/read-all.ts';
import type { Shell } from '../../runtime/shell.ts';
import { typeIn } from '../../services/catalogue.ts';
import { typesRef } from '../../services/rows.ts';
import type { Service } from '../../services/service.ts';
import type { ServiceTypes } from '../../services/service-type.ts';
import { decideTypes, type TypesCommand, typesIn } from '../../services/types.ts';
import { typeOfPut, typeView } from '../../services/view.ts';
import { keyOf, serviceList, servicesOfType } from '../../table/keys.ts';
import { secondMs } from '../../units.ts';
import type { AdminCall, AdminCaller } from '../verify-admin.ts';
import { applyInZone } from '../zone-gate.ts';
import { foundZone } from './found.ts';

/** The types of a zone as they were put; undefined while nobody has put any. */
export const putTypesOf = async (shell: Shell, zone: string): Promise<ServiceTypes | undefined> =>
  stateOf<ServiceTypes>(await shell.table.read(keyOf(typesRef(zone))), shell.now());

/** The types of services of a zone. */
export async function listServiceTypes({ params, caller }: AdminCall<'listServiceTypes'>, shell: Shell): Promise<Answer> {
  await foundZone(shell, params.zone, caller);
  const all = typesIn(await putTypesOf(shell, params.zone));
  return { status: 200, body: { items: all.map((one) => typeView(one, all)) } };
}

/** One of them. */
export async function getServiceType({ params, caller }: AdminCall<'getServiceType'>, shell: Shell): Promise<Answer> {
  await foundZone(shell, params.zone, caller);
  const put = await putTypesOf(shell, params.zone);
  const found = typeIn(put, params.type);
  if (!found) throw new Refusal('unknown-service-type', `zone ${params.zone} has no type of service ${params.type}`);
  return { status: 200, body: typeView(found, typesIn(put)) };
}

/** Puts a type, once everything that it says is seen to fit together. */
export async function putServiceType({ params, body, request, caller }: AdminCall<'putServiceType'>, shell: Shell): Promise<Answer> {
  const { type: put, schema } = typeOfPut(params.type, body);
  return changed(shell, caller, { type: 'put', id: request.id, zone: params.zone, put, schema });
}

/**
 * How long is waited between closing a type and looking once more whether there are services of it: one that was started just before is in the index by then, which
 * follows the table within milliseconds as a rule.
 */
const indexFollowsMs = secondMs;

/**
 * Takes a type that was put out again: it is closed, so that none is started any more, then looked for once more, and deleted. Where there are services of it after
 * all it is open again. A deletion that died is seen through by the next one, or ended by putting the type again.
 */
export async function deleteServiceType({ params, request, caller }: AdminCall<'deleteServiceType'>, shell: Shell): Promise<Answer> {
  const step = (type: 'close' | 'open' | 'delete') =>
    changed(shell, caller, { type, id: `${request.id}-${type}`, zone: params.zone, name: params.type });
  const isThere = await step('close');
  if (!isThere.body.done && !(await putTypesOf(shell, params.zone))?.closed?.includes(params.type))
    throw new Refusal('unknown-service-type', isThere.body.because);
  await shell.sleep(indexFollowsMs);
  try {
    return await step('delete');
  } catch (error) {
    if (error instanceof Refusal && error.type === 'refused') await step('open');
    throw error;
  }
}

type Unlooked<C> = C extends TypesCommand ? Omit<C, 'inUse'> : never;

async function changed(shell: Shell, caller: AdminCaller, order: Unlooked<TypesCommand>) {
  const { head } = await foundZone(shell, order.zone, caller);
  const before = typeIn(await putTypesOf(shell, head.name), order.type === 'put' ? order.put.name : order.name);
  const command: TypesCommand = { ...order, inUse: before ? await hostsWith(shell, head.name, before.type) : [] };
  const ref = typesRef(head.name);
  const { decision } = await applyInZone<ServiceTypes, TypesCommand>(shell, { ref, zone: head.name }, command, (state, asked) => {
    const decided = decideTypes(state, asked);
    if (decided.does !== 'refuse') return decided;
    const { because, errors } = decided;
    if (errors.length === 0) throw new Refusal('refused', because);
    throw new Refusal('invalid', `${because}: ${errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join('; ')}`, { errors });
  });
  return { status: 200, body: { done: decision.does === 'write', because: decision.because } };
}

/** How many hosts are named that have a service, and how many are looked for: what an index says first may be gone. */
const [namedMax, lookedMax] = [3, 50];

/** Some hosts with a service of a type. */
async function hostsWith(shell: Shell, zone: string, type: Parameters<typeof servicesOfType>[0]): Promise<Fqdn[]> {
  const page = await shell.table.queryIndex({ index: 'list', pk: serviceList(zone), ...servicesOfType(type), limit: lookedMax });
  const rows = await readAll(
    shell,
    page.items.map(({ key }) => key),
  );
  return rows.flatMap((row) => stateOf<Service>(row, shell.now())?.host ?? []).slice(0, namedMax);
}
