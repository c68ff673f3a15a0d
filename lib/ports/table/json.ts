import type { Attributes } from './attributes.ts';
import { isList, type Value } from './table.ts';

/**
 * The one name that marks bytes in the text; a caller's own names that begin with `$` get another `$`, so that none can
 * equal it.
 */
const bytesTag = '$b';

/** Attributes as JSON text, bytes as `{"$b": base64}`; undefined members are left out. */
export const printAttributes = (attributes: Attributes): string =>
  JSON.stringify(isPlain(attributes) ? attributes : mapped(attributes, tagged));

/** The attributes that {@link printAttributes} made this text from. */
export function parseAttributes(text: string): Attributes {
  const parsed = JSON.parse(text) as Attributes;
  // Most rows have no bytes: then nothing in the text is marked, and no walk is needed.
  return text.includes('"$') ? mapped(parsed, untagged, unescaped) : parsed;
}

/**
 * The same attributes, sharing nothing with the given ones; without undefined members and negative zero, as every table
 * stores them.
 */
export const copyAttributes = (attributes: Attributes): Attributes => mapped(attributes, copied, asItIs);

/**
 * A copy of stored attributes, which shares nothing with them. No member is undefined and no zero is negative, since
 * {@link copyAttributes} made them. Maps are so copied as they are laid out, which costs a quarter.
 */
export function copyStored<T extends object>(stored: T): T {
  const made = { ...stored } as { [name: string]: unknown };
  for (const name in made) {
    const value = made[name];
    if (typeof value === 'object' && value !== null) made[name] = copyStoredValue(value);
  }
  return made as T;
}

function copyStoredValue(value: object): object {
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (!Array.isArray(value)) return copyStored(value);
  return value.map((one: unknown) => (typeof one === 'object' && one !== null ? copyStoredValue(one) : one));
}

/**
 * The same attributes with the members of every map in the order of their names, so that equal values print alike in
 * every table.
 */
export function inOrder(map: Attributes): Attributes {
  const made: { [name: string]: Value } = {};
  for (const name of Object.keys(map).sort()) {
    const value = map[name];
    if (value !== undefined) define(made, name, ordered(value));
  }
  return made;
}

function ordered(value: Value): Value {
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value;
  return isList(value) ? value.map(ordered) : inOrder(value);
}

const asItIs = (name: string): string => name;
const unescaped = (name: string): string => (name.startsWith('$$') ? name.slice(1) : name);
const escaped = (name: string): string => (name.startsWith('$') ? `$${name}` : name);

function mapped(map: Attributes, each: (value: Value) => Value, rename: (name: string) => string = escaped): Attributes {
  const made: { [name: string]: Value } = {};
  for (const name of Object.keys(map)) {
    const value = map[name];
    if (value !== undefined) define(made, rename(name), each(value));
  }
  return made;
}

/** Defines a member, also one with the name `__proto__`, which an assignment would not define. */
function define(made: { [name: string]: Value }, name: string, value: Value): void {
  if (name === '__proto__') Object.defineProperty(made, name, { value, enumerable: true, configurable: true, writable: true });
  else made[name] = value;
}

/** Whether JSON can carry the value as it is: it has no bytes, and no name like their mark. */
function isPlain(value: Value | Attributes): boolean {
  if (value === null || typeof value !== 'object') return true;
  if (value instanceof Uint8Array) return false;
  if (isList(value)) return value.every(isPlain);
  for (const name in value) if (name.startsWith('$') || !isPlain(value[name] ?? null)) return false;
  return true;
}

function tagged(value: Value): Value {
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Uint8Array) return { [bytesTag]: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64') };
  return isList(value) ? value.map(tagged) : mapped(value, tagged);
}

function untagged(value: Value): Value {
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value;
  if (isList(value)) return value.map(untagged);
  const bytes = value[bytesTag];
  if (typeof bytes === 'string') return new Uint8Array(Buffer.from(bytes, 'base64'));
  return mapped(value, untagged, unescaped);
}

function copied(value: Value): Value {
  if (typeof value === 'number') return value + 0;
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Uint8Array) return new Uint8Array(value);
  return isList(value) ? value.map(copied) : mapped(value, copied, asItIs);
}
