import type { Signature } from '../api/methods.ts';
import { type Kind, kindOf, type Typed } from './typed.ts';

/**
 * The form of a method that a call means, as a server finds it: by the number of arguments, by their exact types, and
 * else the only one into whose types they can be converted. Undefined where there is none, or more than one.
 */
export function formOf(forms: readonly Signature[], given: readonly Typed[]): Signature | undefined {
  const counted = forms.filter(({ params }) => params.length === given.length);
  const exact = counted.find(({ params }) => params.every(({ type }, n) => isOf(type, given[n])));
  if (exact) return exact;
  const convertible = counted.filter(({ params }) => params.every(({ type }, n) => becomes(type, given[n])));
  return convertible.length === 1 ? convertible[0] : undefined;
}

const isList = (type: string): boolean => type.startsWith('array<') || type === 'parameters';

const simple: readonly Kind[] = ['int', 'long', 'boolean', 'double', 'string', 'base64'];

/** What an argument of a documented type is. */
function kindNamed(type: string): Kind | undefined {
  if (isList(type)) return 'array';
  if (type.startsWith('struct') || type === 'map') return 'struct';
  return type === 'dateTime.iso8601' ? 'date' : simple.find((one) => one === type);
}

/** Lists differ by what is in them as well: some methods take names, and others numbers. */
function isOf(type: string, value: Typed | undefined): boolean {
  if (value === undefined || kindOf(value) !== kindNamed(type)) return false;
  const of = /^array<(int|string)>$/.exec(type)?.[1];
  return of === undefined || !('items' in value) || value.items.every((item) => kindOf(item) === of);
}

/** From which kinds a server makes an argument. */
const from: Readonly<Partial<Record<Kind, readonly Kind[]>>> = {
  int: ['int', 'long'],
  long: ['int', 'long'],
  double: ['int', 'long', 'double'],
  string: ['string', 'int', 'long'],
  date: ['date', 'string'],
  boolean: ['boolean', 'int'],
};

function becomes(type: string, value: Typed | undefined): boolean {
  if (value === undefined) return false;
  const kind = kindNamed(type);
  const given = kindOf(value);
  if (given === kind || (kind !== undefined && from[kind]?.includes(given))) return true;
  if (given !== 'string' || !('text' in value)) return false;
  if (kind === 'int' || kind === 'long') return /^\s*[+-]?\d{1,15}\s*$/.test(value.text);
  return kind === 'boolean' && /^(true|false|0|1)$/.test(value.text);
}
