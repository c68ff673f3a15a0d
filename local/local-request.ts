import type { IncomingMessage } from 'node:http';
import type { HttpRequest } from '../lib/runtime/function.ts';
import type { Shell } from '../lib/runtime/shell.ts';

/** A request target as path and query, as they were sent. */
export function targetOf(url: string): Pick<HttpRequest, 'path' | 'query'> {
  const mark = url.indexOf('?');
  return mark === -1 ? { path: url, query: '' } : { path: url.slice(0, mark), query: url.slice(mark + 1) };
}

/** What either lane has read of a call. */
type Incoming = Pick<IncomingMessage, 'method' | 'headers'>;

/** A call as a function sees it; its id is made only when somebody asks for it. */
export class LocalRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
  readonly source: string;
  readonly #incoming: Incoming;
  readonly #shell: Shell;
  #id: string | undefined;

  constructor(incoming: Incoming, { path, query, body, source }: Pick<HttpRequest, 'path' | 'query' | 'body' | 'source'>, shell: Shell) {
    this.#incoming = incoming;
    this.#shell = shell;
    this.method = incoming.method ?? 'GET';
    this.path = path;
    this.query = query;
    this.body = body;
    this.source = source;
  }

  get id(): string {
    this.#id ??= this.#shell.newId();
    return this.#id;
  }

  header = (name: string): string | undefined => {
    const value = this.#incoming.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
}
