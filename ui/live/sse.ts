/** A message of a stream of server-sent events; a comment alone is a sign of life, without data. */
export type Message = { readonly id?: string; readonly data?: string };

/** Reads server-sent events (WHATWG HTML §9.2.6) from text as it comes in pieces; `give` gets each message. */
export class MessageReader {
  #left = '';
  readonly #give: (message: Message) => void;

  constructor(give: (message: Message) => void) {
    this.#give = give;
  }

  /** Takes the next piece of the stream. */
  take(text: string): void {
    const blocks = (this.#left + text).split('\n\n');
    this.#left = blocks.pop()!;
    for (const block of blocks) this.#give(messageOf(block));
  }
}

function messageOf(block: string): Message {
  const fields = block.split('\n').map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
  });
  const textOf = (name: string): string | undefined => {
    const values = fields.filter(([field]) => field === name).map(([, value]) => value);
    return values.length === 0 ? undefined : values.join('\n');
  };
  const [id, data] = [textOf('id'), textOf('data')];
  return { ...(id !== undefined && { id }), ...(data !== undefined && { data }) };
}
