import type { IncomingMessage } from 'node:http';
import { secondMs } from '../../lib/core/time.ts';
import type { Clock } from './deadline.ts';

/** The largest call, in bytes: a file of configuration that is sent in it may have 1 MiB, and grows by a third. */
export const callBytesMax = 8 * 1024 * 1024;
/** How long a call may take to come. */
const callLimitMs = 60 * secondMs;
/** What all calls that are being read may take up together, in bytes. */
const allBytesMax = 128 * 1024 * 1024;

/** The bytes of a call, or why they are not there. `gone`: its caller has gone. */
export type CallBody = { readonly bytes: Buffer } | { readonly why: string } | 'gone';

/** Reads calls, each within its bound and all of them within one. */
export class Bodies {
  readonly #clock: Clock;
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The body of a request. One that is too large is read to its end, and not stored: a caller that still sends would
   * find its connection broken, and never see why.
   */
  read(request: IncomingMessage): Promise<CallBody> {
    if (request.headers['content-encoding'] !== undefined) {
      request.resume();
      return Promise.resolve({ why: 'it is encoded, and no server decodes calls' });
    }
    return new Promise((resolve) => {
      let parts: Buffer[] = [];
      let [bytes, stored] = [0, 0];
      let why: string | undefined;
      const over = (body: CallBody): void => {
        cancel();
        this.#bytes -= stored;
        request.removeAllListeners('data');
        resolve(body);
      };
      const refuse = (reason: string): void => {
        why = reason;
        parts = [];
        this.#bytes -= stored;
        stored = 0;
      };
      const cancel = this.#clock.after(callLimitMs, () => over({ why: why ?? `it did not come within ${callLimitMs / secondMs} s` }));
      request.on('data', (part: Buffer) => {
        bytes += part.byteLength;
        if (why !== undefined) return;
        if (bytes > callBytesMax) return refuse(`it has more than ${callBytesMax} bytes`);
        if (this.#bytes + part.byteLength > allBytesMax) return refuse('too many large calls come at once');
        parts.push(part);
        stored += part.byteLength;
        this.#bytes += part.byteLength;
      });
      request.once('end', () => over(why === undefined ? { bytes: Buffer.concat(parts) } : { why }));
      request.once('error', () => over('gone'));
      request.once('close', () => over('gone'));
    });
  }
}
