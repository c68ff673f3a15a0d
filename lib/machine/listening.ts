import type { Server } from 'node:http';

/** A server that listens, and how it ends, with its connections. */
export type Listening = { readonly port: number; close(): Promise<void> };

/** Has a server listen at an address; port 0 is any. Rejects with an error of the network where that cannot be. */
export async function listening(server: Server, { port, bind }: { readonly port: number; readonly bind: string }): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, bind, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
