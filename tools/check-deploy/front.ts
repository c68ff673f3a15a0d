import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Emulator } from './emulator.ts';

/** An address of a deployment at which browsers find the page. */
export type Front = { readonly url: string; readonly stop: () => void };

/**
 * Listens on the loopback, with the emulator's certificate, and hands every call on to the API. The page calls paths of
 * its own address, such as `/api/v1/status`; the emulator's addresses begin with the id of the API and its stage.
 */
export async function startFront(base: string, { certificate, key }: Emulator['tls']): Promise<Front> {
  const server = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (asked, answer) => handOn(base, asked, answer));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function handOn(base: string, asked: IncomingMessage, answer: ServerResponse): void {
  const { method = 'GET', url = '/', headers } = asked;
  // A connection each: the emulator closes those that rest, and a call could be on its way by one of them.
  const sent = request(base + url, { method, headers, agent: false }, (got) => {
    answer.writeHead(got.statusCode ?? 502, got.headers);
    got.pipe(answer);
  });
  sent.once('error', (error) => void answer.destroy(error));
  // A browser that goes away waits for no answer.
  answer.once('close', () => void (answer.writableFinished || sent.destroy()));
  asked.pipe(sent);
}
