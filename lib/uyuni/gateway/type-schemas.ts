import type { Json } from './openapi.ts';

const simple: Readonly<Record<string, Json>> = {
  string: { type: 'string' },
  int: { type: 'integer', format: 'int32' },
  long: { type: 'integer', format: 'int64' },
  boolean: { type: 'boolean' },
  double: { type: 'number' },
  'dateTime.iso8601': { type: 'string', format: 'date-time' },
  'string or int': { type: ['string', 'integer'] },
  map: { type: 'object' },
  struct: { type: 'object' },
  parameters: { type: 'array', items: {} },
};

/** The schema of a type as the table of methods has it, such as `array<struct{name:string, ids:array<int>}>`. */
export function schemaOf(type: string): Json {
  const known = simple[type];
  if (known) return known;
  const [, items] = /^array<(.*)>$/.exec(type) ?? [];
  if (items !== undefined) return { type: 'array', items: schemaOf(items) };
  const [, members] = /^struct\{(.*)\}$/.exec(type) ?? [];
  if (members === undefined) throw new Error(`“${type}” is no type of the table of methods`);
  return { type: 'object', properties: Object.fromEntries(membersIn(members).map(memberOf)) };
}

function memberOf(member: string): readonly [string, Json] {
  const at = member.indexOf(':');
  return [member.slice(0, at).trim(), schemaOf(member.slice(at + 1).trim())];
}

/** The members of a struct: commas within another type separate nothing. */
function membersIn(text: string): readonly string[] {
  const found: string[] = [''];
  let depth = 0;
  for (const next of text) {
    if (next === '{' || next === '<') depth++;
    if (next === '}' || next === '>') depth--;
    if (next === ',' && depth === 0) found.push('');
    else found[found.length - 1] += next;
  }
  return found;
}
