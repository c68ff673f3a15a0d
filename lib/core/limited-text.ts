/** What is read of an answer: `fetch`'s own, or a network that has its whole text at hand. */
export type Readable = Pick<Response, 'text'> & Partial<Pick<Response, 'body'>>;

/**
 * The text of an answer, as far as it has at most so many bytes. Reads no further: throws a RangeError once there is
 * more, and ends the connection. A server that sends without end so fills no memory.
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

const tooLong = (bytesMax: number): RangeError => new RangeError(`it answered more than ${bytesMax} bytes`);
