import type { MeroRole } from '../../../../lib/mero/facts/roles/mero-role.ts';
import type { Finding } from './reading.ts';

/** Whether a text is a map of Mero roles as the original had them: a template, or with the keys of its processes. */
export const isMeroMap = (text: string): boolean =>
  /^\s*(?:-\s+)?content:/m.test(text) && (/\{%|:[ \t]+\{\{/.test(text) || /\bm0p_boot_level\b/.test(text));

/** The roles of a role map for a catalogue, or what is wrong with the map. The template engine is loaded now. */
export async function meroRolesOfMap(file: string, text: string): Promise<readonly MeroRole[] | { readonly findings: Finding[] }> {
  const [{ readRoleMap }, { rolesFromMap }] = await Promise.all([
    import('../../../../lib/mero/facts/convert/role-map.ts'),
    import('../../../../lib/mero/facts/roles/from-role-map.ts'),
  ]);
  const map = await readRoleMap(text);
  const roles = 'says' in map ? map : await rolesFromMap(map);
  return 'says' in roles ? { findings: [{ file, ...roles }] } : roles;
}
