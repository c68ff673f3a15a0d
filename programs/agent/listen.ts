import { createServer, isIP, type Socket } from 'node:net';

/** Where to listen so that client systems can tell that the node lives. */
export type ListenAt = { readonly host: string | undefined; readonly port: number };

/**
 * The address to bind to for a watch address `host:port`. A name may resolve to loopback on its own host, so every
 * interface is bound for it; unless Muster itself is reached over loopback, where nobody else is meant to call.
 */
export function listenAt(watch: string, endpoint: string): ListenAt {
  const colon = watch.lastIndexOf(':');
  const host = watch.slice(0, colon);
  return { host: isIP(host) ? host : isLocal(endpoint) ? '127.0.0.1' : undefined, port: Number(watch.slice(colon + 1)) };
}

/**
 * What is watched when nobody says: Salt's publisher port under the node's name, or on loopback when everybody is on
 * this machine.
 */
export const defaultWatch = (fqdn: string, endpoint: string): string => `${isLocal(endpoint) ? '127.0.0.1' : fqdn}:4505`;

const isLocal = (endpoint: string): boolean => /^(127\.|localhost$|\[?::1\]?$)/.test(new URL(endpoint).hostname);

/**
 * Accepts connections on the watch port while the node's own software does not, says nothing on them, and closes each
 * that the other side closes. A port in use is fine: then it is that software which is watched. Gives how to stop;
 * `say` gets one line when it does not listen itself.
 */
export function listenForWatch(at: ListenAt, say: (line: string) => void): () => void {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    // Read and thrown away, so that the other side's closing is noticed, and answered: by that stations tell an agent
    // that lives from one that hangs.
    socket.resume();
  });
  server.on('error', (error: NodeJS.ErrnoException) => {
    const where = `${at.host ?? '*'}:${at.port}`;
    say(
      error.code === 'EADDRINUSE'
        ? `something else listens on the watch port ${where}: it is what is watched`
        : `cannot listen on the watch port ${where} (${error.code}): what runs here must`,
    );
  });
  server.listen({ port: at.port, ...(at.host !== undefined && { host: at.host }) });
  return () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
}
