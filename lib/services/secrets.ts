import type { Fault } from '../checks/checks.ts';

/** What stands in the place of a secret wherever a configuration is shown. */
export const mask = '********';

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
type Schema = { readonly [keyword: string]: Json };
type Path = readonly (string | number)[];

const keyword = 'x-secret';
/** Keywords whose schemas judge the same value, whether it fits them or not: a secret is one in any case. */
const same = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'not', 'dependentSchemas', 'dependencies'] as const;
/** Where the schemas of what is in a value stand. */
const ofRest = ['patternProperties', 'additionalProperties', 'unevaluatedProperties'] as const;
const ofItems = ['items', 'contains', 'unevaluatedItems', 'additionalItems'] as const;

/** A configuration as people and programs are shown it: with the mask wherever its schema says `x-secret`; all of it masked where nobody knows its schema. */
export function shownConfiguration(schemaText: string | undefined, text: string): Json {
  const value = JSON.parse(text) as Json;
  if (schemaText === undefined) return mask;
  return schemaText.includes(keyword) ? replaced(JSON.parse(schemaText) as Json, value, () => mask) : value;
}

/** A configuration that was given, with what is stored in the place of each mask; or where a mask stands for nothing that is stored. */
export function withStored(
  schemaText: string,
  text: string,
  stored: string | undefined,
): { readonly text: string; readonly faults: readonly Fault[] } {
  if (!schemaText.includes(keyword) || !text.includes(mask)) return { text, faults: [] };
  const before = stored === undefined ? undefined : (JSON.parse(stored) as Json);
  const faults: Fault[] = [];
  const kept = (value: Json, path: Path): Json => {
    if (value !== mask) return value;
    const known = path.reduce<Json | undefined>((inner, step) => childOf(inner, step), before);
    if (known !== undefined) return known;
    faults.push({ pointer: path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''), detail: noSecret });
    return value;
  };
  return { text: JSON.stringify(replaced(JSON.parse(schemaText) as Json, JSON.parse(text) as Json, kept)), faults };
}

const noSecret = 'This is what stands for a secret where it is shown, and none is stored here: give the secret itself.';

const childOf = (value: Json | undefined, step: string | number): Json | undefined =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    ? (value as Readonly<Record<string | number, Json>>)[step]
    : undefined;

/** The value with what `secret` gives in the place of each secret. */
function replaced(root: Json, value: Json, secret: (value: Json, path: Path) => Json): Json {
  const walk = (schemas: readonly Json[], inner: Json, path: Path): Json => {
    const judging = judges(root, schemas);
    if (judging === 'unknown' || judging.some((schema) => schema[keyword] === true)) return secret(inner, path);
    if (Array.isArray(inner)) return inner.map((one: Json, n) => walk(schemasOfItem(judging, n), one, [...path, n]));
    if (typeof inner !== 'object' || inner === null) return inner;
    const named = Object.entries(inner as { readonly [name: string]: Json });
    return Object.fromEntries(named.map(([name, one]) => [name, walk(schemasOfProperty(judging, name), one, [...path, name])]));
  };
  return walk([root], value, []);
}

/** All schemas that judge a value along with these; `unknown` where one is referred to in a way that is not looked up here. */
function judges(root: Json, schemas: readonly Json[]): readonly Schema[] | 'unknown' {
  const all = new Set<Schema>();
  const waiting = [...schemas];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (!isObject(next) || all.has(next)) continue;
    all.add(next);
    // What is referred to below an `$id` of its own begins there, and not at the root.
    if (next !== root && next['$id'] !== undefined) return 'unknown';
    for (const name of same) waiting.push(...listed(next[name]));
    const to = next['$ref'];
    const target = to === undefined ? undefined : referred(root, to);
    if (to !== undefined && target === undefined) return 'unknown';
    if (target !== undefined) waiting.push(target);
  }
  return [...all];
}

const isObject = (json: Json | undefined): json is Schema => typeof json === 'object' && json !== null && !Array.isArray(json);
/** A schema, those of a list, or those by name: whatever is none says nothing of secrets. */
const listed = (json: Json | undefined): Json[] => (Array.isArray(json) ? [...json] : isObject(json) ? [json, ...Object.values(json)] : []);

function referred(root: Json, to: Json): Json | undefined {
  const [, pointer] = /^#((?:\/.*)?)$/.exec(String(to)) ?? [];
  if (pointer === undefined) return undefined;
  const steps = pointer.split('/').slice(1);
  return steps.reduce<Json | undefined>(
    (inner, step) => childOf(inner, decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')),
    root,
  );
}

/** Which pattern a name matches is not looked at: one too many is masked, and none too few. */
const schemasOfProperty = (schemas: readonly Schema[], name: string): Json[] =>
  schemas.flatMap((schema) => {
    const own = childOf(schema['properties'], name);
    return [...(own === undefined ? [] : [own]), ...ofRest.flatMap((keyword) => listed(schema[keyword]))];
  });

const schemasOfItem = (schemas: readonly Schema[], n: number): Json[] =>
  schemas.flatMap((schema) => {
    const own = childOf(schema['prefixItems'], n);
    return [...(own === undefined ? [] : [own]), ...ofItems.flatMap((keyword) => listed(schema[keyword]))];
  });
