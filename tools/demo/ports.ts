import { createServer } from 'node:net';

/** So many ports that were free on loopback a moment ago, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve, reject) => {
          const server = createServer();
          server.once('error', reject);
          server.listen(0, '127.0.0.1', () => resolve(server));
        }),
    ),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** The first of so many ports in a row that are free on loopback just now, from this one on. */
export async function freeRange(from: number, count: number): Promise<number> {
  const free = await Promise.all(Array.from({ length: count }, (_, n) => isFree(from + n)));
  return free.every(Boolean) ? from : freeRange(from + count, count);
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
