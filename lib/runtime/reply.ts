/** The answer of an endpoint: its body is text, or `bytes`. */
export type Reply = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly bytes?: Uint8Array;
  /** Each is a `set-cookie` of its own. */
  readonly cookies?: readonly string[];
  /** It may be sent encoded: it holds no secret, whose length would show beside what a caller chose. */
  readonly mayBeEncoded?: boolean;
};

/** An answer as it is sent. */
export type Sent = Required<Pick<Reply, 'status' | 'headers' | 'cookies' | 'mayBeEncoded'>> & { readonly body: string | Uint8Array };

/** The header that names a call in its answer: the `instance` of its problem, and its id in the log. */
export const requestIdHeader = 'x-request-id';

/**
 * A reply as it is sent to the call of this id, with the headers of every reply: against guessing its type, against
 * caching it, except for revalidation by its ETag, and with the id of the call.
 */
export function sentReply({ status, headers = {}, cookies = [], mayBeEncoded = false, body = '', bytes }: Reply, id: string): Sent {
  const caching = headers['etag'] === undefined ? 'no-store' : 'private, no-cache';
  const always = { 'x-content-type-options': 'nosniff', 'cache-control': caching, [requestIdHeader]: id };
  return {
    status,
    headers: { ...always, ...headers },
    cookies,
    mayBeEncoded,
    body: status === 204 || status === 304 ? '' : (bytes ?? body),
  };
}
