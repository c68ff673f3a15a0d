/** What a door answers. */
export type Reply = { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };

/** The header that names a call in its answer: the `instance` of its problem, and its id in the log. */
export const requestIdHeader = 'x-request-id';

/**
 * A reply as it is sent to the call of this id, with the headers that none goes without: nobody guesses at its type,
 * nobody keeps it, or only to ask again by its ETag, and its call has a name.
 */
export function sentReply({ status, headers = {}, body = '' }: Reply, id: string): Required<Reply> {
  const caching = headers['etag'] === undefined ? 'no-store' : 'private, no-cache';
  const always = { 'x-content-type-options': 'nosniff', 'cache-control': caching, [requestIdHeader]: id };
  return { status, headers: { ...always, ...headers }, body: status === 204 || status === 304 ? '' : body };
}
