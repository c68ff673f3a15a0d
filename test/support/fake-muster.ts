import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A call as it arrived. */
export type Heard = { readonly call: string; readonly headers: IncomingHttpHeaders; readonly body: unknown; readonly text: string };
/** What a fake Muster answers to a call. */
export type Reply = { readonly status?: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> };
/** A Muster that answers by script and remembers what it was asked. */
export type FakeMuster = { readonly url: string; readonly heard: Heard[]; stop(): Promise<void> };

/** Starts a fake Muster on loopback; `answer` gives the reply to a call such as `POST /system/knock`. */
export async function aFakeMuster(answer: (heard: Heard) => Reply): Promise<FakeMuster> {
  const heard: Heard[] = [];
  const server: Server = createServer(async (request, response) => {
    const sent = await text(request);
    const said: unknown = sent === '' ? undefined : JSON.parse(sent);
    const one = { call: `${request.method} ${request.url}`, headers: request.headers, body: said, text: sent };
    heard.push(one);
    const { status = 200, body = '', headers = {} } = answer(one);
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** A refusal as Muster gives it. */
export const problem = (type: string, status: number, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/problem+json', ...headers },
  body: JSON.stringify({ type: `urn:muster:problem:${type}`, title: type, status, detail: `it is ${type}`, instance: 'call-1' }),
});
