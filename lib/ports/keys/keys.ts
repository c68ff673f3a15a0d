import type { EpochMs } from '../../core/time.ts';

/**
 * A symmetric key that signs membership tokens and cursors; `id` travels in the token as one byte, so that two can be
 * valid at a time.
 */
export type TokenKey = { readonly id: number; readonly secret: Uint8Array };

/** The public facts about a key: its id, and when it was made, if known. */
export type KeyAge = { readonly id: number; readonly since?: EpochMs };

/** A new signing key: 32 random bytes, made at this moment, which replaces the key `from`. */
export type NextKey = { readonly from: number; readonly secret: Uint8Array; readonly at: EpochMs };

/** The result of a rotation: the key that signs from now on, and the one that no longer verifies. */
export type Rotation = { readonly current: number; readonly retired?: number };

/**
 * Keys of the deployment: a file in the state folder, or Secrets Manager. Of the keys that sign tokens at most two are
 * valid, the newest and the one before; all keys that seal the audit stay valid.
 */
export interface Keys {
  /** The key that signs now. */
  current(): Promise<TokenKey>;
  /** A key that still verifies, or undefined if it never existed or was retired. */
  byId(id: number): Promise<TokenKey | undefined>;
  /** The same, from the cache of this environment, without waiting; undefined means unknown. */
  known(id: number): TokenKey | undefined;
  /** The valid keys as stored at this moment, the newest first. */
  ages(): Promise<readonly KeyAge[]>;
  /**
   * Adds a key and retires all but it and the one before; undefined, without a change, if the newest key is another
   * than `from`.
   */
  rotate(next: NextKey): Promise<Rotation | undefined>;
}
