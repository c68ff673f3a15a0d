import type { AdminCall, AdminCaller } from '../../access/verify-admin.ts';
import { Refusal } from '../../api/problem.ts';
import type { Fqdn } from '../../core/ids.ts';
import { secondMs } from '../../core/time.ts';
import { serviceList, servicesOfType } from '../../ports/table/keys.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Answer } from '../../runtime/on-route.ts';
import { read, readListed } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { applyInZone } from '../../zones/changes/gate.ts';
import { foundZone } from '../../zones/reads/found.ts';
import { checksFor } from '../changes/judged.ts';
import { typeIn } from '../reads/catalogue.ts';
import { type ServiceTypes, typesRef } from '../rows/service-type.ts';
import { serviceRef } from '../service.ts';
import { decideTypes, faultsOfType, schemaOfPut, type TypesCommand, typesIn } from '../types.ts';
import { shutOutOf } from '../verdict.ts';
import { typeOfPut, typeView } from '../view.ts';
import { withSecrets } from './stored-secrets.ts';

/** The types that operators have put into a zone; undefined while there are none. */
export const putTypesOf = async (shell: Shell, zone: string): Promise<ServiceTypes | undefined> => await read(shell, typesRef(zone));

/** The types of services of a zone. */
export async function listServiceTypes({ params, caller }: AdminCall<'listServiceTypes'>, shell: Shell): Promise<Answer> {
  await foundZone(shell, params.zone, caller);
  const put = await putTypesOf(shell, params.zone);
  const all = typesIn(put);
  return { status: 200, body: { items: all.map((one) => typeView(one, all, shutOutOf(put, one.type.name))) } };
}

/**
 * One of these types, with the faults that make its schemas unusable where an older version of Muster accepted them.
 */
export async function getServiceType({ params, caller }: AdminCall<'getServiceType'>, shell: Shell): Promise<Answer> {
  await foundZone(shell, params.zone, caller);
  const put = await putTypesOf(shell, params.zone);
  const found = typeIn(put, params.type);
  if (!found) throw new Refusal('unknown-service-type', `zone ${params.zone} has no type of service ${params.type}`);
  const out = shutOutOf(put, found.type.name);
  const isChecked = found.origin === 'put' && !out;
  const unusable = isChecked ? await faultsOfType(found.type, found.schema, checksFor(shell, caller)) : [];
  const view = typeView(found, typesIn(put), out);
  return { status: 200, body: { ...view, ...(unusable.length > 0 && { unusable }) } };
}

/** Puts a type, once its parts are found to fit together. */
export async function putServiceType({ params, body, request, caller }: AdminCall<'putServiceType'>, shell: Shell): Promise<Answer> {
  const { type: given, schema } = typeOfPut(params.type, body);
  await foundZone(shell, params.zone, caller);
  const there = await putTypesOf(shell, params.zone);
  const used = schemaOfPut(there, { put: given, schema });
  const stored = typeIn(there, params.type)?.type.configuration;
  const put = used ? { ...given, configuration: withSecrets({ type: given, schema: used }, given.configuration, stored) } : given;
  const check = checksFor(shell, caller, { afresh: true });
  const checked = used && { schema: used, faults: await faultsOfType(put, used, check) };
  return changed(shell, caller, { type: 'put', id: request.id, zone: params.zone, put, schema, checked });
}

/**
 * How long Muster waits between closing a type and looking for services of it again, in ms. A service that was started
 * just before is in the index by then, which usually follows the table within milliseconds.
 */
const indexDelayMs = secondMs;

/**
 * Deletes a type that was put. It closes the type, so that no service of it can start, looks for services again, and
 * deletes the type. If there are services after all, it opens the type again. If a deletion dies, the next one
 * completes it, and putting the type again undoes it.
 */
export async function deleteServiceType({ params, request, caller }: AdminCall<'deleteServiceType'>, shell: Shell): Promise<Answer> {
  const step = (type: 'close' | 'open' | 'delete') =>
    changed(shell, caller, { type, id: `${request.id}-${type}`, zone: params.zone, name: params.type });
  const isThere = await step('close');
  if (!isThere.body.done && !(await putTypesOf(shell, params.zone))?.closed?.includes(params.type))
    throw new Refusal('unknown-service-type', isThere.body.because);
  await shell.sleep(indexDelayMs);
  try {
    return await step('delete');
  } catch (error) {
    if (error instanceof Refusal && error.type === 'refused') await step('open');
    throw error;
  }
}

type WithoutUse<C> = C extends TypesCommand ? Omit<C, 'inUse'> : never;

async function changed(shell: Shell, caller: AdminCaller, order: WithoutUse<TypesCommand>) {
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

/** How many hosts with a service are named, and how many entries of the index are read: an entry may be out of date. */
const [namedMax, entriesMax] = [3, 50];

/** Some hosts with a service of a type. */
async function hostsWith(shell: Shell, zone: string, type: Parameters<typeof servicesOfType>[0]): Promise<Fqdn[]> {
  const page = await shell.table.queryIndex({ index: 'list', pk: serviceList(zone), ...servicesOfType(type), limit: entriesMax });
  const rows = await readListed(
    shell,
    serviceRef,
    page.items.map(({ key }) => key),
  );
  return rows.flatMap((row) => stateOf(row, shell.now())?.host ?? []).slice(0, namedMax);
}
