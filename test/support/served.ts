import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { World } from '../../tools/support/stepped.ts';

/** A world that answers over HTTP on a free port of this machine, to programs that call nothing else. */
export async function served(world: World): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const answer = async (request: IncomingMessage) => {
    const text = (await request.setEncoding('utf8').toArray()).join('');
    const body = text === '' ? undefined : JSON.parse(text);
    return world.call(request.method ?? 'GET', request.url ?? '/', body);
  };
  const server = createServer((request, response) => {
    void answer(request).then(({ status, headers, body }) =>
      response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
