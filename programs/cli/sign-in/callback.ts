import { createServer, type Server, type ServerResponse } from 'node:http';
import { redirectAt, signInPorts } from '../../../lib/api/sign-in.ts';
import { exitCodes, Failure } from '../exit-codes.ts';

/** The address to which a browser comes back after a sign-in. */
export type Callback = {
  readonly redirectUri: string;
  /**
   * The whole address with which the browser came back. A request with another `state` is refused.
   */
  readonly came: (state: string) => Promise<URL>;
  readonly close: () => void;
};

/**
 * Listens on loopback at a port, or at the first that is free of those that providers know. Throws a {@link Failure}
 * when none is.
 */
export async function callbackAt(port?: number): Promise<Callback> {
  const ports = port === undefined ? signInPorts : [port];
  for (const at of ports) {
    const server = createServer();
    if (await listens(server, at)) return callbackOf(server);
  }
  throw new Failure(
    exitCodes.tryAgain,
    `the sign-in needs a free port of this machine: ${ports.join(' or ')}`,
    'Finish the other sign-in, or give a port that the provider knows with --port',
  );
}

const listens = (server: Server, port: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error)));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });

function callbackOf(server: Server): Callback {
  const redirectUri = redirectAt((server.address() as { port: number }).port);
  return {
    redirectUri,
    came: (state) =>
      new Promise((resolve) => {
        server.on('request', (request, response) => {
          const came = URL.parse(request.url ?? '', redirectUri);
          const isIt = came?.pathname === new URL(redirectUri).pathname && came.searchParams.get('state') === state;
          if (request.method !== 'GET' || !isIt) return answer(response, 404, 'There is nothing here.');
          answer(response, 200, 'You can close this page. The sign-in continues in the terminal.');
          resolve(came);
        });
      }),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * Answers with one sentence of ours and nothing of the caller's, so that a caller cannot make the page show anything
 * else.
 */
function answer(response: ServerResponse, status: number, sentence: string): void {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  };
  response.writeHead(status, headers).end(`<!doctype html><title>Muster</title><p>${sentence}</p>\n`);
}
