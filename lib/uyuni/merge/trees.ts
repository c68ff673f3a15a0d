import { isStruct, type Value } from '../xml-rpc/value.ts';
import type { MergeRule } from './rule.ts';

/** Values that cannot be merged, since one is not what the method is documented to return; the message says which. */
export class NotMergeable extends Error {
  override readonly name = 'NotMergeable';
}

type Struct = { readonly [name: string]: Value };

/** A system that may be the same as others, by what it has in common with them (`key`), as it is shown in a group. */
export type MaybeDuplicate = { readonly key: string; readonly system: Struct };

/**
 * One value of those that several servers returned, in the order of the servers. Whole numbers that came as doubles
 * become integers, as in all of {@link Value}. Throws {@link NotMergeable}.
 */
export function mergeValues(rule: MergeRule, values: readonly Value[]): Value {
  switch (rule.how) {
    case 'concat':
      return values.flatMap(listOf);
    case 'keyed':
      return mergeKeyed(values, rule);
    case 'struct':
      return mergeStructs(values, rule.sums);
    case 'joined':
      return mergeJoined(values, rule.lists);
    case 'map':
      return mergeMaps(values);
    case 'set':
      return mergeSets(values);
    case 'duplicates':
      return mergeDuplicates(values, rule);
    default:
      return rule satisfies never;
  }
}

/**
 * One struct for each value of the member `key`: that of the first server that has it, with the counters of all summed.
 * The order is that in which they appear, so that it is one server's where all have the same.
 */
export function mergeKeyed(values: readonly Value[], { key, sums }: { readonly key: string; readonly sums: readonly string[] }): Value {
  const structs = values.flatMap((value) => listOf(value).map(structOf));
  return [...Map.groupBy(structs, (struct) => keyOf(struct, key)).values()].map((same) => mergeStructs(same, sums));
}

/** The struct of the first server, with the counters of all summed; a counter that one has not is 0 there. */
export function mergeStructs(values: readonly Value[], sums: readonly string[]): Value {
  const [first = {}, ...rest] = values.map(structOf);
  const counted = sums.filter((name) => [first, ...rest].some((one) => Object.hasOwn(one, name)));
  return {
    ...first,
    ...Object.fromEntries(counted.map((name) => [name, [first, ...rest].reduce((sum, one) => sum + counterIn(one, name), 0)])),
  };
}

/** The struct of the first server, whose members `lists` have the elements of all. */
export function mergeJoined(values: readonly Value[], lists: readonly string[]): Value {
  const [first = {}, ...rest] = values.map(structOf);
  return { ...first, ...Object.fromEntries(lists.map((name) => [name, [first, ...rest].flatMap((one) => listOf(one[name] ?? []))])) };
}

/** The members of all structs; of equal names, that of the first server. */
export function mergeMaps(values: readonly Value[]): Value {
  const members = new Map<string, Value>();
  for (const [name, value] of values.flatMap((one) => Object.entries(structOf(one)))) if (!members.has(name)) members.set(name, value);
  return Object.fromEntries(members);
}

/** Each text, or number, of all arrays once: sorted by their characters. */
export function mergeSets(values: readonly Value[]): Value {
  const all = values.flatMap(listOf);
  if (!all.every((one) => typeof one === 'string' || typeof one === 'number'))
    throw new NotMergeable('an element is neither text nor number');
  return [...new Set(all)].sort((a, b) => (String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0));
}

/**
 * Groups of at least two systems that have a member `key` in common, each system once, by its id. A server lists only
 * groups of its own systems: to find those that span servers, give all systems as `others`.
 */
export function mergeDuplicates(
  values: readonly Value[],
  { key }: { readonly key: string },
  others: readonly MaybeDuplicate[] = [],
): Value {
  const listed = values
    .flatMap((value) => listOf(value).map(structOf))
    .flatMap((group) => {
      return listOf(group['systems'] ?? []).map((system) => ({ key: keyOf(group, key), system: structOf(system) }));
    });
  return [...Map.groupBy([...listed, ...others], (one) => one.key)].flatMap(([common, found]) => {
    const systems = new Map(found.map(({ system }) => [keyOf(system, 'systemId'), system]));
    return systems.size > 1 ? [{ [key]: common, systems: [...systems.values()] }] : [];
  });
}

function listOf(value: Value): readonly Value[] {
  if (!isList(value)) throw new NotMergeable('a value is not an array');
  return value;
}

function structOf(value: Value): Struct {
  if (!isStruct(value)) throw new NotMergeable('a value is not a struct');
  return value;
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

function keyOf(struct: Struct, key: string): string {
  const value = Object.hasOwn(struct, key) ? struct[key] : undefined;
  if (typeof value !== 'string' && typeof value !== 'number') throw new NotMergeable(`a struct has no text or number ${key}`);
  return String(value);
}

function counterIn(struct: Struct, name: string): number {
  const value = Object.hasOwn(struct, name) ? struct[name] : 0;
  if (typeof value !== 'number') throw new NotMergeable(`${name} is not a number`);
  return value;
}
