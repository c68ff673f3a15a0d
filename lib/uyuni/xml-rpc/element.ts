import sax from 'sax';
import { NotXmlRpc } from './value.ts';

/** An element of a document: its name, the elements in it, and its text without theirs. */
export type Element = { readonly name: string; readonly children: readonly Element[]; readonly text: string };

type Open = { name: string; children: Open[]; text: string };

/** The deepest that elements may lie in each other; a list of structs of lists has 13. */
const depthMax = 200;

/**
 * The outermost element of a document. Throws {@link NotXmlRpc} for what is not well-formed, for a DOCTYPE, and for
 * more elements than `elementsMax`: each takes far more memory than the four bytes that it may be written in.
 */
export function elementOf(document: string, elementsMax = Number.POSITIVE_INFINITY): Element {
  const xml = sax.parser(true);
  let elements = 0;
  const open: Open[] = [];
  let whole: Open | undefined;
  const refuse = (why: string): never => {
    throw new NotXmlRpc(`${why} in line ${xml.line + 1}, column ${xml.column}`);
  };
  const add = (text: string): void => {
    const last = open.at(-1);
    if (last) last.text += text;
  };
  xml.onerror = ({ message }) => refuse(message.split('\n')[0] ?? message);
  // Entities of its own would be read from elsewhere, or grow without bound.
  xml.ondoctype = () => refuse('a DOCTYPE is not allowed');
  xml.ontext = add;
  xml.oncdata = add;
  xml.onopentag = ({ name }) => {
    if (open.length >= depthMax) refuse(`elements lie more than ${depthMax} deep`);
    if (++elements > elementsMax) refuse(`there are more than ${elementsMax} elements`);
    const element = { name, children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  };
  xml.onclosetag = () => {
    const element = open.pop();
    if (open.length === 0) whole = element;
  };
  xml.write(document).close();
  return whole ?? refuse('there is no element');
}
