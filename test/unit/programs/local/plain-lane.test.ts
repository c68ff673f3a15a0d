import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { EmbeddedEnv } from '../../../../lib/runtime/env.ts';
import type { HttpRequest, MusterFunction } from '../../../../lib/runtime/function.ts';
import type { Reply } from '../../../../lib/runtime/reply.ts';
import { type HttpServer, httpServer } from '../../../../programs/local/http.ts';
import { type Listening, listeningFrom, onLoopback } from '../../../../programs/local/listening.ts';
import { aShell } from '../../../../tools/support/a-shell.ts';
import { aCertificate, canMakeCertificates } from '../../../support/certificate.ts';

const fp = 'ab'.repeat(32);
const target = `/system/status?fp=${fp}`;

/** A door that says what it was asked: at once, or later where the token says so. */
function handle({ method, path, query, header, source, body }: HttpRequest): Reply | Promise<Reply> {
  const asked = [method, path, query, header('muster-token'), header('muster-lost'), source, body];
  const reply = { status: 200, headers: { 'content-type': 'text/plain', 'muster-next': '5' }, body: JSON.stringify(asked) };
  switch (header('muster-token')) {
    case 'later':
      return sleep(1, reply);
    case 'fails':
      return Promise.reject(new Error('the door is broken'));
    case 'nothing':
      return { status: 204, headers: { 'retry-after': '7' } };
    case 'umlaut':
      return sleep(1, { status: 404, body: 'nichts für dich' });
    default:
      return reply;
  }
}

let running: HttpServer | undefined;
afterEach(async () => {
  await running?.close();
  running = undefined;
});

/** A server whose only door is the one above; how many calls node:http has seen, and the connections. */
async function aServer(listening: Listening = onLoopback) {
  const door: MusterFunction = { on: 'route', handle };
  running = httpServer(new Map([['knock', door]]), { ...aShell(), newId: () => 'this-call' }, [], listening);
  const { server } = running;
  const seen = { usual: 0, sockets: [] as Socket[] };
  server.on('request', () => {
    seen.usual += 1;
  });
  server.on('connection', (socket) => void seen.sockets.push(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { seen, port: (server.address() as AddressInfo).port };
}

/** The text of a call, as a program writes it. */
const call = (lines: readonly string[] = [], { first = `GET ${target} HTTP/1.1`, body = '' } = {}): string =>
  `${[first, 'host: localhost', ...lines].join('\r\n')}\r\n\r\n${body}`;

async function opened(port: number): Promise<{ socket: Socket; said: () => string }> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }).setEncoding('utf8');
  let said = '';
  socket.on('data', (text: string) => {
    said += text;
  });
  await once(socket, 'connect');
  return { socket, said: () => said };
}

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await sleep(1);
};

/** A call that ends a connection once all before it are answered. */
const bye = call(['connection: close']);

/** All that is answered to these pieces, the first of them sent once an opening call is answered; without dates. */
async function answersTo(port: number, pieces: readonly string[], opening = ''): Promise<string> {
  const { socket, said } = await opened(port);
  // Whoever is told to go away in the middle of its sending is cut off.
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  socket.write(opening);
  await until(() => opening === '' || said() !== '');
  const before = said().length;
  for (const piece of pieces) {
    socket.write(piece, 'latin1');
    if (pieces.length > 1) await sleep(2);
  }
  if (!pieces.at(-1)!.endsWith(bye)) socket.end();
  await closed;
  return said()
    .slice(before)
    .replaceAll(/^date: .*\r\n/gim, '');
}

/** What node:http alone answers: a connection whose first call is not plain is its own. */
const usualAnswersTo = (port: number, pieces: readonly string[]): Promise<string> => answersTo(port, pieces, call(['x-not-plain: 1']));

