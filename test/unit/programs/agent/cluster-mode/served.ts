import { createServer, type IncomingHttpHeaders, type RequestListener, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/** A timer of a test, which is the machine's. */
export const after = (waitMs: number, then: () => void): (() => void) => {
  const timer = setTimeout(then, waitMs);
  return () => clearTimeout(timer);
};

/** A server of a test on loopback, and what it heard. */
export async function served(listener: RequestListener): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The whole answer to a request whose body goes out in parts. Headers go out as they are given. */
export function answered(
  url: string,
  {
    method = 'GET',
    headers = {},
    parts = [],
  }: { method?: string; headers?: Record<string, string>; parts?: readonly (string | Buffer)[] } = {},
): Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, async (got) => {
      try {
        resolve({ status: got.statusCode ?? 0, headers: got.headers, body: Buffer.concat(await got.toArray()).toString('latin1') });
      } catch (error) {
        reject(error);
      }
    });
    sent.once('error', reject);
    for (const part of parts) sent.write(part);
    sent.end();
  });
}

/** What comes back for a path that goes out as it is written. */
export const raw = async (port: number, path: string): Promise<string> => {
  const socket = connect(port, '127.0.0.1');
  socket.end(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  return Buffer.concat(await socket.toArray()).toString('latin1');
};
