import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { answerBytesMax, apiClient, type Fetching, Unreachable } from '../../../../lib/api/client.ts';
import { contract } from '../../../../lib/contract.ts';
import { overSockets, type Sockets } from '../../../../programs/loadtest/sockets.ts';

let server: Server | undefined;
let sockets: Sockets | undefined;
afterEach(() => {
  sockets?.close();
  server?.close();
  server?.closeAllConnections();
});

type Heard = { readonly method: string; readonly headers: NodeJS.Dict<string | string[]>; readonly body: string };

/** A server that answers as told, and what it heard; `connectionsMax` is how many connections are opened to it. */
async function answering(answer: (response: ServerResponse, heard: Heard) => void, connectionsMax = 2) {
  const heard: Heard[] = [];
  let connections = 0;
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      heard.push({ method: request.method!, headers: request.headers, body: Buffer.concat(chunks).toString() });
      answer(response, heard.at(-1)!);
    });
  });
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  sockets = overSockets(connectionsMax);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, heard, fetching: sockets.fetching, connections: () => connections };
}
const call = (signal = new AbortController().signal): Parameters<Fetching>[1] => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"ü":1}',
  signal,
  redirect: 'manual',
});

describe('calls over connections that are kept open', () => {
  it('are sent as they are, and have the status, headers and text of their answer', async () => {
    const { url, heard, fetching } = await answering((response) => {
      response.writeHead(202, { 'muster-next': '7', 'content-type': 'text/plain' }).end('ä');
    });

    const answer = await fetching(`${url}/system/knock`, call());

    expect([answer.ok, answer.status, answer.headers.get('muster-next'), await answer.text()]).toEqual([true, 202, '7', 'ä']);
    expect(heard).toMatchObject([
      { method: 'POST', headers: { 'content-type': 'application/json', 'content-length': '8' }, body: '{"ü":1}' },
    ]);
  });

  it('follow no redirect', async () => {
    const { url, heard, fetching } = await answering((response) => response.writeHead(307, { location: '/elsewhere' }).end());
    const { ok, status } = await fetching(url, call());
    expect([ok, status, heard.length]).toEqual([false, 307, 1]);
  });

  it('share as many connections as there may be', async () => {
    const { url, fetching, connections } = await answering((response) => response.end('1'), 3);
    await Promise.all(Array.from({ length: 30 }, () => fetching(url, call())));
    expect(connections()).toBe(3);
  });

  it('fail where no answer comes to its end: refused, given up, cut off, or longer than one of Muster', async () => {
    const { url, fetching } = await answering((response, { headers }) => {
      if (headers['x-cut']) response.writeHead(200, { 'content-length': '9' }).write('half', () => response.destroy());
      if (headers['x-long']) response.end(Buffer.alloc(answerBytesMax + 1));
    });
    const given = new AbortController();
    const hanging = fetching(url, call(given.signal));
    given.abort();
    await expect(hanging).rejects.toThrow();
    await expect(fetching(url, { ...call(), headers: { 'x-cut': '1' } })).rejects.toThrow();
    await expect(fetching(url, { ...call(), headers: { 'x-long': '1' } })).rejects.toThrow(/more than 16777216 bytes/);
    await new Promise((resolve) => {
      server!.close(resolve);
      server!.closeAllConnections();
    });
    await expect(apiClient(url, { fetching })(contract.getSettings)).rejects.toThrow(Unreachable);
  });
});
