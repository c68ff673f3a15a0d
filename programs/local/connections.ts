import type { Server } from 'node:http';
import { sourceOf } from '../../lib/core/address.ts';
import { isIn, isLoopback, type Listening, plainAddress } from './listening.ts';

/** How a server of node:http treats connections; times in ms, sizes in bytes. */
export const limits = {
  /** An honest caller sends its head in one piece; ten seconds suffice for a slow line, and stop a slow attacker. */
  headersTimeout: 10_000,
  /** The whole call, its 64 KiB of body included: 20 kbit/s are enough. */
  requestTimeout: 30_000,
  /** How soon overdue connections are closed. */
  connectionsCheckingInterval: 5_000,
  /**
   * A time longer than a daemon's usual pause would hold thousands of idle connections; a shorter one makes a busy
   * caller reconnect for nothing.
   */
  keepAliveTimeout: 65_000,
  /** The limit of API Gateway, so that calls that work here work there; a larger head is answered with 431. */
  maxHeaderSize: 10_240,
} as const;

/** Connections at a time: each costs some 10 KiB, so that all of them take only part of a small machine's memory. */
const connectionsMax = 16_384;
/**
 * Connections at a time from one address: a site of ten thousand machines behind one address that ask every 300 s and
 * are kept alive for 65 s holds about two thousand.
 */
const connectionsMaxPerSource = 2_500;

/**
 * Cuts off connections beyond the number that a whole site opens. Those of this machine, and of a trusted proxy, are
 * not counted by source.
 */
export function limitConnections(server: Server, { proxies }: Pick<Listening, 'proxies'>, perSourceMax = connectionsMaxPerSource): Server {
  const open = new Map<string, number>();
  server.maxConnections = connectionsMax;
  server.on('connection', (socket) => {
    const address = plainAddress(socket.remoteAddress);
    if (isLoopback(address) || (proxies && isIn(proxies, address))) return;
    const source = sourceOf(address);
    const now = (open.get(source) ?? 0) + 1;
    if (now > perSourceMax) {
      socket.destroy();
      return;
    }
    open.set(source, now);
    socket.once('close', () => {
      const left = open.get(source)! - 1;
      if (left === 0) open.delete(source);
      else open.set(source, left);
    });
  });
  return server;
}
