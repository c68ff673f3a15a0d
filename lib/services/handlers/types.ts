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

/** The types of a zone as they were put; undefined while nobody has put any. */
export const putTypesOf = async (shell: Shell, zone: string): Promise<ServiceTypes | undefined> => await read(shell, typesRef(zone));

/** The types of services of a zone. */
export async function listServiceTypes({ params, caller }: AdminCall<'listServiceTypes'>, shell: Shell): Promise<Answer> {
  await foundZone(shell, params.zone, caller);
  const put = await putTypesOf(shell, params.zone);
  const all = typesIn(put);
  return { status: 200, body: { items: all.map((one) => typeView(one, all, shutOutOf(put, one.type.name))) } };
}

/** One of them, with what keeps its schemas from being used where an older version of Muster took them. */
export async function getServiceType({ params, caller }: AdminCall<'getServiceType'>, shell: Shell): Promise<Answer> {
  await foundZone(shell, params.zone, caller);
  const put = await putTypesOf(shell, params.zone);
  const found = typeIn(put, params.type);
  if (!found) throw new Refusal('unknown-service-type', `zone ${params.zone} has no type of service ${params.type}`);
  const out = shutOutOf(put, found.type.name);
  const isLooked = found.origin === 'put' && !out;
  const unusable = isLooked ? await faultsOfType(found.type, found.schema, checksFor(shell, caller)) : [];
  const view = typeView(found, typesIn(put), out);
  return { status: 200, body: { ...view, ...(unusable.length > 0 && { unusable }) } };
}

/** Puts a type, once everything that it says is seen to fit together. */
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
 * How long is waited between closing a type and looking once more whether there are services of it: one that was
 * started just before is in the index by then, which follows the table within milliseconds as a rule.
 */
const indexFollowsMs = secondMs;

/**
 * Takes a type that was put out again: it is closed, so that none is started any more, then looked for once more, and
 * deleted. Where there are services of it after all it is open again. A deletion that died is seen through by the next
 * one, or ended by putting the type again.
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
  const rows = await readListed(
    shell,
    serviceRef,
    page.items.map(({ key }) => key),
  );
  return rows.flatMap((row) => stateOf(row, shell.now())?.host ?? []).slice(0, namedMax);
}
