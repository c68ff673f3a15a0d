import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';

/** A request of the JSON interface: a path after its root, with a query, and a body that is sent as JSON. */
export type JsonSent = {
  readonly verb?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

/** What was answered. `result` is undefined where there is none. */
export type JsonGot = {
  readonly status: number;
  readonly type: string | undefined;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly trailers: Readonly<Record<string, string | undefined>>;
  /** The session that a cookie gave; undefined for none, and for one that was taken away. */
  readonly session: string | undefined;
  result(): unknown;
};

/** Sends a request with the session of a person. A string is a body as it is. */
export const jsonTo = (url: string, session: string | undefined, { verb = 'GET', path, body, headers = {} }: JsonSent): Promise<JsonGot> =>
  new Promise((resolve, reject) => {
    const document = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    const cookie = session === undefined ? {} : { cookie: `other=1; pxt-session-cookie=${session}` };
    const options = { method: verb, headers: { ...cookie, 'content-type': 'application/json', ...headers } };
    const sent = request(`${url}/rhn/manager/api/${path}`, options, (response) => {
      response.toArray().then((parts) => {
        const bytes = Buffer.concat(parts as Buffer[]);
        const text = (response.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
        const cookies = (response.headers['set-cookie'] ?? []).map((one) => /^pxt-session-cookie=([^;]*); Max-Age=(\d+);/.exec(one));
        resolve({
          status: response.statusCode ?? 0,
          type: response.headers['content-type'],
          text,
          headers: response.headers,
          trailers: response.trailers,
          session: cookies.findLast((one) => Number(one?.[2]) > 0)?.[1],
          result: () => (JSON.parse(text) as { readonly result?: unknown }).result,
        });
      }, reject);
    });
    sent.on('error', reject);
    sent.end(document);
  });

/** The session of a person who signs in. Throws an error for one who cannot. */
export async function jsonSession(url: string, login = 'admin', password = 'secret'): Promise<string> {
  const { session, text } = await jsonTo(url, undefined, { verb: 'POST', path: 'auth/login', body: { login, password } });
  if (session === undefined) throw new Error(`no session: ${text}`);
  return session;
}
