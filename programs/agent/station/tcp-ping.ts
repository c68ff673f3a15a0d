import { connect } from 'node:net';
import type { World } from '../../../lib/machine/reactor.ts';
import type { Ping } from './rounds.ts';

/**
 * Asks whether a program answers at `host:port` in time. We connect, say that we have nothing to say, and wait until
 * the other side closes too. A kernel accepts connections for a program that is stopped or hangs, and keeps them; only
 * the program itself closes one. So does an agent of any version, and whatever else listens there. A connection that is
 * refused or reset is none: the host is there, but not what serves.
 */
export const tcpPing =
  ({ after }: Pick<World, 'after'>): Ping =>
  (address, limitMs) =>
    new Promise((resolve) => {
      const colon = address.lastIndexOf(':');
      const socket = connect({ host: address.slice(0, colon), port: Number(address.slice(colon + 1)) });
      // Not the socket's own time-out, which whatever the other side sends begins anew.
      const cancel = after(limitMs, () => end(false));
      const end = (heard: boolean) => {
        cancel();
        socket.destroy();
        resolve(heard);
      };
      socket.on('connect', () => socket.end());
      socket.on('end', () => end(true));
      socket.on('error', () => end(false));
      // Read and thrown away: a greeting comes before the close.
      socket.resume();
    });
