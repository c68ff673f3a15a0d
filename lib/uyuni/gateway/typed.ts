import type { Element } from '../xml-rpc/element.ts';
import { childOf, memberOf, scalarOf, want } from '../xml-rpc/read.ts';
import { NotXmlRpc } from '../xml-rpc/value.ts';
import { escaped } from '../xml-rpc/write.ts';

/** A value as it was sent: its type as it is written, and its text. `untyped` is a text by the specification. */
export type Typed =
  | { readonly type: string; readonly text: string }
  | { readonly type: 'array'; readonly items: readonly Typed[] }
  | { readonly type: 'struct'; readonly members: readonly (readonly [name: string, value: Typed])[] };

/** What a value is to a method, whichever way it is written. */
export type Kind = 'int' | 'long' | 'boolean' | 'double' | 'string' | 'date' | 'base64' | 'nil' | 'array' | 'struct';

const kinds: Readonly<Record<string, Kind>> = {
  int: 'int',
  i4: 'int',
  i8: 'long',
  boolean: 'boolean',
  double: 'double',
  string: 'string',
  untyped: 'string',
  'dateTime.iso8601': 'date',
  base64: 'base64',
  nil: 'nil',
  'ex:nil': 'nil',
  array: 'array',
  struct: 'struct',
};

/** What a value is to a method. */
export const kindOf = ({ type }: Typed): Kind => kinds[type] ?? 'nil';

/** The value of an element `value`. Throws {@link NotXmlRpc} for what XML-RPC does not have, or its type not allow. */
export function typedIn(element: Element): Typed {
  want(element, 'value');
  const [typed, ...others] = element.children;
  if (typed === undefined) return { type: 'untyped', text: element.text };
  if (others.length > 0) throw new NotXmlRpc('a value has more than one type');
  if (typed.name === 'array') return { type: 'array', items: childOf(typed, 'data').children.map(typedIn) };
  if (typed.name === 'struct') return { type: 'struct', members: typed.children.map((member) => memberOf(member, typedIn)) };
  scalarOf(typed);
  return { type: typed.name, text: typed.text };
}

/** A value as it came, as an element `value`. Throws {@link NotXmlRpc} for a character that no document may hold. */
export const typedText = (value: Typed): string => `<value>${innerText(value)}</value>`;

function innerText(value: Typed): string {
  if ('items' in value) return `<array><data>${value.items.map(typedText).join('')}</data></array>`;
  if ('members' in value) {
    const members = value.members.map(([name, one]) => `<member><name>${escaped(name)}</name>${typedText(one)}</member>`);
    return `<struct>${members.join('')}</struct>`;
  }
  if (value.type === 'untyped') return escaped(value.text);
  return kindOf(value) === 'nil' ? '<nil/>' : `<${value.type}>${escaped(value.text)}</${value.type}>`;
}

/** The text of a value that is one; undefined for any other. */
export const textOf = (value: Typed | undefined): string | undefined =>
  value !== undefined && 'text' in value && kindOf(value) === 'string' ? value.text : undefined;

/** The whole number that a value is, or, as servers convert arguments, that its text is; undefined for any other. */
export function wholeOf(value: Typed): number | undefined {
  if (!('text' in value) || !['int', 'long', 'string'].includes(kindOf(value))) return undefined;
  const text = value.text.trim();
  return /^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** A whole number, as it is sent to a server. */
export const intOf = (value: number): Typed => ({ type: 'int', text: String(value) });

/** Whether there is more than texts in arguments, such as the number of something. */
export const hasNumbers = (params: readonly Typed[]): boolean => params.some((param) => kindOf(param) !== 'string');
