/** A POST to an outside target, sent once. Only the status of its answer counts. */
export type Posting = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Name resolution, connection and the answer's head take this long together at the most, in ms. */
  readonly timeoutMs: number;
};

/** The status of the answer, or the reason why there is none. */
export type Posted = { readonly status: number } | { readonly failed: string };

/**
 * Calls to targets that operators configured. Nothing is ever sent to a private address: names are resolved here, every
 * address is checked, and the connection goes to one of those. Redirects are not followed, and the body of an answer is
 * not read.
 */
export interface Outbound {
  /** Sends once. Never throws for failures of the target or the network. */
  post(posting: Posting): Promise<Posted>;
  /**
   * Why nothing would be sent to a URL, as far as that is known now; undefined if it would be sent, and for a name that
   * does not resolve yet.
   */
  refuses(url: string): Promise<string | undefined>;
}
