import type { Secret } from '../../../../lib/mero/facts/convert/sites.ts';
import type { HalonRole } from '../../../../lib/mero/facts/roles/halon-role.ts';
import type { Cli } from '../../cli.ts';
import { printable } from '../../output/printable.ts';
import { type Finding, located, type ReadFile, readFile } from './reading.ts';

/** Halon roles of a file, with the passwords in it, or all defects of the file. */
export type ReadHalonRoles =
  | { readonly ok: true; readonly roles: readonly HalonRole[]; readonly secrets: readonly Secret[] }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/**
 * Reads Halon roles: one or several as `halon role list --json` has them, or a map of Halon. Prints what it
 * changes in a map.
 */
export async function readHalonRoles(cli: Cli, file: string): Promise<ReadHalonRoles> {
  const read = await readFile(cli, file);
  return read.ok ? halonRolesIn(cli, read) : { ok: false, findings: [read] };
}

/** The Halon roles of a file that was read. */
export async function halonRolesIn(cli: Cli, read: Extract<ReadFile, { ok: true }>): Promise<ReadHalonRoles> {
  const [{ convertHalonMap, isHalonMap }, { HalonRole }, { noteText }] = await Promise.all([
    import('../../../../lib/mero/facts/convert/halon-map.ts'),
    import('../../../../lib/mero/facts/roles/halon-role.ts'),
    import('../../../../lib/mero/facts/convert/talk.ts'),
  ]);
  if (isHalonMap(read.value)) {
    const map = convertHalonMap(read.value as unknown[]);
    if (!map.ok) return { ok: false, findings: located(read, map.defects) };
    for (const note of map.notes) cli.say(printable(noteText(note)));
    return map;
  }
  const isList = Array.isArray(read.value);
  const defects = [read.value]
    .flat()
    .flatMap((role, n) =>
      (HalonRole.safeParse(role).error?.issues ?? []).map(({ path, message }) => ({ path: isList ? [n, ...path] : path, says: message })),
    );
  if (defects.length > 0) return { ok: false, findings: located(read, defects) };
  return { ok: true, roles: [read.value].flat() as HalonRole[], secrets: [] };
}
