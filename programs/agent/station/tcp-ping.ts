import { connect } from 'node:net';
import type { World } from '../../../lib/machine/reactor.ts';
import type { Ping } from './rounds.ts';

/**
 * Checks whether a program answers at `host:port` in time. It connects, closes its own side, and waits until the other
 * side closes too. A kernel accepts and keeps connections for a program that is stopped or hangs; only the program
 * itself closes one. Agents of every version do that, and so does other software that listens there. A refused or reset
 * connection counts as no answer: the host is up, but the program is not.
 */
export const tcpPing =
  ({ after }: Pick<World, 'after'>): Ping =>
  (address, limitMs) =>
    new Promise((resolve) => {
      const colon = address.lastIndexOf(':');
      const socket = connect({ host: address.slice(0, colon), port: Number(address.slice(colon + 1)) });
      // Not the socket's own time-out, which any data from the other side resets.
      const cancel = after(limitMs, () => end(false));
      const end = (heard: boolean) => {
        cancel();
        socket.destroy();
        resolve(heard);
      };
      socket.on('connect', () => socket.end());
      socket.on('end', () => end(true));
      socket.on('error', () => end(false));
      // Reads and discards: a greeting may come before the close.
      socket.resume();
    });
