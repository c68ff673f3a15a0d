import type { EpochMs } from '../../core/time.ts';

/**
 * A symmetric key that signs membership tokens and cursors; `id` travels in the token as one byte, so that two can be
 * valid at a time.
 */
export type TokenKey = { readonly id: number; readonly secret: Uint8Array };

/** What may be told of a key: its id, and since when it is there, when that is known. */
export type KeyAge = { readonly id: number; readonly since?: EpochMs };

/** A key that is to sign from now on: 32 random bytes, made at this moment, in the place of the key `from`. */
export type NextKey = { readonly from: number; readonly secret: Uint8Array; readonly at: EpochMs };

/** What a rotation came to: the key that signs from now on, and the one that verifies no more. */
export type Rotation = { readonly current: number; readonly retired?: number };

/**
 * Keys of the deployment: a file in the state folder, or Secrets Manager. Of those that sign tokens at most two are
 * valid, the newest and the one before; of those that seal the audit all stay valid.
 */
export interface Keys {
  /** The key that signs now. */
  current(): Promise<TokenKey>;
  /** A key that still verifies, or undefined when it was never there or has been retired. */
  byId(id: number): Promise<TokenKey | undefined>;
  /** The same as far as this environment knows without waiting; undefined says nothing. */
  known(id: number): TokenKey | undefined;
  /** The keys that are valid, as they are kept this moment: the newest first. */
  ages(): Promise<readonly KeyAge[]>;
  /**
   * Adds a key and retires all but it and the one before; undefined when the newest key is another than `from`, and
   * nothing was done.
   */
  rotate(next: NextKey): Promise<Rotation | undefined>;
}
