import fc from 'fast-check';
import type { NodeAnswer } from '../../../../lib/uyuni/merge/node-answer.ts';
import { DateTime, type Value } from '../../../../lib/uyuni/xml-rpc/value.ts';

/** Texts that XML can hold, with all that it gives a meaning to. */
export const text = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom('&', '<', '>', ']', ']]>', '\r', '\n', ' ', 'ü', '€', '𝄞', '</value>', '<!--', 'id'),
      fc.string({ minLength: 1, maxLength: 3 }),
    ),
    maxLength: 8,
  })
  .filter((one) => !/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(one));

/** Any value of XML-RPC. */
export const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((one) => !Number.isInteger(one)),
    text,
    fc.integer({ min: 0, max: 4_000_000_000_000 }).map((ms) => DateTime.utc(ms)),
    fc.uint8Array({ maxLength: 40 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom('id', 'systems', 'systemId')), tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

/** A document with the elements of an array as they are written here. */
export const documentOf = (elements: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<methodResponse><params><param><value><array><data>${elements}</data></array></value></param></params></methodResponse>\n`;

/** A system as `system.listSystems` shows it, in few members. */
export const systemText = (id: number, name = `client-${id}`): string =>
  `<value><struct><member><name>id</name><value><i4>${id}</i4></value></member><member><name>name</name><value><string>${name}</string></value></member></struct></value>`;

/** The bytes in pieces: one for each cut, in order. */
export function cutAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const ends = [...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length];
  return ends.map((end, at) => bytes.slice(ends[at - 1] ?? 0, end));
}

/** A node that answers with these parts, each once the one before was read. */
export const answers = (node: string, parts: Iterable<Uint8Array | string>, more: Omit<NodeAnswer, 'node' | 'open'> = {}): NodeAnswer => ({
  node,
  open: async function* () {
    for (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : part;
  },
  ...more,
});

/** A node that begins to answer, and then says nothing until it is given up. */
export const hangs = (node: string, begin: string, more: Omit<NodeAnswer, 'node' | 'open'> = {}): NodeAnswer => ({
  node,
  open: async function* (signal) {
    yield Buffer.from(begin);
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  },
  ...more,
});

/** The whole of a body. */
export async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts).toString();
}
