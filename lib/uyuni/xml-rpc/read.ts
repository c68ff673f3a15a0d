import { type Element, elementOf } from './element.ts';
import { DateTime, type Fault, isStruct, NotXmlRpc, type Value } from './value.ts';

/** A call: the name of the method as it was sent, and its arguments in order. */
export type Call = { readonly method: string; readonly params: readonly Value[] };
/** An answer: a value, or why there is none. */
export type Response = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly fault: Fault };

/** The call in a document. Throws {@link NotXmlRpc} for any other document. */
export function readCall(document: string): Call {
  const { method, values } = partsOfCall(document);
  return { method, params: values.map(valueIn) };
}

/**
 * The call in a document, with its arguments as the elements `value` that were sent. Throws {@link NotXmlRpc} for any
 * other document, and for one of more elements than `elementsMax`.
 */
export function partsOfCall(document: string, elementsMax?: number): { readonly method: string; readonly values: readonly Element[] } {
  const call = elementOf(document, elementsMax);
  want(call, 'methodCall');
  return { method: childOf(call, 'methodName').text.trim(), values: valuesOf(call) };
}

/** The answer in a document. Throws {@link NotXmlRpc} for any other document. */
export function readResponse(document: string): Response {
  const response = elementOf(document);
  want(response, 'methodResponse');
  const fault = response.children.find(({ name }) => name === 'fault');
  if (fault) return { ok: false, fault: faultOf(valueIn(childOf(fault, 'value'))) };
  const [value = null] = valuesOf(response).map(valueIn);
  return { ok: true, value };
}

function faultOf(value: Value): Fault {
  const { faultCode: code, faultString: text } = isStruct(value) ? value : {};
  if (typeof code !== 'number' || typeof text !== 'string') throw new NotXmlRpc('a fault without faultCode and faultString');
  return { code, text };
}

const valuesOf = ({ children }: Element): Element[] =>
  (children.find(({ name }) => name === 'params')?.children ?? []).map((param) => {
    want(param, 'param');
    return childOf(param, 'value');
  });

/** A value without a type is a text, by the specification; its blanks belong to it. */
function valueIn(element: Element): Value {
  want(element, 'value');
  const [typed] = element.children;
  return typed === undefined ? element.text : typedValue(typed);
}

function typedValue(typed: Element): Value {
  switch (typed.name) {
    case 'array':
      return childOf(typed, 'data').children.map(valueIn);
    case 'struct':
      return Object.fromEntries(typed.children.map((member) => memberOf(member, valueIn)));
    default:
      return scalarOf(typed);
  }
}

/** The value of an element that has no others in it. Throws {@link NotXmlRpc} for what its type does not allow. */
export function scalarOf({ name, text }: Pick<Element, 'name' | 'text'>): Value {
  switch (name) {
    case 'int':
    case 'i4':
    case 'i8':
      return wholeOf(text);
    case 'boolean':
      return booleanOf(text);
    case 'double':
      return doubleOf(text);
    case 'string':
      return text;
    case 'dateTime.iso8601':
      return new DateTime(text.trim());
    case 'base64':
      return bytesOf(text);
    case 'nil':
    case 'ex:nil':
      return null;
    default:
      throw new NotXmlRpc(`<${name}> is not a type of XML-RPC`);
  }
}

/** The name and the value of a member of a struct; `read` reads the element `value`. Throws {@link NotXmlRpc}. */
export function memberOf<T>(member: Element, read: (value: Element) => T): [string, T] {
  want(member, 'member');
  return [childOf(member, 'name').text, read(childOf(member, 'value'))];
}

function wholeOf(text: string): number {
  const value = Number(text);
  if (!/^\s*[+-]?\d+\s*$/.test(text) || !Number.isSafeInteger(value)) throw new NotXmlRpc(`“${text.slice(0, 40)}” is not a whole number`);
  return value;
}

function doubleOf(text: string): number {
  const value = Number(text);
  if (!/\d/.test(text) || !Number.isFinite(value)) throw new NotXmlRpc(`“${text.slice(0, 40)}” is not a number`);
  return value;
}

function booleanOf(text: string): boolean {
  const word = text.trim();
  if (word !== '0' && word !== '1') throw new NotXmlRpc(`“${word.slice(0, 40)}” is not a boolean: it is 0 or 1`);
  return word === '1';
}

function bytesOf(text: string): Uint8Array {
  const plain = text.replaceAll(/\s/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(plain)) throw new NotXmlRpc('a base64 value has other characters');
  return new Uint8Array(Buffer.from(plain, 'base64'));
}

/** The first element of a name in another. Throws {@link NotXmlRpc} where there is none. */
export function childOf({ name: parent, children }: Element, name: string): Element {
  const found = children.find((child) => child.name === name);
  if (!found) throw new NotXmlRpc(`<${parent}> without <${name}>`);
  return found;
}

/** Refuses an element of another name. Throws {@link NotXmlRpc}. */
export function want({ name }: Element, wanted: string): void {
  if (name !== wanted) throw new NotXmlRpc(`<${name}> in place of <${wanted}>`);
}
