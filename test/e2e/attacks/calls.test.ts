import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../lib/contract.ts';
import { eventually } from '../../../tools/support/host.ts';
import { apiAt } from '../../../tools/support/operator.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import { readEvents, type StreamReader } from '../../support/event-stream.ts';
import { rawBytes } from '../../support/raw-call.ts';
import { aStronghold, type Stronghold, told } from './stronghold.ts';

let host: Stronghold;
beforeAll(async () => {
  host = await aStronghold();
  await host.settle();
});
afterAll(() => host.stop());
afterEach(() => host.unharmed());

describe('attacks 53 to 56', () => {
  it('attack 53: a query that gives a parameter twice is refused wherever there is a query, also where both are alike', async () => {
    const fp = '0'.repeat(64);
    for (const [path, pointer] of [
      ['/api/v1/nodes?limit=10&limit=20', '/limit'],
      ['/api/v1/systems?limit=10&limit=10', '/limit'],
      [`/system/status?fp=${fp}&fp=${fp}`, '/fp'],
      ['/api/v1/systems?status=new&st%61tus=orphan', '/status'],
      ['/api/v1/nodes?%2F~=1&%2F~=2', '/~1~0'],
    ] as const)
      expect([path, ...told(await host.attack({ path }))]).toEqual([path, 422, 'invalid', pointer]);
  });

  it('attack 54: a call that names its host twice, or as an address that there cannot be, is refused, and so is such an address in a body', async () => {
    const { host: name } = new URL(host.url);
    const call = (hosts: readonly string[], path: string) =>
      rawBytes(host.url, `GET ${path} HTTP/1.1\r\n${hosts.map((one) => `Host: ${one}\r\n`).join('')}Connection: close\r\n\r\n`);
    for (const path of ['/api/v1/status', `/system/status?fp=${'0'.repeat(64)}`])
      for (const hosts of [[name, name], [name, 'evil.test'], ['127.0.0.256'], ['127.0.0.999:80'], ['127.1'], ['1.2.3.4.5']]) {
        const answer = await call(hosts, path);
        expect([hosts, answer.split('\r\n')[0]]).toEqual([hosts, 'HTTP/1.1 400 Bad Request']);
        expect(answer).toContain('urn:muster:problem:malformed-call');
      }
    const by = keyPairOf('node9.acme.org');
    const join = (watch: string) => ({ publicKey: by.publicKey, fqdn: 'node9.acme.org', kind: 'salt', watch });
    for (const watch of ['300.1.1.1:4505', '1.2.3:4505', '01.2.3.4:4505'])
      expect(told(await host.attack({ method: 'POST', path: '/nodes/join', body: join(watch), by }))).toEqual([422, 'invalid', '/watch']);
  });

  it('attack 55: a label or name with controls of C1 or characters that reorder a line is refused', async () => {
    for (const odd of ['\u0085', '\u009b31m', '\u202e', '\u2066', '\u200b', '\u2028']) {
      const labels = { [`rack${odd}`]: 'a' };
      expect(told(await host.attack({ method: 'PATCH', path: `/api/v1/nodes/n${'0'.repeat(16)}`, body: { labels } })).slice(0, 2)).toEqual([
        422,
        'invalid',
      ]);
      expect(told(await host.attack({ method: 'POST', path: '/api/v1/keys', body: { name: `a${odd}`, scopes: ['read'] } }))).toEqual([
        422,
        'invalid',
        '/name',
      ]);
      expect(
        told(
          await host.attack({ method: 'POST', path: '/api/v1/systems/accept', body: { systems: ['0'.repeat(64)], tags: [`web${odd}`] } }),
        ),
      ).toEqual([422, 'invalid', '/tags/0']);
    }
  });

  it('attack 56: one key has ten streams at the most, and another has its own', async () => {
    const api = apiAt(host.url);
    const aKey = async (name: string): Promise<string> => {
      const made = await api(contract.createKey, { body: { name, scopes: ['read'] } });
      if (!made.ok) throw new Error(made.problem.detail);
      return made.body.secret;
    };
    const [greedy, calm] = [await aKey('greedy'), await aKey('calm')];
    await host.settle();
    const open: StreamReader[] = [];
    for (let n = 0; n < 10; n++) open.push(await readEvents(host.url, undefined, greedy));
    const more = () => host.attack({ path: '/api/v1/events', headers: { authorization: `Bearer ${greedy}` } });
    const refused = await more();
    expect(told(refused)).toEqual([429, 'rate-limited']);
    expect(refused.headers['retry-after']).toBe('15');
    const others = await readEvents(host.url, undefined, calm);
    // One that is closed makes room for another.
    open.pop()!.close();
    const again = await eventually('there is room again', () => readEvents(host.url, undefined, greedy).catch(() => undefined));
    for (const reader of [...open, others, again]) reader.close();
    // That its keys are in use is noted.
    await host.settle();
  });
});
