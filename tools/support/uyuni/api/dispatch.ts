import { DateTime, type Value } from '../../../../lib/uyuni/xml-rpc/value.ts';
import { faults } from './faults.ts';
import type { Kind, Method } from './method.ts';

/** A method and its arguments by name, found by what was called. */
export type Found = { readonly method: Method; readonly values: Readonly<Record<string, Value>> };

/** `list_systems` and `listSystems` are one method. */
const beanified = (name: string): string => name.replaceAll(/_(.)/g, (_whole, letter: string) => letter.toUpperCase());

/**
 * The method that a call by position means: by its name, the number of its arguments, their exact kinds, and else the
 * first whose kinds they can be made into. Throws the server's fault when there is none.
 */
export function byPosition(methods: readonly Method[], called: string, given: readonly Value[]): Found {
  const dot = called.lastIndexOf('.');
  const [namespace, name] = [called.slice(0, dot), beanified(called.slice(dot + 1))];
  const named = methods.filter((one) => one.name === `${namespace}.${name}`);
  if (named.length === 0) throw faults.notPlayed(`${namespace}.${name}`);
  const fitting = named.filter(({ params }) => Object.keys(params).length === given.length);
  const exact = fitting.find(({ params }) => Object.values(params).every((kind, n) => isOf(kind, given[n]!)));
  if (exact) return { method: exact, values: namedBy(exact, given) };
  for (const method of fitting) {
    const made = Object.values(method.params).map((kind, n) => madeInto(kind, given[n]!));
    if (made.every((one) => one !== undefined)) return { method, values: namedBy(method, made) };
  }
  throw faults.noSuchMethod(name, namespace, given.map(kindOf));
}

const namedBy = ({ params }: Method, given: readonly Value[]): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.keys(params).map((name, n) => [name, given[n]!]));

/**
 * The method that a call by names means: the names must be those of one method exactly, and a single value counts as a
 * list of one. Undefined when there is none.
 */
export function byNames(methods: readonly Method[], called: string, given: Readonly<Record<string, Value>>): Found | undefined {
  const names = Object.keys(given).sort().join();
  for (const method of methods) {
    if (method.name !== called || Object.keys(method.params).sort().join() !== names) continue;
    const made = Object.entries(method.params).map(([name, kind]) => [name, madeInto(kind, given[name]!)] as const);
    if (made.every((one): one is readonly [string, Value] => one[1] !== undefined)) return { method, values: Object.fromEntries(made) };
  }
  return undefined;
}

const isStruct = (value: Value): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof DateTime) && !(value instanceof Uint8Array);

function isOf(kind: Kind, value: Value): boolean {
  switch (kind) {
    case 'int':
      return typeof value === 'number';
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'date':
      return value instanceof DateTime;
    case 'struct':
      return isStruct(value);
    case 'int[]':
      return Array.isArray(value) && value.every((one: Value) => typeof one === 'number');
    case 'string[]':
      return Array.isArray(value) && value.every((one: Value) => typeof one === 'string');
    case 'struct[]':
      return Array.isArray(value) && value.every(isStruct);
  }
}

/** A value made into one of a kind, as the server makes it; undefined when it cannot be. */
function madeInto(kind: Kind, value: Value): Value | undefined {
  if (isOf(kind, value)) return value;
  if (kind === 'int' && typeof value === 'string' && /^-?\d+$/.test(value)) return Number(value);
  if (kind === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  if (kind === 'boolean' && (value === 0 || value === 1)) return value === 1;
  if (kind === 'string' && typeof value === 'number') return String(value);
  if (kind === 'date' && typeof value === 'string' && !Number.isNaN(Date.parse(value))) return DateTime.utc(Date.parse(value));
  if (kind === 'string[]' && !Array.isArray(value)) return listOf('string', value);
  if (kind === 'int[]' && !Array.isArray(value)) return listOf('int', value);
  return undefined;
}

function listOf(kind: Kind, value: Value): Value | undefined {
  const one = madeInto(kind, value);
  return one === undefined ? undefined : [one];
}

function kindOf(value: Value): string {
  if (typeof value === 'number') return 'java.lang.Integer';
  if (typeof value === 'string') return 'java.lang.String';
  if (typeof value === 'boolean') return 'java.lang.Boolean';
  if (value instanceof DateTime) return 'java.util.Date';
  return Array.isArray(value) ? 'redstone.xmlrpc.XmlRpcArray' : 'redstone.xmlrpc.XmlRpcStruct';
}
