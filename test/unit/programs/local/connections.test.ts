import { EventEmitter } from 'node:events';
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { EmbeddedEnv } from '../../../../lib/runtime/env.ts';
import { limitConnections, limits } from '../../../../programs/local/connections.ts';
import { listeningFrom, onLoopback } from '../../../../programs/local/listening.ts';

/** A connection of which only its source matters. */
class FakeSocket extends EventEmitter {
  readonly remoteAddress: string;
  isCut = false;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  destroy(): void {
    this.isCut = true;
  }
}

/** Opens connections from these addresses, and says which of them were cut off. */
function opening(addresses: readonly string[], listening = onLoopback) {
  const server = limitConnections(createServer(limits), listening, 2);
  const open = (address: string): FakeSocket => {
    const socket = new FakeSocket(address);
    server.emit('connection', socket);
    return socket;
  };
  return { sockets: addresses.map(open), open };
}

describe('connections', () => {
  it('from one address are so many at a time, and another one’s are not counted with them', () => {
    const { sockets, open } = opening(['192.0.2.1', '192.0.2.2', '192.0.2.1', '::ffff:192.0.2.1', '192.0.2.2']);

    expect(sockets.map(({ isCut }) => isCut)).toEqual([false, false, false, true, false]);
    sockets[0]!.emit('close');
    expect([open('192.0.2.1').isCut, open('192.0.2.1').isCut]).toEqual([false, true]);
  });

  it('of this machine and of a trusted proxy are not counted', () => {
    const behind = listeningFrom(EmbeddedEnv.parse({ MUSTER_TRUST_PROXY: '10.0.0.0/8', MUSTER_NAMES: 'a.test' }));
    const from = (address: string) => opening(Array(5).fill(address), behind).sockets.filter(({ isCut }) => isCut).length;

    expect([from('127.0.0.1'), from('::1'), from('::ffff:10.1.2.3'), from('11.1.2.3')]).toEqual([0, 0, 0, 3]);
  });

  it('that bring no head, or no end of a call, are closed in time', () => {
    const { headersTimeout, requestTimeout, keepAliveTimeout } = createServer(limits);

    expect([headersTimeout, requestTimeout, keepAliveTimeout]).toEqual([10_000, 30_000, 65_000]);
  });
});
