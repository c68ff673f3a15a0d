/** What is sent to somebody outside, once: a POST whose answer counts by its status alone. */
export type Posting = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Name resolution, connection and the answer's head take this long together at the most, in ms. */
  readonly timeoutMs: number;
};

/** The status that was answered; or in words why there is none. */
export type Posted = { readonly status: number } | { readonly failed: string };

/**
 * Calls to targets that people outside name. Nothing is ever sent to a private address: names are resolved here, every
 * address is looked at, and the connection goes to one of those. Redirects are not followed, and what is answered is
 * not read.
 */
export interface Outbound {
  /** Sends once. Never throws for what the target or the network does. */
  post(posting: Posting): Promise<Posted>;
  /**
   * Why nothing would be sent to a URL, as far as that is known now; undefined when something would, also for a name
   * that nobody resolves yet.
   */
  refuses(url: string): Promise<string | undefined>;
}
