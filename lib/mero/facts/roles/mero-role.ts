import * as z from 'zod';
import type { Defect } from '../../../core/defect.ts';
import { name, Process } from '../process.ts';

/**
 * A process of a role, where any text may contain `{{ variable }}`; a text that is only `{{ variable? }}` leaves its
 * key out when there is no such variable.
 */
const RoleProcess = z.record(z.string(), z.json());

/**
 * A Mero role: the processes that a node gets with it, and defaults of its variables, which a node or an operator can
 * override.
 */
export const MeroRole = z.strictObject({
  name,
  variables: z.record(z.string(), z.json()).optional(),
  content: z.array(RoleProcess).min(1, 'a role needs processes'),
});
export type MeroRole = z.infer<typeof MeroRole>;

/** Values for a role's variables, the strongest last: the role's own, those of the node, those of the caller. */
export type Variables = Readonly<Record<string, unknown>>;

/** The processes of a role on a node, or everything that is wrong with them. */
export type RoleProcesses =
  | { readonly ok: true; readonly processes: readonly Process[] }
  | { readonly ok: false; readonly defects: readonly Defect[] };

/** Fills in a role for a node, whole or not at all: if one variable has no value, there are no processes. */
export function processesOf(role: MeroRole, ...given: readonly Variables[]): RoleProcesses {
  const variables = Object.assign({}, role.variables, ...given) as Variables;
  const defects: Defect[] = [];
  const processes = filledContent(role, variables, defects).flatMap((content, n): Process[] => {
    const read = Process.safeParse(content);
    if (read.success) return [read.data];
    defects.push(
      ...read.error.issues.map(({ path, message }) => ({ path: ['content', n, ...path], says: `role ${role.name}: ${message}` })),
    );
    return [];
  });
  return defects.length === 0 ? { ok: true, processes } : { ok: false, defects };
}

/** The same without a check of the result. */
export const filledContent = ({ name, content }: MeroRole, variables: Variables, defects: Defect[]): unknown[] =>
  content.map((process, n) => filled(process, ['content', n], { role: name, variables, defects }));

type Filling = { readonly role: string; readonly variables: Variables; readonly defects: Defect[] };

function filled(value: unknown, path: Defect['path'], filling: Filling): unknown {
  if (typeof value === 'string') return filledText(value, path, filling);
  if (Array.isArray(value)) return value.map((item, n) => filled(item, [...path, n], filling));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, entry]) => [key, filled(entry, [...path, key], filling)] as const);
  return Object.fromEntries(entries.filter(([, entry]) => entry !== undefined));
}

function filledText(text: string, path: Defect['path'], { role, variables, defects }: Filling): unknown {
  const variable = (key: string): unknown => {
    if (Object.hasOwn(variables, key)) return variables[key];
    defects.push({ path, says: `role ${role}: there is no variable ${key}` });
    return undefined;
  };
  const [, alone, isOptional] = /^\{\{\s*([A-Za-z_]\w*)(\?)?\s*\}\}$/.exec(text) ?? [];
  if (alone !== undefined) return isOptional && !Object.hasOwn(variables, alone) ? undefined : variable(alone);
  return text.replaceAll(/\{\{\s*([A-Za-z_]\w*)\s*\}\}/g, (_, key: string) => String(variable(key)));
}

/**
 * An override as an operator writes it, such as `multiplicity=16`; undefined when the text is none. Whole numbers
 * become numbers.
 */
export function readOverride(text: string): readonly [name: string, value: string | number] | undefined {
  const [, key, value] = /^([A-Za-z_]\w{0,63})=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) return undefined;
  return [key, /^-?\d{1,15}$/.test(value) ? Number(value) : value];
}
