import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { defaultWatch, listenAt, listenForWatch } from '../../../../programs/agent/listen.ts';
import { isHeard } from '../../../../programs/client/watch.ts';

describe('where the agent listens', () => {
  it.each([
    ['192.0.2.7:4505', 'http://muster.acme.test', { host: '192.0.2.7', port: 4505 }],
    ['node1.acme.test:4505', 'http://muster.acme.test', { host: undefined, port: 4505 }],
    ['node1.acme.test:4505', 'http://127.0.0.1:8080', { host: '127.0.0.1', port: 4505 }],
    ['node1.acme.test:4505', 'http://localhost:8080', { host: '127.0.0.1', port: 4505 }],
  ])('for %s, with Muster at %s', (watch, endpoint, at) => {
    expect(listenAt(watch, endpoint)).toEqual(at);
  });

  it('is on this machine when everybody is', () => {
    expect(defaultWatch('node1.acme.test', 'http://127.0.0.1:8080')).toBe('127.0.0.1:4505');
    expect(defaultWatch('node1.acme.test', 'https://muster.acme.test')).toBe('node1.acme.test:4505');
  });
});

describe('the watch port', () => {
  const freePort = () =>
    new Promise<{ port: number; close: () => Promise<void> }>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () =>
        resolve({
          port: (server.address() as { port: number }).port,
          close: () => new Promise((closed) => server.close(() => closed())),
        }),
      );
    });

  it('is answered by the agent when nothing else does, until it stops', async () => {
    const { port, close } = await freePort();
    await close();
    const said: string[] = [];
    const stop = listenForWatch({ host: '127.0.0.1', port }, (line) => said.push(line));
    const watch = { host: '127.0.0.1', port, everyMs: 1_000 };

    expect(await isHeard(watch)).toBe(true);
    stop();
    expect(await isHeard(watch)).toBe(false);
    expect(said).toEqual([]);
  });

  it('is left to what listens there already, said once', async () => {
    const { port, close } = await freePort();
    const said = await new Promise<string>((resolve) => {
      const stop = listenForWatch({ host: '127.0.0.1', port }, (line) => {
        stop();
        resolve(line);
      });
    });
    expect(said).toBe(`another program listens on the watch port 127.0.0.1:${port}: client systems watch that program`);
    await close();
  });
});
