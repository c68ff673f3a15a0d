import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import { gunzipSync } from 'node:zlib';

/** An answer, whole and decoded. */
export type Asked = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string };

/** Sends a request to a server of this machine, whose certificate nobody has to know. Redirects are not followed. */
export function ask(
  url: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: OutgoingHttpHeaders; body?: string | Buffer } = {},
): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const call = url.startsWith('https:') ? overHttps : overHttp;
    const sent = call(url, { method, headers, agent: false, rejectUnauthorized: false, timeout: 20_000 }, async (got) => {
      const parts = await got.toArray().catch(reject);
      const bytes = Buffer.concat(parts ?? []);
      const whole = got.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
      resolve({ status: got.statusCode ?? 0, headers: got.headers, body: whole.toString('utf8') });
    });
    sent.once('timeout', () => sent.destroy(new Error(`${url} does not answer`)));
    sent.once('error', reject);
    sent.end(body);
  });
}
