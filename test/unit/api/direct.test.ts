import { describe, expect, it } from 'vitest';
import type { Fetching } from '../../../lib/api/client.ts';
import { directHeader, directly } from '../../../lib/api/direct.ts';
import { clientRoutes } from '../../../lib/clients/routes.ts';
import { mayBeNamed } from '../../../lib/machine/endpoint.ts';

const endpoint = 'https://muster.acme.org';
const direct = 'https://abc123.lambda-url.eu-central-1.on.aws';
const status = `${endpoint}/system/status?fp=ab`;
const never = new AbortController().signal;
type Answers = Readonly<Record<string, (init: Parameters<Fetching>[1]) => Response | Promise<Response>>>;

/** A machine whose calls go to these hosts; what it called, and what it said. */
function aMachine(answers: Answers, mayCall = mayBeNamed(endpoint)) {
  const called: string[] = [];
  const said: string[] = [];
  const clock = { now: 0 };
  const fetching: Fetching = async (url, init) => {
    called.push(`${init.method} ${url}`);
    const answer = answers[new URL(url).origin];
    if (!answer) throw new TypeError('fetch failed', { cause: new Error('ENOTFOUND') });
    return answer(init);
  };
  const call = directly({
    route: clientRoutes.systemStatus,
    mayCall,
    now: () => clock.now,
    after: (ms) => AbortSignal.timeout(ms),
    say: (line) => said.push(line),
    fetching,
  });
  const ask = async (url = status, method = 'GET', signal = never) => {
    const answer = await call(url, { method, headers: { 'muster-token': 't' }, signal, redirect: 'manual' });
    return { status: answer.status, text: await answer.text() };
  };
  return { called, said, clock, ask };
}

const naming =
  (address: string | undefined, body = '1', answered = 200) =>
  () =>
    new Response(body, { status: answered, headers: address === undefined ? {} : { [directHeader]: address } });

