import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { isHeard, parseWatch } from '../../../../programs/client/watch.ts';

describe('the header muster-watch', () => {
  it.each([
    ['node1.acme.test:4505;every=30', { host: 'node1.acme.test', port: 4505, everyMs: 30_000 }],
    ['127.0.0.1:80;every=1.5', { host: '127.0.0.1', port: 80, everyMs: 1_500 }],
    ['127.0.0.1:80;every=0.0001', { host: '127.0.0.1', port: 80, everyMs: 1_000 }],
    ['127.0.0.1:80;every=1e306', { host: '127.0.0.1', port: 80, everyMs: 86_400_000 }],
    ['127.0.0.1:80;every=Infinity', { host: '127.0.0.1', port: 80, everyMs: 86_400_000 }],
    ['node1.acme.test:4505; every=30; since=7', { host: 'node1.acme.test', port: 4505, everyMs: 30_000 }],
  ])('%s is understood', (text, watch) => {
    expect(parseWatch(text)).toEqual(watch);
  });

  it.each([[null], [''], ['node1.acme.test:4505'], ['node1.acme.test;every=30'], ['a:70000;every=3'], ['a:1;every=0'], ['a:1;every=soon']])(
    '%s tells nothing to watch',
    (text) => {
      expect(parseWatch(text)).toBeUndefined();
    },
  );
});

describe('a look at the node', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());
  const listening = (): Promise<number> =>
    new Promise((resolve) => {
      server = createServer().listen(0, '127.0.0.1', () => resolve((server!.address() as { port: number }).port));
    });

  it('hears one that accepts a connection, and not one that does not', async () => {
    const port = await listening();
    expect(await isHeard({ host: '127.0.0.1', port, everyMs: 1_000 })).toBe(true);

    await new Promise((resolve) => server!.close(resolve));
    expect(await isHeard({ host: '127.0.0.1', port, everyMs: 1_000 })).toBe(false);
  });

  it('does not hear a name that nobody has', async () => {
    expect(await isHeard({ host: 'nowhere.invalid', port: 4505, everyMs: 1_000 })).toBe(false);
  });
});
