import { hash } from 'node:crypto';

/** What SHA-256 takes at a time, and what it gives. */
const blockBytes = 64;
const digestBytes = 32;

/**
 * HMAC-SHA256 (RFC 2104) by two plain hashes, for one key and messages of one length in bytes: what the key alone makes
 * is made once, since every status check asks for a code. A tenth of `createHmac`, which makes a key object, a stream
 * and a buffer a call; as text the digest of `hash` costs half of what it does as a buffer.
 */
export class PreparedHmac {
  readonly #inner: Buffer;
  readonly #outer: Buffer;

  constructor(secret: Uint8Array, messageBytes: number) {
    const key = secret.length > blockBytes ? hash('sha256', secret, 'buffer') : secret;
    // Memory of their own: what comes out of Node's pool is handed to others uncleared.
    this.#inner = Buffer.alloc(blockBytes + messageBytes);
    this.#outer = Buffer.alloc(blockBytes + digestBytes);
    for (let i = 0; i < blockBytes; i++) {
      const byte = key[i] ?? 0;
      this.#inner[i] = byte ^ 0x36;
      this.#outer[i] = byte ^ 0x5c;
    }
  }

  /** Writes the code of the message that `bytes` begin with to `into`, cut to what that holds. */
  write(bytes: Uint8Array, into: Buffer): void {
    const inner = this.#inner;
    for (let i = blockBytes; i < inner.length; i++) inner[i] = bytes[i - blockBytes]!;
    this.#outer.write(hash('sha256', inner, 'binary'), blockBytes, digestBytes, 'latin1');
    into.write(hash('sha256', this.#outer, 'binary'), 0, into.length, 'latin1');
  }
}