describe('a call that a deployment has another address for', () => {
  it('goes there once the deployment has named it, with all that it had; any other goes the usual way', async () => {
    const seen: unknown[] = [];
    const machine = aMachine({
      [endpoint]: naming(`${direct}/`),
      [direct]: ({ headers }) => {
        seen.push(headers);
        return new Response('2');
      },
    });
    expect([await machine.ask(), await machine.ask()]).toEqual([
      { status: 200, text: '1' },
      { status: 200, text: '2' },
    ]);
    await machine.ask(`${endpoint}/system/orphan?fp=ab`);
    await machine.ask(`${endpoint}/system/status/more`);
    await machine.ask(`${endpoint}/system/knock`, 'POST');
    expect(machine.called).toEqual([
      `GET ${status}`,
      `GET ${direct}/system/status?fp=ab`,
      `GET ${endpoint}/system/orphan?fp=ab`,
      `GET ${endpoint}/system/status/more`,
      `POST ${endpoint}/system/knock`,
    ]);
    expect(seen).toEqual([{ 'muster-token': 't' }]);
  });

  it('goes the usual way as soon as the deployment names none any more', async () => {
    let named: string | undefined = direct;
    const machine = aMachine({ [endpoint]: () => naming(named)(), [direct]: () => new Response('1') });
    await machine.ask();
    named = undefined;
    await machine.ask(`${endpoint}/system/orphan?fp=ab`);
    await machine.ask();
    expect(machine.called.at(-1)).toBe(`GET ${status}`);
  });

  it.each<[string, (init: Parameters<Fetching>[1]) => Response | Promise<Response>]>([
    ['is not there', () => Promise.reject(new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') }))],
    ['is throttled', () => Response.json({ Reason: 'ConcurrentInvocationLimitExceeded' }, { status: 429 })],
    ['was closed', () => Response.json({ Message: 'Forbidden' }, { status: 403 })],
    ['has failed', () => new Response('Internal Server Error', { status: 502 })],
    ['is cut off after its head', () => new Response(new ReadableStream({ pull: (body) => body.error(new Error('reset')) }))],
  ])('is made the usual way, at once and for ten minutes, where the address %s', async (_what, answer) => {
    const machine = aMachine({ [endpoint]: naming(direct), [direct]: answer });
    await machine.ask();
    expect(await machine.ask()).toEqual({ status: 200, text: '1' });
    expect(machine.called.slice(1)).toEqual([`GET ${direct}/system/status?fp=ab`, `GET ${status}`]);
    expect(machine.said).toEqual([expect.stringContaining(`${direct} does not answer (`)]);

    machine.clock.now = 10 * 60_000 - 1;
    await machine.ask();
    expect(machine.called.slice(3)).toEqual([`GET ${status}`]);
    machine.clock.now += 1;
    await machine.ask();
    expect(machine.called.slice(4)).toEqual([`GET ${direct}/system/status?fp=ab`, `GET ${status}`]);
  });

  it('is made the usual way where the address hangs, and no longer than three seconds', async () => {
    const machine = aMachine({
      [endpoint]: naming(direct),
      [direct]: ({ signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    await machine.ask();
    const before = performance.now();
    expect(await machine.ask()).toEqual({ status: 200, text: '1' });
    expect(performance.now() - before).toBeLessThan(4_500);
  });

  it('is refused by the address as it is anywhere, and not made again', async () => {
    const problem = () => new Response('{"type":"x"}', { status: 429, headers: { 'content-type': 'application/problem+json' } });
    const machine = aMachine({ [endpoint]: naming(direct), [direct]: problem });
    await machine.ask();
    expect(await machine.ask()).toEqual({ status: 429, text: '{"type":"x"}' });
    expect(machine.called).toHaveLength(2);
    expect(machine.said).toEqual([]);
  });

  it('ends where its caller gives up', async () => {
    const ending = new AbortController();
    const machine = aMachine({
      [endpoint]: naming(direct),
      [direct]: () => {
        ending.abort();
        throw ending.signal.reason;
      },
    });
    await machine.ask();
    await expect(machine.ask(status, 'GET', ending.signal)).rejects.toBe(ending.signal.reason);
    expect(machine.called).toHaveLength(2);
  });

  it.each(['http://abc123.lambda-url.eu-central-1.on.aws', 'https://muster.acme.net', 'http://127.0.0.1:9', 'nowhere', ''])(
    'goes to no address such as %j',
    async (named) => {
      const machine = aMachine({ [endpoint]: naming(named) });
      await machine.ask();
      await machine.ask();
      expect(machine.called).toEqual([`GET ${status}`, `GET ${status}`]);
    },
  );

  it('learns nothing from what stands before the deployment', async () => {
    const machine = aMachine({ [endpoint]: naming(direct, 'a page', 503) });
    await machine.ask();
    await machine.ask();
    expect(machine.called).toEqual([`GET ${status}`, `GET ${status}`]);
  });
});

describe('an address that may be named', () => {
  it.each([
    ['https://abc123.lambda-url.eu-central-1.on.aws/', true],
    ['https://abc123.lambda-url.cn-north-1.on.amazonwebservices.com.cn/', true],
    ['https://abc123.lambda-url.eu-central-1.on.aws.evil.org/', false],
    ['https://evil.org/abc123.lambda-url.eu-central-1.on.aws', false],
    ['https://abc123.lambda-url.eu-central-1.on.aws@evil.org/', false],
    ['https://user@abc123.lambda-url.eu-central-1.on.aws/', false],
    ['https://abc123.lambda-url.eu-central-1.on.aws:8443/', false],
    ['http://127.0.0.1:8081', false],
  ])('%s: %s', (address, may) => expect(mayBeNamed(endpoint)(address)).toBe(may));

  it('is one of this machine, where Muster is on it', () => {
    expect(['http://127.0.0.1:8081', 'http://[::1]:8081', 'http://10.0.0.1'].map(mayBeNamed('http://127.0.0.1:8080'))).toEqual([
      true,
      true,
      false,
    ]);
  });
});
