import { DateTime, type Fault, NotXmlRpc, type Value } from './value.ts';

/** What a document begins with. */
export const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
const int32Max = 2 ** 31 - 1;

/** A call of a method, as a document. Throws {@link NotXmlRpc} for a value that has no form in XML-RPC. */
export const callText = (method: string, params: readonly Value[]): string =>
  `${declaration}<methodCall><methodName>${escaped(method)}</methodName><params>${params.map(paramText).join('')}</params></methodCall>`;

/** The answer with a value, as a document. Throws as {@link callText} does. */
export const responseText = (value: Value): string => `${declaration}<methodResponse><params>${paramText(value)}</params></methodResponse>`;

/** The answer that a method has failed, as a document. */
export const faultText = ({ code, text }: Fault): string =>
  `${declaration}<methodResponse><fault>${valueText({ faultCode: code, faultString: text })}</fault></methodResponse>`;

const paramText = (value: Value): string => `<param>${valueText(value)}</param>`;

/** A value as an element `value`. Throws as {@link callText} does. */
export const valueText = (value: Value): string => `<value>${innerText(value)}</value>`;

function innerText(value: Value): string {
  if (value === null) return '<nil/>';
  if (typeof value === 'string') return `<string>${escaped(value)}</string>`;
  if (typeof value === 'boolean') return `<boolean>${value ? 1 : 0}</boolean>`;
  if (typeof value === 'number') return numberText(value);
  if (value instanceof DateTime) return `<dateTime.iso8601>${escaped(value.text)}</dateTime.iso8601>`;
  if (value instanceof Uint8Array) return `<base64>${Buffer.from(value).toString('base64')}</base64>`;
  if (isList(value)) return `<array><data>${value.map(valueText).join('')}</data></array>`;
  const members = Object.entries(value).map(([name, one]) => `<member><name>${escaped(name)}</name>${valueText(one)}</member>`);
  return `<struct>${members.join('')}</struct>`;
}

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

function numberText(value: number): string {
  if (!Number.isFinite(value)) throw new NotXmlRpc(`${value} is not a number of XML-RPC`);
  if (!Number.isInteger(value)) return `<double>${value}</double>`;
  if (!Number.isSafeInteger(value)) throw new NotXmlRpc(`${value} is beyond what a number holds exactly`);
  return value > int32Max || value < -int32Max - 1 ? `<i8>${value}</i8>` : `<int>${value}</int>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };
/** What no XML document may hold, not even as a reference: https://www.w3.org/TR/xml/#charsets. */
const unsayable = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** A text as it is written in a document. Throws {@link NotXmlRpc} for a character that no document may hold. */
export function escaped(text: string): string {
  const found = unsayable.exec(text);
  if (found) throw new NotXmlRpc(`no XML can hold the character U+${found[0].charCodeAt(0).toString(16).padStart(4, '0')} of a text`);
  return text.replaceAll(/[&<>\r]/g, (character) => entities[character] ?? character);
}
