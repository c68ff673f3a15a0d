import { connect } from 'node:net';
import type { Ping } from './rounds.ts';

/** Whether something takes a connection at `host:port` in time. Nothing is said on it, and one that is refused is none: the host is there, but not what serves. */
export const tcpPing: Ping = (address, limitMs) =>
  new Promise((resolve) => {
    const colon = address.lastIndexOf(':');
    const socket = connect({ host: address.slice(0, colon), port: Number(address.slice(colon + 1)) });
    const end = (heard: boolean) => {
      socket.destroy();
      resolve(heard);
    };
    socket.setTimeout(limitMs, () => end(false));
    socket.on('connect', () => end(true));
    socket.on('error', () => end(false));
  });
