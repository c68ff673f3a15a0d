import { Refusal } from '../../../api/problem.ts';
import { clusterRange, loadRange } from '../../../ports/table/keys.ts';
import { stateOf } from '../../../runtime/content.ts';
import { read, readRow } from '../../../runtime/read.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { rowsIn } from '../../clusters/reads/rows.ts';
import type { HalonRole } from '../../facts/roles/halon-role.ts';
import type { MeroNode } from '../../nodes/mero-node.ts';
import type { MeroProcess, ProcessDevices } from '../../processes/process.ts';
import { catalogueRef, halonRoles, rolesIn } from '../../roles/catalogue.ts';
import { LoadCheck, type LoadFindings } from '../check.ts';
import { type Layout, loadRef } from '../load.ts';

/** The rows of a load in a range. */
async function* ofLoad<S extends { readonly load?: string | undefined }>(
  shell: Shell,
  zone: string,
  kind: 'node' | 'process' | 'devices',
  load: string,
) {
  for await (const { key, body } of rowsIn(shell, zone, clusterRange(kind))) if ((body as S).load === load) yield { key, state: body as S };
}

/** The Halon roles that hosts of a zone may have. */
async function halonRolesOf(shell: Shell, zone: string): Promise<readonly HalonRole[]> {
  const catalogue = await read(shell, catalogueRef('halon-roles', zone));
  return rolesIn(halonRoles, catalogue).map(({ role }) => role);
}

/**
 * Checks a load as a whole. It reads all rows of the load and remembers little of them: see {@link LoadCheck}. The
 * findings hold for as long as the load's own row is at revision `rev`: no part was taken since.
 */
export async function checkLoad(
  shell: Shell,
  zone: string,
  id: string,
): Promise<{ readonly findings: LoadFindings; readonly rev: number }> {
  const row = await readRow(shell, loadRef(zone));
  const load = stateOf(row, shell.now());
  if (load?.load !== id) throw new Refusal('unknown-load', `no load ${id} is under way`);
  const check = new LoadCheck(load, await halonRolesOf(shell, zone));
  const devices = ofLoad<ProcessDevices>(shell, zone, 'devices', id);
  for await (const { state: process } of ofLoad<MeroProcess>(shell, zone, 'process', id)) {
    // Both are in the order of process numbers: the next row of devices is that of the next process that has any.
    const own = process.devices > 0 ? (await devices.next()).value : undefined;
    check.process(process, own?.key.sk.endsWith(encodeURIComponent(process.fid)) ? own.state : undefined);
  }
  for await (const { body } of rowsIn(shell, zone, loadRange('layout', id))) check.page(body as Layout);
  for await (const { state } of ofLoad<MeroNode>(shell, zone, 'node', id)) check.host(state);
  return { findings: check.end(), rev: row!.rev };
}