const plain = [
  call(),
  call(['muster-token: abc', 'muster-lost: 12']),
  call(['Muster-Token:abc', 'User-Agent: a b', 'ACCEPT: */*', 'connection: keep-alive']),
  call([], { first: `GET /system/status?fp=${'ab%3A'.repeat(31)}ab&fp=%00 HTTP/1.1` }),
  call([], { first: 'GET /system/status HTTP/1.1' }),
  call(['muster-token: later']),
  call(['muster-token: umlaut']),
  call(['muster-token: nothing']),
  call(['muster-token: fails']),
];
const other = [
  call(['x-not-plain: 1']),
  call([], { first: `HEAD ${target} HTTP/1.1` }),
  call([], { first: `GET http://localhost${target} HTTP/1.1` }),
  call([], { first: `GET //localhost${target} HTTP/1.1` }),
  call([], { first: `GET ${target}#part HTTP/1.1` }),
  call([], { first: 'GET /System/Status HTTP/1.1' }),
  call([], { first: 'GET /system/%73tatus HTTP/1.1' }),
  call([], { first: 'GET /system/status/../status HTTP/1.1' }),
  call([], { first: 'GET /nothing HTTP/1.1' }),
  call([], { first: 'OPTIONS * HTTP/1.1' }),
  call(['content-length: 3'], { body: 'abc' }),
  call(['content-length: 0']),
  call(['transfer-encoding: chunked'], { body: '3\r\nabc\r\n0\r\n\r\n' }),
  call(['content-length: 2', 'content-type: application/json'], { first: `POST ${target} HTTP/1.1`, body: '{}' }),
  call(['muster-token: a', 'muster-token: b']),
  call(['host: evil.test']),
  call(['origin: https://evil.test']),
  call(['muster-token:']),
  call(['muster-token: \t a \t ']),
  call(['muster-token: \xe4\xf6']),
  call(['expect: 100-continue']),
  call(['keep-alive: timeout=5']),
  call(['te: trailers']),
  call(Array.from({ length: 40 }, (_, n) => `x-${n}: ${'v'.repeat(100)}`)),
  call([`muster-token: ${'v'.repeat(5_000)}`]),
  `GET ${target} HTTP/1.1\r\nhost: evil.test\r\n\r\n`,
];
/** Whatever follows these is cut off, or is no call. */
const last = [
  ...[
    'connection: close',
    'connection: upgrade',
    'connection: Keep-Alive, close',
    'transfer-encoding: nonsense',
    'a b: c',
    ': c',
    ' folded',
  ].map((line) => call([line])),
  call(['muster-token: a\r\n b']),
  call(['muster-token: a\nmuster-lost: 1']),
  call(['muster-token: a\x01b']),
  call(['content-length: 1', 'content-length: 2'], { body: 'ab' }),
  call(['content-length: 1', 'transfer-encoding: chunked'], { body: '0\r\n\r\n' }),
  call([`muster-token: ${'v'.repeat(11_000)}`]),
  call(['upgrade: h2c', 'connection: upgrade']),
  ...['HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'http/1.1', '', ' HTTP/1.1 '].map((version) => call([], { first: `GET ${target} ${version}` })),
  call([], { first: `GET  ${target} HTTP/1.1` }),
  call([], { first: `GET ${target} b HTTP/1.1` }),
  call([], { first: 'PRI * HTTP/2.0' }),
  call([], { first: 'GET system/status HTTP/1.1' }),
  call().replaceAll('\r\n', '\n'),
  call().replaceAll('\r\n', '\r'),
  `GET ${target} HTTP/1.1\r\n\r\n`,
  '\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01',
];

const named = (texts: readonly string[]) => texts.map((text) => [JSON.stringify(text).replace(target, '…').slice(0, 100), text] as const);

describe('a call for a status', () => {
  it.each(named(plain))('is answered as node:http would, which does not see it: %s', async (_, text) => {
    const { seen, port } = await aServer();

    const answered = await answersTo(port, [text + bye]);

    expect(seen.usual).toBe(1);
    expect(answered).toBe(await usualAnswersTo(port, [text + bye]));
    expect(answered.split('HTTP/1.1 ')).toHaveLength(3);
  });

  it.each(named([...other.map((text) => text + bye), ...last]))(
    'is answered by node:http when it is not plain, first or later: %s',
    async (_, text) => {
      const { port } = await aServer();

      const expected = await usualAnswersTo(port, [text]);

      expect(await answersTo(port, [text])).toBe(expected);
      expect(await answersTo(port, [text], call())).toBe(expected);
    },
  );

  it('is answered in its turn, however calls are cut into pieces and follow each other', async () => {
    const { port } = await aServer();
    const calls = fc.array(fc.constantFrom(...plain, ...plain, ...other), { minLength: 1, maxLength: 8 });
    const cuts = fc.array(fc.nat({ max: 3_000 }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(calls, cuts, async (texts, at) => {
        const whole = texts.join('') + bye;
        const places = [0, ...at.filter((place) => place < whole.length).toSorted((a, b) => a - b), whole.length];
        const pieces = places.slice(1).map((end, n) => whole.slice(places[n], end));
        expect(await answersTo(port, pieces)).toBe(await usualAnswersTo(port, [whole]));
      }),
      { numRuns: 60 },
    );
  });
});

describe.skipIf(!canMakeCertificates)('a call for a status over TLS (needs openssl)', () => {
  it('is answered in the same way, however long the connection is', async () => {
    const certificate = aCertificate(['DNS:localhost']);
    const { seen, port } = await aServer(
      listeningFrom(EmbeddedEnv.parse({ MUSTER_TLS_CERT: certificate.cert, MUSTER_TLS_KEY: certificate.key })),
    );
    const answers = async (first: string): Promise<string> => {
      const socket = connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca: certificate.pem }).setEncoding('utf8');
      let said = '';
      socket.on('data', (text: string) => {
        said += text;
      });
      socket.write(first);
      for (const text of [...plain, bye]) socket.write(text);
      await once(socket, 'close');
      return said.replaceAll(/^date: .*\r\n/gim, '');
    };

    const plainly = await answers(call());
    expect(seen.usual).toBe(1);
    expect(plainly).toBe(await answers(call(['x-not-plain: 1'])));
    expect(plainly.split('strict-transport-security: max-age=31536000')).toHaveLength(plain.length + 3);
    certificate.remove();
  });
});

