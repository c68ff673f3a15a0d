import { partsOfCall } from '../xml-rpc/read.ts';
import { NotXmlRpc } from '../xml-rpc/value.ts';
import { declaration, escaped } from '../xml-rpc/write.ts';
import { type Typed, typedIn, typedText } from './typed.ts';

/**
 * A call as it was read. `name` is the method as servers find it: `list_systems` and `listSystems` are one. `sent` is
 * its name as it came.
 */
export type GatewayCall = { readonly sent: string; readonly name: string; readonly params: readonly Typed[] };

/** The most elements of a call: a list of 60,000 systems has twice as many, and a few more. */
const elementsMax = 150_000;
/** Longer than any name of a method. */
const nameMax = 200;

/** The call in the bytes of a document. Throws {@link NotXmlRpc} for any other document. */
export function readGatewayCall(bytes: Uint8Array): GatewayCall {
  const { method, values } = partsOfCall(textIn(bytes), elementsMax);
  if (!/^[\w.:/-]+$/.test(method) || method.length > nameMax) throw new NotXmlRpc('its method has a name that no method has');
  return { sent: method, name: nameOf(method), params: values.map(typedIn) };
}

/** The name of a method as a server finds it. Everything before the last dot names what has the method. */
export function nameOf(sent: string): string {
  const dot = sent.lastIndexOf('.');
  return sent.slice(0, dot + 1) + sent.slice(dot + 1).replaceAll(/_(.)/g, (_whole, letter: string) => letter.toUpperCase());
}

/** A call as it goes on to a server. Throws {@link NotXmlRpc} as {@link typedText} does. */
export const callOnward = (sent: string, params: readonly Typed[]): string =>
  `${declaration}<methodCall><methodName>${escaped(sent)}</methodName><params>${params.map((one) => `<param>${typedText(one)}</param>`).join('')}</params></methodCall>`;

/** The text of a document, in the encoding that it declares. Throws {@link NotXmlRpc} where the bytes are none. */
function textIn(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 200)).toString('latin1');
  const [, encoding = 'utf-8'] = /^(?:\xef\xbb\xbf)?\s*<\?xml\s[^>]*\bencoding\s*=\s*["']([\w.-]{1,40})["']/.exec(head) ?? [];
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    throw new NotXmlRpc(error instanceof RangeError ? `its encoding ${encoding} is not known` : `its bytes are not ${encoding}`, {
      cause: error,
    });
  }
}
