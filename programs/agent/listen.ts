import { createServer, isIP, type Socket } from 'node:net';

/** Where to listen so that client systems can check that the node is alive. */
export type ListenAt = { readonly host: string | undefined; readonly port: number };

/**
 * The address to bind to for a watch address `host:port`. A name may resolve to loopback on its own host, so a name
 * binds every interface. It binds loopback only where Muster itself is reached over loopback, because no other machine
 * calls then.
 */
export function listenAt(watch: string, endpoint: string): ListenAt {
  const colon = watch.lastIndexOf(':');
  const host = watch.slice(0, colon);
  return { host: isIP(host) ? host : isLocal(endpoint) ? '127.0.0.1' : undefined, port: Number(watch.slice(colon + 1)) };
}

/**
 * The watch address when none is given: Salt's publisher port under the node's name, or on loopback when Muster is on
 * this machine.
 */
export const defaultWatch = (fqdn: string, endpoint: string): string => `${isLocal(endpoint) ? '127.0.0.1' : fqdn}:4505`;

const isLocal = (endpoint: string): boolean => /^(127\.|localhost$|\[?::1\]?$)/.test(new URL(endpoint).hostname);

/**
 * Accepts connections on the watch port while the node's own software does not, sends nothing on them, and closes each
 * that the other side closes. A port in use is fine: client systems then watch that software. Gives a function that
 * stops; `say` gets one line when the agent does not listen itself.
 */
export function listenForWatch(at: ListenAt, say: (line: string) => void): () => void {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    // Reads and discards, so that the agent notices and answers when the other side closes. Stations use that to tell a
    // living agent from one that hangs.
    socket.resume();
  });
  server.on('error', (error: NodeJS.ErrnoException) => {
    const where = `${at.host ?? '*'}:${at.port}`;
    say(
      error.code === 'EADDRINUSE'
        ? `another program listens on the watch port ${where}: client systems watch that program`
        : `cannot listen on the watch port ${where} (${error.code}): the software of this node must listen there`,
    );
  });
  server.listen({ port: at.port, ...(at.host !== undefined && { host: at.host }) });
  return () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
}
