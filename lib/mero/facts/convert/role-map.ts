import type { Liquid, Template } from 'liquidjs';
import type { Path } from '../../../core/defect.ts';
import { readText } from '../text/text.ts';
import type { RoleDefect } from './talk.ts';

/** The processes of each role of a role map, by the name of the role; not checked yet. */
export type Roles = ReadonlyMap<string, readonly unknown[]>;

/** A role map that renders the roles of a server, or returns what is wrong with the map. */
export type RoleMap = {
  readonly rolesWith: (variables: Readonly<Record<string, unknown>>) => Promise<Roles | RoleDefect>;
};

/**
 * How long a template may be, in characters, how long one rendering may take, in ms, and how much it may make: a role
 * map is 5 KB.
 */
const limits = { parseLimit: 1_000_000, renderLimit: 2_000, memoryLimit: 10_000_000 };
/** Tags that would read other files, or that only make sense with them. */
const reading = ['include', 'render', 'layout', 'block'];

/**
 * Reads a role map: a template of YAML, rendered for each server with the server's variables. A map without variables
 * is read as it is. Returns what is wrong with the template itself. It loads the template engine when needed.
 */
export async function readRoleMap(text: string): Promise<RoleMap | RoleDefect> {
  if (!/\{[{%]/.test(text)) {
    const roles = await rolesIn(text);
    return 'says' in roles ? roles : { rolesWith: async () => roles };
  }
  const { Liquid } = await import('liquidjs');
  const engine = new Liquid({ ...limits, strictVariables: true, strictFilters: true, ownPropertyOnly: true, templates: {} });
  for (const tag of reading) delete engine.tags[tag];
  // The original's template language says elif.
  const template = text.replaceAll(/(\{%-?\s*)elif\b/g, '$1elsif');
  const parsed = attempt(() => engine.parse(template), template);
  return 'says' in parsed ? parsed : { rolesWith: (variables) => rendered(engine, parsed.made, template, variables) };
}

async function rendered(engine: Liquid, parsed: Template[], template: string, variables: Readonly<Record<string, unknown>>) {
  const scope = Object.fromEntries(Object.entries({ multiplicity: 1, ...variables }).map(([name, value]) => [name, inLoops(value)]));
  const text = attempt(() => engine.renderSync(parsed, scope) as string, template);
  if ('says' in text) return text;
  const roles = await rolesIn(text.made);
  return 'says' in roles ? { says: `in the rendered text: ${roles.place ? `line ${roles.place.line}: ` : ''}${roles.says}` } : roles;
}

/** The original's loops give items with their value and place, as in `core.value`. */
const inLoops = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map((item, index) => ({
        value: item,
        index: index + 1,
        index0: index,
        first: index === 0,
        last: index === value.length - 1,
        length: value.length,
      }))
    : value;

/**
 * The result of the template engine, or its message about the template as one sentence with the role, and the place.
 */
function attempt<T>(work: () => T, template: string): { made: T } | RoleDefect {
  try {
    return { made: work() };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const [, says, line, column] = /^(.*?), line:(\d+), col:(\d+)/s.exec(error.message) ?? [];
    if (says === undefined) throw error;
    const place = { line: Number(line), column: Number(column) };
    const role = roleAt(template, place.line);
    return { says: role === undefined ? says : `role ${role}: ${says}`, place };
  }
}

/** The role whose text a line belongs to. */
function roleAt(template: string, line: number): string | undefined {
  const before = template.split('\n').slice(0, line).reverse();
  return before.map((one) => /^\s*-\s+name:\s*["']?([\w.-]+)/.exec(one)?.[1]).find((name) => name !== undefined);
}

async function rolesIn(text: string): Promise<Roles | RoleDefect> {
  const read = await readText(text);
  if (!read.ok) return read;
  const roles = new Map<string, readonly unknown[]>();
  if (!Array.isArray(read.value)) return { says: 'a role map is a list of roles', place: read.placeOf([]) };
  for (const [n, role] of (read.value as { name?: unknown; content?: unknown }[]).entries()) {
    const wrong = (says: string, ...path: Path): RoleDefect => ({ says, place: read.placeOf([n, ...path]) });
    if (typeof role?.name !== 'string') return wrong('a role needs a name');
    if (roles.has(role.name)) return wrong(`the role ${role.name} is there already`, 'name');
    if (!Array.isArray(role.content)) return wrong(`the role ${role.name} needs a content: the list of its processes`);
    roles.set(role.name, role.content);
  }
  return roles;
}
