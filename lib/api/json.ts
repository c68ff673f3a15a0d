import { Refusal } from './problem.ts';

/** The largest body that a caller may send, in bytes. */
export const bodyBytesMax = 64 * 1024;
/** How deep a body may be nested. */
const depthMax = 32;

/**
 * A body as JSON. Throws a {@link Refusal} for a body that is too large, is not JSON, is nested too deeply, has a key
 * twice in an object, or has the key `__proto__`.
 */
export function parseBody(text: string): unknown {
  refuseLarge(text);
  refuseDeep(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Refusal('malformed-json', error instanceof Error ? error.message : 'not JSON');
  }
  // A key may be spelt with escapes, so a search of the text only settles the matter when it has none.
  if (/__proto__|\\u/.test(text) && holdsProto(value)) throw new Refusal('malformed-json', 'the key __proto__ is not allowed');
  // Of two equal keys the last one wins here, and the first one may win in a program before us (RFC 8259, 4).
  if (keysIn(value) !== membersIn(text)) throw new Refusal('malformed-json', 'a key occurs twice in the same object');
  return value;
}

/** Refuses a body that is too large to look at. Throws a {@link Refusal}. */
export function refuseLarge(text: string): void {
  if (text.length > bodyBytesMax || Buffer.byteLength(text) > bodyBytesMax)
    throw new Refusal('too-large', `the body has more than ${bodyBytesMax} bytes`);
}

/** Counts open brackets outside strings, so that a bomb is refused before it is parsed. */
function refuseDeep(text: string): void {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (inString) {
      if (char === '\\') i++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{' || char === '[') {
      depth++;
      if (depth > depthMax) throw new Refusal('malformed-json', `nested deeper than ${depthMax} levels`);
    } else if (char === '}' || char === ']') depth--;
  }
}

/** How many members the objects in a JSON text have: as many as colons outside strings. */
const membersIn = (text: string): number => text.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"/g, '').split(':').length - 1;

/** How many keys a value has, nested values included. */
function keysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const held = Object.values(value);
  return held.reduce<number>((sum, one) => sum + keysIn(one), Array.isArray(value) ? 0 : held.length);
}

function holdsProto(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.hasOwn(value, '__proto__')) return true;
  return Object.values(value).some(holdsProto);
}
