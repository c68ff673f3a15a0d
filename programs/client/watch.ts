import { connect } from 'node:net';
import { WatchAddress } from '../../lib/core/ids.ts';
import { dayMs, secondMs } from '../../lib/core/time.ts';
import type { Watch } from './state.ts';

/** How long a node may take to accept a connection before the probe counts as a miss. */
const connectLimitMs = 5 * secondMs;

/**
 * The watch address in the header `muster-watch`, `host:port;every=seconds`; undefined when it cannot be parsed. The
 * interval is one from a second to a day, whatever the header says: no answer makes the daemon call more often, or
 * store a record that it cannot read again.
 */
export function parseWatch(text: string | null): Watch | undefined {
  const [address, ...parameters] = (text ?? '').split(';').map((part) => part.trim());
  const everyS = Number(parameters.find((parameter) => parameter.startsWith('every='))?.slice('every='.length));
  if (!WatchAddress.safeParse(address).success || !(everyS > 0)) return undefined;
  const colon = address!.lastIndexOf(':');
  const everyMs = Math.min(dayMs, Math.max(secondMs, Math.round(everyS * secondMs)));
  return { host: address!.slice(0, colon), port: Number(address!.slice(colon + 1)), everyMs };
}

/** Whether the address accepts a TCP connection, which is closed at once. */
export function isHeard({ host, port, everyMs }: Watch): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: Math.min(connectLimitMs, everyMs) });
    const settle = (heard: boolean) => {
      socket.destroy();
      resolve(heard);
    };
    socket.on('connect', () => settle(true));
    socket.on('timeout', () => settle(false));
    socket.on('error', () => settle(false));
  });
}
