import { timingSafeEqual } from 'node:crypto';
import type { TokenKey } from '../ports/keys/keys.ts';
import { PreparedHmac } from './hmac.ts';

/**
 * The membership token of a client system: enough to compute its status with nothing but the zone's map. Moments are in
 * seconds.
 */
export type Token = {
  /** The first 16 bytes of the fingerprint, as 32 hex digits. */
  readonly fp: string;
  /** The zone's number. */
  readonly zone: number;
  /** The node it was assigned, by index in the zone; 0xFFFF none. */
  readonly index: number;
  readonly generation: number;
  /** The node it is pinned to; 0xFFFF none. */
  readonly pin: number;
  /** It uses the owner of its slot while that node is away. */
  readonly soft: boolean;
  /** The map version that the answer was based on: a reader with an older map re-reads before it answers. */
  readonly mapVersion: number;
  readonly epoch: number;
  readonly issuedAtS: number;
  readonly confirmed: boolean;
  /** Its node saw it when this token was minted, so it may check its status less often. */
  readonly covered: boolean;
};

/** No node. */
export const noIndex = 0xffff;
/** A token expires after 7 days. */
export const tokenLifeS = 7 * 86_400;

const bodyBytes = 38;
const macBytes = 16;
const confirmedBit = 1;
const coveredBit = 2;
const softBit = 4;

/**
 * A token as it travels in the header `muster-token`: 54 bytes in base64url, 72 characters. `code`: the code of this
 * key, if the caller has it already.
 */
export function mintToken(token: Token, key: TokenKey, code: TokenCode = new TokenCode(key)): string {
  const bytes = Buffer.alloc(bodyBytes + macBytes);
  bytes.write(token.fp, 0, 16, 'hex');
  bytes.writeUInt32BE(token.zone, 16);
  bytes.writeUInt16BE(token.index, 20);
  bytes.writeUInt16BE(token.generation, 22);
  bytes.writeUInt16BE(token.pin, 24);
  bytes.writeUInt32BE(token.mapVersion, 26);
  bytes.writeUInt16BE(token.epoch, 30);
  bytes.writeUInt32BE(token.issuedAtS, 32);
  bytes.writeUInt8((token.confirmed ? confirmedBit : 0) | (token.covered ? coveredBit : 0) | (token.soft ? softBit : 0), 36);
  bytes.writeUInt8(key.id, 37);
  code.sign(bytes);
  return bytes.toString('base64url');
}

/** The id of the key that a token names, or undefined if the text is no token at all. It does not verify the token. */
export function tokenKeyId(text: string): number | undefined {
  if (text.length !== 72) return undefined;
  // Each four characters are three bytes: here the 37th and the two around it.
  return Buffer.from(text.slice(48, 52), 'base64url')[1];
}

/**
 * The codes of tokens under one key, each over a token's body and cut to 128 bits: prepared once where many are read.
 */
export class TokenCode {
  readonly #hmac: PreparedHmac;
  readonly #code = Buffer.alloc(macBytes);
  readonly #given = Buffer.alloc(macBytes);

  constructor({ secret }: TokenKey) {
    this.#hmac = new PreparedHmac(secret, bodyBytes);
  }

  /** Writes the code of a token behind its body. */
  sign(token: Buffer): void {
    this.#hmac.write(token, token.subarray(bodyBytes));
  }

  /** Whether a token's code is the one of its body. */
  holds(token: Buffer): boolean {
    this.#hmac.write(token, this.#code);
    token.copy(this.#given, 0, bodyBytes);
    return timingSafeEqual(this.#given, this.#code);
  }
}

/**
 * The token in this text, if this key made it; undefined otherwise. The caller checks age, zone and revocation. `code`:
 * the code of this key, if the caller has it already.
 */
export function readToken(text: string, key: TokenKey, code: TokenCode = new TokenCode(key)): Token | undefined {
  // Node also reads `+` and `/` of plain base64, but a token must have only one text.
  if (text.length !== 72 || text.includes('+') || text.includes('/')) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== bodyBytes + macBytes || bytes[37] !== key.id) return undefined;
  if (!code.holds(bytes)) return undefined;
  const flags = bytes[36]!;
  return {
    fp: bytes.toString('hex', 0, 16),
    zone: bytes.readUInt32BE(16),
    index: bytes.readUInt16BE(20),
    generation: bytes.readUInt16BE(22),
    pin: bytes.readUInt16BE(24),
    soft: (flags & softBit) !== 0,
    mapVersion: bytes.readUInt32BE(26),
    epoch: bytes.readUInt16BE(30),
    issuedAtS: bytes.readUInt32BE(32),
    confirmed: (flags & confirmedBit) !== 0,
    covered: (flags & coveredBit) !== 0,
  };
}
