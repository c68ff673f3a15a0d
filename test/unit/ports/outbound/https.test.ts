import { createServer as createHttp, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcp, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { httpsOutbound, type Resolve } from '../../../../lib/ports/outbound/https.ts';

const running = new Set<Server>();
const sockets = new Set<{ destroy: () => unknown }>();
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  for (const server of running) await new Promise((done) => server.close(done));
  running.clear();
});

/** Listens on loopback; gives its port. */
async function listening(server: Server): Promise<number> {
  server.on('connection', (socket) => void sockets.add(socket));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  running.add(server);
  return (server.address() as AddressInfo).port;
}
const answering = (listener: RequestListener): Promise<number> => listening(createHttp(listener));
/** Answers every connection by these bytes, and leaves it open. */
const saying = (text: string): Promise<number> => listening(createTcp((socket) => void socket.on('error', () => undefined).write(text)));

const at = (port: number, host = '127.0.0.1') => ({
  url: `http://${host}:${port}/hook`,
  headers: { a: 'b' },
  body: '{"é":1}',
  timeoutMs: 300,
});
const outbound = httpsOutbound({ loopback: true });

describe('a call to a target', () => {
  it('posts the whole body with its headers, and gives the status', async () => {
    let heard: unknown;
    const port = await answering(async (request, response) => {
      const { method, url, headers } = request;
      heard = { method, url, a: headers['a'], body: Buffer.concat(await request.toArray()).toString() };
      response.writeHead(204).end();
    });
    expect(await outbound.post(at(port))).toEqual({ status: 204 });
    expect(heard).toEqual({ method: 'POST', url: '/hook', a: 'b', body: '{"é":1}' });
  });

  it('is given up when no answer comes in time', async () => {
    expect(await outbound.post(at(await answering(() => undefined)))).toEqual({ failed: 'no answer within 0.3 s' });
    expect(await outbound.post(at(await saying('HTTP/1.1 20')))).toEqual({ failed: 'no answer within 0.3 s' });
  });

  it('is over with the head of the answer, whatever its body does', async () => {
    const startedAt = performance.now();
    const lies = 'HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\nlittle';
    expect(await outbound.post(at(await saying(lies)))).toEqual({ status: 200 });
    let written = 0;
    const endless = await answering((_request, response) => {
      response.writeHead(500);
      const pour = (): void => {
        while (!response.destroyed && written < 1e9) {
          written += 65_536;
          if (!response.write(Buffer.alloc(65_536))) return void response.once('drain', pour);
        }
      };
      pour();
    });
    expect(await outbound.post(at(endless))).toEqual({ status: 500 });
    expect(written).toBeLessThan(50e6);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('follows no redirect', async () => {
    let visits = 0;
    const port = await answering((_request, response) => {
      visits += 1;
      response.writeHead(302, { location: `http://127.0.0.1:${(response.socket as unknown as AddressInfo).port}/other` }).end();
    });
    expect(await outbound.post(at(port))).toEqual({ status: 302 });
    expect(visits).toBe(1);
  });

  it('says in its own words why there is no answer', async () => {
    expect(await outbound.post(at(await saying('SECRET no http\r\n\r\n')))).toEqual({ failed: 'no answer: HPE_INVALID_CONSTANT' });
    const hangsUp = await listening(createTcp((socket) => void socket.destroy()));
    expect(await outbound.post(at(hangsUp))).toEqual({ failed: expect.stringMatching(/^no answer: (ECONNRESET|EPIPE)$/) });
    expect(await outbound.post(at(await saying(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`)))).toEqual({
      failed: 'no answer: HPE_HEADER_OVERFLOW',
    });
    expect(await outbound.post(at(1))).toEqual({ failed: 'no answer: ECONNREFUSED' });
  });
});

describe('a name', () => {
  const named = (resolve: Resolve, options = { loopback: true }) => httpsOutbound(options, resolve);

  it('is resolved once, and the connection goes to the address that was looked at', async () => {
    let visits = 0;
    const port = await answering((_request, response) => {
      visits += 1;
      response.end();
    });
    let asked = 0;
    const rebinding: Resolve = async () => {
      asked += 1;
      return asked === 1 ? ['127.0.0.1'] : ['169.254.169.254'];
    };
    expect(await named(rebinding).post(at(port, 'rebinding.test'))).toEqual({ status: 200 });
    expect({ asked, visits }).toEqual({ asked: 1, visits: 1 });
    expect(await named(rebinding).post(at(port, 'rebinding.test'))).toEqual({
      failed: '169.254.169.254 is not public: link-local, with cloud metadata',
    });
    expect(visits).toBe(1);
  });

  it('with one address that is not public is not called at all', async () => {
    let visits = 0;
    const port = await answering((_request, response) => {
      visits += 1;
      response.end();
    });
    const both = named(async () => ['1.1.1.1', '127.0.0.1'], { loopback: false });
    const url = `https://both.test:${port}/`;
    expect(await both.post({ ...at(port), url })).toEqual({ failed: '127.0.0.1 is not public: loopback' });
    expect(await both.refuses(url)).toBe('127.0.0.1 is not public: loopback');
    expect(visits).toBe(0);
  });

  it('that nobody resolves is a failure that may pass, and is no reason to refuse it', async () => {
    const away = named(async () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })), { loopback: false });
    expect(await away.post({ ...at(1), url: 'https://away.test/' })).toEqual({ failed: 'no answer: ENOTFOUND' });
    expect(await away.refuses('https://away.test/')).toBeUndefined();
  });

  it('that is being asked for is not asked for again, however many calls wait for it; the next one asks anew', async () => {
    const answers: ((addresses: string[]) => void)[] = [];
    const slow = named(() => new Promise((done) => void answers.push(done)), { loopback: false });
    const call = { ...at(1), url: 'https://slow.test/' };
    const both = [slow.post(call), slow.post(call)];
    expect(answers).toHaveLength(1);
    answers[0]!(['10.0.0.1']);
    expect(await Promise.all(both)).toEqual(Array(2).fill({ failed: '10.0.0.1 is not public: private' }));
    const later = slow.post(call);
    expect(answers).toHaveLength(2);
    answers[1]!(['10.0.0.2']);
    expect(await later).toEqual({ failed: '10.0.0.2 is not public: private' });
  });

  it('whose resolution hangs is given up in time', async () => {
    const hangs = named(() => new Promise(() => undefined), { loopback: false });
    expect(await hangs.post({ ...at(1), url: 'https://hangs.test/' })).toEqual({ failed: 'no answer within 0.3 s' });
  });
});
