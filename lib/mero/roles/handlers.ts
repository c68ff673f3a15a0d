import type { AdminCall, AdminCaller } from '../../access/verify-admin.ts';
import { Refusal } from '../../api/problem.ts';
import type { Answer } from '../../runtime/on-route.ts';
import { read } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { applyInZone } from '../../zones/changes/gate.ts';
import { clusterOf } from '../clusters/reads/of-caller.ts';
import { type MeroRole, processesOf } from '../facts/roles/mero-role.ts';
import {
  type CatalogueCommand,
  catalogueRef,
  decideCatalogue,
  halonRoles,
  meroRoles,
  type Noun,
  type RoleKind,
  rolesIn,
} from './catalogue.ts';

async function list(
  shell: Shell,
  zone: string,
  caller: AdminCaller,
  { noun, kind }: { noun: Noun; kind: RoleKind<{ name: string }> },
): Promise<Answer> {
  await clusterOf(shell, zone, caller);
  return { status: 200, body: { items: rolesIn(kind, await read(shell, catalogueRef(noun, zone))) } };
}

/** The Mero roles of a zone. */
export const listMeroRoles = ({ params, caller }: AdminCall<'listMeroRoles'>, shell: Shell): Promise<Answer> =>
  list(shell, params.zone, caller, { noun: 'mero-roles', kind: meroRoles });

/** The Halon roles of a zone. */
export const listHalonRoles = ({ params, caller }: AdminCall<'listHalonRoles'>, shell: Shell): Promise<Answer> =>
  list(shell, params.zone, caller, { noun: 'halon-roles', kind: halonRoles });

/** Puts a Mero role after a check that it makes processes, as far as that can be checked without a host. */
export async function putMeroRole({ params, body, request, caller }: AdminCall<'putMeroRole'>, shell: Shell): Promise<Answer> {
  await clusterOf(shell, params.zone, caller);
  const role = { name: params.role, ...body };
  refuseUnfit(role);
  return put(shell, 'mero-roles', { type: 'put', id: request.id, zone: params.zone, name: role.name, json: JSON.stringify(role) });
}

/** Puts a Halon role. */
export async function putHalonRole({ params, body, request, caller }: AdminCall<'putHalonRole'>, shell: Shell): Promise<Answer> {
  await clusterOf(shell, params.zone, caller);
  const json = JSON.stringify({ name: params.role, ...body });
  return put(shell, 'halon-roles', { type: 'put', id: request.id, zone: params.zone, name: params.role, json });
}

async function put(shell: Shell, noun: Noun, command: CatalogueCommand & { readonly type: 'put' }): Promise<Answer> {
  const put = await applyInZone(shell, { ref: catalogueRef(noun, command.zone), zone: command.zone }, command, decideCatalogue);
  const isThere = put.state?.roles.some(({ name, json }) => name === command.name && json === command.json);
  if (!isThere) throw new Refusal('refused', put.decision.because);
  return { status: 200, body: { done: put.decision.does === 'write', because: put.decision.because } };
}

/** Variables that any host may bring, with values that any role can be filled in with. */
const someHost = {
  lnid: '10.0.0.1@tcp',
  host_mem_as: 1,
  host_mem_rss: 1,
  host_mem_stack: 1,
  host_mem_memlock: 1,
  host_cores: [1],
  multiplicity: 1,
};

/**
 * Throws a {@link Refusal} for a role that no host could have. A role with variables that operators give only with each
 * addition is filled in then, and not now.
 */
function refuseUnfit(role: MeroRole): void {
  const filled = processesOf(role, { ...someHost, ...role.variables });
  if (filled.ok || filled.defects.some(({ says }) => says.includes('there is no variable'))) return;
  const errors = filled.defects.map(({ path, says }) => ({ pointer: path.map((part) => `/${String(part)}`).join(''), detail: says }));
  throw new Refusal('invalid', errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join('; '), { errors });
}

async function remove(shell: Shell, noun: Noun, command: CatalogueCommand & { readonly type: 'delete' }): Promise<Answer> {
  const { zone } = command;
  const { decision } = await applyInZone(shell, { ref: catalogueRef(noun, zone), zone }, command, decideCatalogue);
  if (decision.does === 'nothing') throw new Refusal('unknown-role', decision.because);
  return { status: 200, body: { done: true, because: decision.because } };
}

/** Deletes a Mero role that was put. */
export async function deleteMeroRole({ params, request, caller }: AdminCall<'deleteMeroRole'>, shell: Shell): Promise<Answer> {
  await clusterOf(shell, params.zone, caller);
  return remove(shell, 'mero-roles', { type: 'delete', id: request.id, zone: params.zone, name: params.role });
}

/** Deletes a Halon role that was put. */
export async function deleteHalonRole({ params, request, caller }: AdminCall<'deleteHalonRole'>, shell: Shell): Promise<Answer> {
  await clusterOf(shell, params.zone, caller);
  return remove(shell, 'halon-roles', { type: 'delete', id: request.id, zone: params.zone, name: params.role });
}