describe('a connection for plain calls', () => {
  it('is closed when no call comes in time, and when it is idle for longer than callers were told', async () => {
    const { seen, port } = await aServer();
    const { socket, said } = await opened(port);
    await until(() => seen.sockets.length === 1);
    const [server] = seen.sockets;

    const first = server!.timeout;
    socket.write(call());
    await until(() => said() !== '');
    const then = server!.timeout;
    server!.emit('timeout');
    await once(socket, 'close');

    expect([first, then]).toEqual([10_000, 66_000]);
    expect(said()).toMatch(/timeout=65\r\n\r\n\[[^\n]*$/);
  });

  it('over which nothing comes is told so', async () => {
    const { seen, port } = await aServer();
    const { socket, said } = await opened(port);
    await until(() => seen.sockets.length === 1);

    seen.sockets[0]!.emit('timeout');
    await once(socket, 'close');

    expect(said()).toBe('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
  });

  it('has the time limits of node:http once it is handed over', async () => {
    const { seen, port } = await aServer();
    const { socket } = await opened(port);
    socket.write('GET ');
    await until(() => seen.sockets[0]?.timeout === 0);

    expect(seen.sockets[0]!.listeners('timeout').map(({ name }) => name)).toEqual(['socketOnTimeout']);
    socket.destroy();
  });

  it('is slowed down when its answers are not read, and none gets lost', async () => {
    const { seen, port } = await aServer();
    const { socket } = await opened(port);
    socket.pause();
    const calls = 20_000;

    socket.write(call().repeat(calls));
    await sleep(300);
    const held = seen.sockets[0]!.writableLength;
    let answers = 0;
    socket.on('data', (text) => {
      answers += String(text).split('HTTP/1.1 200').length - 1;
    });
    socket.resume().end();
    await once(socket, 'close');

    expect(held).toBeLessThan(1_000_000);
    expect(answers).toBeGreaterThan(calls * 0.999);
  });

  it('is closed with its server at once, when it is idle, and after its answer, when one is being made', async () => {
    const { port } = await aServer();
    const [idle, waiting] = [await opened(port), await opened(port)];
    idle.socket.write(call());
    await until(() => idle.said() !== '');
    waiting.socket.write(call(['muster-token: later']));
    await sleep(0);

    const from = performance.now();
    await running!.close();

    expect(performance.now() - from).toBeLessThan(2_000);
    await until(() => waiting.socket.closed && idle.socket.closed);
    expect(waiting.said()).toMatch(/^HTTP\/1\.1 200 /);
    running = undefined;
  });
});
