import { type Response, readResponse } from '../xml-rpc/read.ts';
import { type Fault, NotXmlRpc, type Value } from '../xml-rpc/value.ts';
import { faultText, responseText } from '../xml-rpc/write.ts';
import { sayableText } from './scan/characters.ts';
import { JsonScanner } from './scan/json/scanner.ts';
import type { AnswerScanner, ScanOptions } from './scan/options.ts';
import { Scanner } from './scan/scanner.ts';

/** How an interface writes answers: what is merged, and what comes out. */
export type DocumentForm = {
  scanner(options: ScanOptions): AnswerScanner;
  /** What an answer begins and ends with, and what is between those and the elements of an array. */
  readonly head: string;
  readonly tail: string;
  readonly arrayHead: string;
  readonly arrayTail: string;
  /** How many bytes of each element are before it, to separate it from another: the first has none. */
  readonly separatorBytes: number;
  faultText(fault: Fault): string;
  responseText(value: Value): string;
  /** Throws {@link NotXmlRpc} for a document that is no answer. */
  readResponse(text: string): Response;
};

/** Answers of XML-RPC. Servers write `ex:nil`, whose prefix must be declared. */
export const xmlRpcDocuments: DocumentForm = {
  scanner: (options) => new Scanner(options),
  head: '<?xml version="1.0" encoding="UTF-8"?><methodResponse xmlns:ex="http://ws.apache.org/xmlrpc/namespaces/extensions"><params><param><value>',
  tail: '</param></params></methodResponse>',
  arrayHead: '<array><data>',
  arrayTail: '</data></array></value>',
  separatorBytes: 0,
  faultText: ({ code, text }) => faultText({ code, text: sayableText(text) }),
  responseText,
  readResponse,
};

/** Answers of the JSON interface, in the order in which servers write their members; what is null is left out. */
export const jsonDocuments: DocumentForm = {
  scanner: (options) => new JsonScanner(options),
  head: '{"success":true',
  tail: '}',
  arrayHead: ',"result":[',
  arrayTail: ']',
  separatorBytes: 1,
  faultText: ({ text }) => JSON.stringify({ success: false, message: text }),
  responseText: (value) => JSON.stringify({ success: true, result: value }),
  readResponse: (text) => {
    const { success, result = null, message = '' } = parsed(text);
    return success === true ? { ok: true, value: result } : { ok: false, fault: { code: -1, text: String(message) } };
  },
};

/** The members of an answer, which a scanner has read before. */
function parsed(text: string): { readonly success?: unknown; readonly result?: Value; readonly message?: unknown } {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new NotXmlRpc('it is no JSON', { cause: error });
  }
}
