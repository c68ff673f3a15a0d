import type { Checked } from '../../../../lib/mero/facts/check/check.ts';
import type { HalonRole } from '../../../../lib/mero/facts/roles/halon-role.ts';
import type { Cli } from '../../cli.ts';
import { type Finding, located, readFile } from './reading.ts';

/** Facts without a defect, with their expansion and the remarks on them; or all defects of their file. */
export type CheckedFile =
  | (Omit<Extract<Checked, { ok: true }>, 'remarks'> & { readonly remarks: readonly Finding[] })
  | { readonly ok: false; readonly findings: readonly Finding[] };

/** Reads and checks a facts file; where Halon roles are given, also that it names no others. */
export async function checkFile(cli: Cli, file: string, halonRoles?: readonly HalonRole[]): Promise<CheckedFile> {
  const read = await readFile(cli, file);
  if (!read.ok) return { ok: false, findings: [read] };
  const { checkFacts } = await import('../../../../lib/mero/facts/check/check.ts');
  const checked = checkFacts(read.value);
  const defects = [...(checked.ok ? [] : checked.defects), ...(halonRoles ? await defectsOfRoles(read.value, halonRoles) : [])];
  return checked.ok && defects.length === 0
    ? { ...checked, remarks: located(read, checked.remarks) }
    : { ok: false, findings: located(read, defects) };
}

const defectsOfRoles = async (file: unknown, roles: readonly HalonRole[]) =>
  (await import('../../../../lib/mero/facts/check/halon-roles.ts')).defectsOfHalonRoles(file, roles);
