import type { Typed } from './typed.ts';

/** How deep values may lie in each other, and how many there may be. */
export type JsonLimits = { readonly depthMax: number; readonly valuesMax: number };

/**
 * The value of a JSON document; numbers keep their text. Of a name that is there twice, the last counts. Throws a
 * SyntaxError for a document that is none, or beyond the limits.
 */
export function typedInJson(document: string, limits: JsonLimits): Typed {
  refuseBeyond(document, limits);
  return JSON.parse(document, (_name: string, value: unknown, ...[context]: readonly Context[]) => typedOf(value, context?.source));
}

/** How a value was written: https://tc39.es/proposal-json-parse-with-source. */
type Context = { readonly source?: string };

/** What was read bottom up: the items and members are typed already. */
function typedOf(value: unknown, source: string | undefined): Typed {
  if (value === null) return { type: 'nil', text: '' };
  if (typeof value === 'string') return { type: 'string', text: value };
  if (typeof value === 'boolean') return { type: 'boolean', text: String(value) };
  if (typeof value === 'number') return numberOf(source ?? String(value));
  if (Array.isArray(value)) return { type: 'array', items: value };
  return { type: 'struct', members: Object.entries(Object(value)) };
}

function numberOf(text: string): Typed {
  const isWhole = /^-?\d+$/.test(text);
  return { type: isWhole ? (Math.abs(Number(text)) < 2 ** 31 ? 'int' : 'i8') : 'double', text };
}

/** Looks at brackets, colons and commas outside of texts; the parser would run out of its stack. */
function refuseBeyond(document: string, { depthMax, valuesMax }: JsonLimits): void {
  let [depth, values, isInText] = [0, 0, false];
  for (let at = 0; at < document.length; at++) {
    const next = document[at];
    if (isInText) {
      if (next === '\\') at++;
      else isInText = next !== '"';
    } else if (next === '"') isInText = true;
    else if (next === '{' || next === '[') {
      if (++depth > depthMax) throw new SyntaxError(`values lie more than ${depthMax} deep`);
      values++;
    } else if (next === '}' || next === ']') depth--;
    else if (next === ',' && ++values > valuesMax) throw new SyntaxError(`there are more than ${valuesMax} values`);
  }
}

/**
 * The value that a server takes a text in a query for: a number, `true`, `false`, `null` and a text in quotes are what
 * they are in JSON, and so is a list or a struct; anything else is a text.
 */
export function typedInQuery(text: string): Typed {
  if (text.trim() === '') return { type: 'nil', text: '' };
  try {
    return typedInJson(text, { depthMax: 20, valuesMax: 1_000 });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { type: 'string', text };
  }
}

/** A value as JSON; numbers are written as they were. */
export function jsonText(value: Typed): string {
  if ('items' in value) return `[${value.items.map(jsonText).join(',')}]`;
  if ('members' in value) return `{${value.members.map(([name, one]) => `${JSON.stringify(name)}:${jsonText(one)}`).join(',')}}`;
  if (value.type === 'string') return JSON.stringify(value.text);
  return value.type === 'nil' ? 'null' : value.text;
}
