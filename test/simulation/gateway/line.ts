import { createServer, type IncomingMessage, type RequestListener, request, type Server } from 'node:http';
import { duplexPair } from 'node:stream';

/** What a caller has of an answer; `isWhole` is false where the connection ended before the answer did. */
export type Received = {
  readonly status: number;
  readonly text: string;
  /** What the header, or the trailer, says of servers that failed. */
  readonly failed: string | undefined;
  readonly isWhole: boolean;
};

/** How a caller calls: it may go while it waits, and wait before it reads on. */
export type Calling = {
  readonly headers: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly gone: AbortSignal;
  readonly reading?: () => Promise<void>;
};

/** The way from callers to the gateway: Node's own HTTP on both sides, over pipes in memory in place of a network. */
export class Line {
  readonly #server: Server;

  constructor(listener: RequestListener) {
    this.#server = createServer(listener);
  }

  /** Sends a document; gives the answer, or undefined to a caller that has gone or was answered nothing. */
  send(document: string | Uint8Array, { headers, path = '/rpc/api', gone, reading }: Calling): Promise<Received | undefined> {
    const [here, there] = duplexPair();
    this.#server.emit('connection', there);
    return new Promise((resolve) => {
      const sent = request({ method: 'POST', path, headers, createConnection: () => here }, (response) => {
        void received(response, reading).then(resolve);
      });
      // A pipe in memory ends on both sides, as a connection does.
      here.once('close', () => there.destroy());
      there.once('close', () => here.destroy());
      gone.addEventListener('abort', () => here.destroy());
      sent.once('error', () => resolve(undefined));
      sent.end(document);
    });
  }
}

async function received(response: IncomingMessage, reading: Calling['reading']): Promise<Received | undefined> {
  const parts: Buffer[] = [];
  try {
    for await (const part of response) {
      parts.push(part as Buffer);
      await reading?.();
    }
  } catch {
    // Node throws where the connection ends first, which `complete` says as well.
  }
  const failed = response.headers['x-muster-failed'] ?? response.trailers['x-muster-failed'];
  return {
    status: response.statusCode ?? 0,
    text: Buffer.concat(parts).toString('utf8'),
    failed: failed === undefined ? undefined : String(failed),
    isWhole: response.complete,
  };
}
