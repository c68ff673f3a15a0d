/** The parts of an answer that are read: of `fetch`, or of a simulated network, which has the whole text at once. */
export type Readable = Pick<Response, 'text'> & Partial<Pick<Response, 'body'>>;

/**
 * The text of an answer of at most so many bytes. Throws a RangeError as soon as there are more, and ends the
 * connection, so that an endless answer fills no memory.
 */
export async function textWithin(answer: Readable, bytesMax: number): Promise<string> {
  if (!answer.body) return within(await answer.text(), bytesMax);
  const reader = answer.body.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    bytes += read.value.byteLength;
    if (bytes > bytesMax) {
      await reader.cancel();
      throw tooLong(bytesMax);
    }
    chunks.push(read.value);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function within(text: string, bytesMax: number): string {
  if (Buffer.byteLength(text) > bytesMax) throw tooLong(bytesMax);
  return text;
}

const tooLong = (bytesMax: number): RangeError => new RangeError(`the answer has more than ${bytesMax} bytes`);
