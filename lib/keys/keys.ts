/** A symmetric key that signs membership tokens and cursors; `id` travels in the token, so that two can be valid at a time. */
export type TokenKey = { readonly id: number; readonly secret: Uint8Array };

/** The deployment's signing keys: a file in the state folder, or Secrets Manager. */
export interface Keys {
  /** The key that signs now. */
  current(): Promise<TokenKey>;
  /** A key that still verifies, or undefined when it was never there or has been retired. */
  byId(id: number): Promise<TokenKey | undefined>;
}
