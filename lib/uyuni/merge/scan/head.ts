import { readResponse } from '../../xml-rpc/read.ts';
import { NotXmlRpc } from '../../xml-rpc/value.ts';
import { AnswerRefused } from '../refusal.ts';

/** What the beginning of an answer tells: that it holds a value, or a fault; and where that begins. */
export type Head = { readonly holds: 'value' | 'fault'; readonly at: number };

/** The longest beginning up to the value: servers write it within 200 bytes. */
const headBytesMax = 8 * 1024;
/** The longest fault: servers write whole traces into some. */
export const faultBytesMax = 256 * 1024;
/** The longest end of an answer after its value. */
const tailBytesMax = 4 * 1024;

const blank = String.raw`(?:[ \t\r\n]|<!--(?:-?[^-])*-->)*`;
const head = new RegExp(
  String.raw`^(?:\xef\xbb\xbf)?(?:<\?xml[ \t\r\n]([^<>?]*)\?>)?${blank}<methodResponse(?:[ \t\r\n][^<>]*)?>${blank}(?:<params[ \t\r\n]*>${blank}<param[ \t\r\n]*>${blank}<value[ \t\r\n]*>|(<fault)[ \t\r\n]*>)`,
);
const tail = new RegExp(String.raw`^${blank}</param[ \t\r\n]*>${blank}</params[ \t\r\n]*>${blank}</methodResponse[ \t\r\n]*>${blank}$`);
const ending = '</param></params></methodResponse>';
const utf8 = /^(utf-?8|us-ascii|ascii)$/i;

/** What the first bytes of an answer tell; undefined if more are needed. Throws {@link AnswerRefused}. */
export function headIn(text: string): Head | undefined {
  const [whole, declaration = '', fault] = head.exec(text.slice(0, headBytesMax)) ?? [];
  if (whole === undefined) {
    if (/^(?:\xff\xfe|\xfe\xff)/.test(text)) throw new AnswerRefused('refused', 'its encoding is UTF-16 instead of UTF-8');
    if (/<!(DOCTYPE|ENTITY)/i.test(text)) throw new AnswerRefused('refused', 'a DOCTYPE is not allowed');
    if (text.length >= headBytesMax) noAnswer();
    return undefined;
  }
  const encoding = /encoding[ \t\r\n]*=[ \t\r\n]*["']([^"']*)["']/.exec(declaration)?.[1];
  if (encoding !== undefined && !utf8.test(encoding))
    throw new AnswerRefused('refused', `its encoding is ${encoding.replaceAll(/[^\w.-]/g, '?').slice(0, 40)} instead of UTF-8`);
  return { holds: fault === undefined ? 'value' : 'fault', at: whole.length };
}

/** For what does not begin as an answer of XML-RPC does: a page of an error, for example. */
export function noAnswer(): never {
  throw new AnswerRefused('malformed', 'it does not begin as an answer of XML-RPC');
}

/** Throws {@link AnswerRefused} with the fault that a document holds, or since it holds none. */
export function throwFault(document: string): never {
  try {
    const response = readResponse(document);
    if (!response.ok) throw new AnswerRefused('fault', response.fault.text, response.fault);
  } catch (error) {
    if (error instanceof NotXmlRpc) throw new AnswerRefused('malformed', `its fault cannot be read: ${error.message}`);
    throw error;
  }
  return noAnswer();
}

/** Throws {@link AnswerRefused} unless this text, after the value, ends an answer; `isAll`: no more comes. */
export function judgeTail(text: string, isAll: boolean): void {
  if (text.length > tailBytesMax) throw new AnswerRefused('malformed', 'there is more after the value');
  if (!isAll || tail.test(text)) return;
  const written = text.replaceAll(/<!--(?:-?[^-])*-->|[ \t\r\n]/g, '');
  if (ending.startsWith(written)) throw new AnswerRefused('cut-off', 'it ends before </methodResponse>');
  throw new AnswerRefused('malformed', 'there is something else after the value');
}
