import { Refusal } from './problem.ts';

/** The most a caller may send, in bytes. */
export const bodyBytesMax = 64 * 1024;
/** How deep a body may be nested. */
const depthMax = 32;

/** A body as JSON. Throws a {@link Refusal}: too large, not JSON, nested too deeply, or with the key `__proto__`. */
export function parseBody(text: string): unknown {
  if (text.length > bodyBytesMax || Buffer.byteLength(text) > bodyBytesMax)
    throw new Refusal('too-large', `the body has more than ${bodyBytesMax} bytes`);
  refuseDeep(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Refusal('malformed-json', error instanceof Error ? error.message : 'not JSON');
  }
  // A key may be spelt with escapes; only text without any is known to hold none by looking.
  if (/__proto__|\\u/.test(text) && holdsProto(value)) throw new Refusal('malformed-json', 'the key __proto__ is not allowed');
  return value;
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

function holdsProto(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.hasOwn(value, '__proto__')) return true;
  return Object.values(value).some(holdsProto);
}
