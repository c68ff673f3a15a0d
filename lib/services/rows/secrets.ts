import type { Fault } from '../../core/check.ts';
import { pointerOf } from '../../core/defect.ts';

/** The text in the place of a secret wherever a configuration is displayed. */
export const mask = '********';

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
type Schema = { readonly [keyword: string]: Json };
type Path = readonly (string | number)[];

const keyword = 'x-secret';
/** Keywords whose schemas apply to the same value. A secret is a secret whether the value fits them or not. */
const same = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'not', 'dependentSchemas', 'dependencies'] as const;
/** Keywords with the schemas of the properties and items of a value. */
const ofRest = ['patternProperties', 'additionalProperties', 'unevaluatedProperties'] as const;
const ofItems = ['items', 'contains', 'unevaluatedItems', 'additionalItems'] as const;

/**
 * A configuration as people and programs view it: with the mask wherever its schema has `x-secret`; all of it masked
 * where its schema is unknown.
 */
export function maskedConfiguration(schemaText: string | undefined, text: string): Json {
  const value = JSON.parse(text) as Json;
  if (schemaText === undefined) return mask;
  return schemaText.includes(keyword) ? replaced(JSON.parse(schemaText) as Json, value, () => mask) : value;
}

/**
 * A configuration for a comparison with another one, whose differences are named by their places. Each secret is one
 * text, so that nothing inside it, such as the names of its properties, is a place of its own. Without a known schema
 * the whole configuration is one text.
 */
export function comparedConfiguration(schemaText: string | undefined, text: string): Json {
  if (schemaText === undefined) return text;
  const value = JSON.parse(text) as Json;
  return schemaText.includes(keyword) ? replaced(JSON.parse(schemaText) as Json, value, (secret) => JSON.stringify(secret)) : value;
}

/** The part of a JSON pointer into a configuration that may be displayed: it leads to a secret, and no further. */
export function maskedPointer(schemaText: string | undefined, text: string, pointer: string): string {
  let inner: Json | undefined = comparedConfiguration(schemaText, text);
  const visible: string[] = [];
  for (const step of stepsOf(pointer)) {
    inner = childOf(inner, step);
    if (inner === undefined) break;
    visible.push(step);
  }
  return pointerOf(visible);
}

/**
 * A configuration that was given, with each mask replaced by the stored value: the value in the first of several
 * documents that has one there. `faults` has each mask without a stored value.
 */
export function withStored(
  schemaText: string,
  text: string,
  stored: readonly string[],
): { readonly text: string; readonly faults: readonly Fault[] } {
  if (!schemaText.includes(keyword) || !text.includes(mask)) return { text, faults: [] };
  const before = stored.map((one) => JSON.parse(one) as Json);
  const faults: Fault[] = [];
  const filledIn = (value: Json, path: Path): Json => {
    if (value !== mask) return value;
    for (const one of before) {
      const known = path.reduce<Json | undefined>((inner, step) => childOf(inner, step), one);
      if (known !== undefined) return known;
    }
    faults.push({ pointer: pointerOf(path), detail: noSecret });
    return value;
  };
  return { text: JSON.stringify(replaced(JSON.parse(schemaText) as Json, JSON.parse(text) as Json, filledIn)), faults };
}

const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

const noSecret = 'This is the mask of a secret, and no secret is stored here: give the secret itself.';

const childOf = (value: Json | undefined, step: string | number): Json | undefined =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    ? (value as Readonly<Record<string | number, Json>>)[step]
    : undefined;

/** The value with each secret replaced by the result of `secret`. */
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

/**
 * All schemas that apply to a value along with these; `unknown` where one has a reference that is not looked up here.
 */
function judges(root: Json, schemas: readonly Json[]): readonly Schema[] | 'unknown' {
  const all = new Set<Schema>();
  const waiting = [...schemas];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (!isObject(next) || all.has(next)) continue;
    all.add(next);
    // A reference below an `$id` of its own begins there, and not at the root.
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
/** A schema, the schemas of a list, or the schemas of an object. Other values have no effect on secrets. */
const listed = (json: Json | undefined): Json[] => (Array.isArray(json) ? [...json] : isObject(json) ? [json, ...Object.values(json)] : []);

function referred(root: Json, to: Json): Json | undefined {
  const [, pointer] = /^#((?:\/.*)?)$/.exec(String(to)) ?? [];
  if (pointer === undefined) return undefined;
  return stepsOf(decodeURIComponent(pointer)).reduce<Json | undefined>((inner, step) => childOf(inner, step), root);
}

/** Patterns are not matched with the name: one value too many is masked, and none too few. */
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
