import { afterEach, describe, expect, it } from 'vitest';
import { contract } from '../../lib/contract.ts';
import { EmbeddedEnv } from '../../lib/runtime/env.ts';
import { usualRates } from '../../lib/runtime/rates.ts';
import { listeningFrom } from '../../programs/local/listening.ts';
import { aNodeUp } from '../../tools/support/actors.ts';
import { aHost, type TestHost } from '../../tools/support/host.ts';
import { rawCall, refusalIn } from '../support/raw-call.ts';

let host: TestHost | undefined;
afterEach(async () => {
  await host?.stop();
  host = undefined;
});

describe('a node that calls without a pause', () => {
  it('is told when to come back, and another is not held up by it', async () => {
    host = await aHost({ beatMinMs: 60_000, rates: { ...usualRates, node: { perSecond: 0.1, burst: 40 } } });
    const [wild, calm] = [await aNodeUp(host.url, 'node1.acme.org'), await aNodeUp(host.url, 'node2.acme.org')];
    const ask = () => wild.api(contract.desired, { params: { id: wild.id } });

    let answer = await ask();
    for (let n = 0; n < 60 && answer.ok; n++) answer = await ask();

    expect(answer.ok ? 'answered' : [answer.status, answer.problem.type]).toEqual([429, 'urn:muster:problem:rate-limited']);
    expect(Number(answer.headers.get('retry-after'))).toSatisfy((seconds: number) => seconds >= 1 && seconds <= 10);
    expect(await calm.sendHeartbeat()).toBe(200);
  });
});

describe('an address from which too many machines call first', () => {
  it('is told when to come back, whoever it says it is; other addresses are not', async () => {
    const listening = listeningFrom(EmbeddedEnv.parse({ MUSTER_TRUST_PROXY: 'loopback', MUSTER_NAMES: 'muster.acme.org' }));
    host = await aHost({ listening, rates: { ...usualRates, newcomers: { perSecond: 0.1, burst: 2 } } });
    const join = (source: string) =>
      rawCall(host!.url, {
        method: 'POST',
        path: '/nodes/join',
        headers: {
          host: 'muster.acme.org',
          'x-forwarded-for': `10.9.8.7, ${source}`,
          'x-forwarded-proto': 'https',
          'content-type': 'application/json',
        },
        body: '{}',
      });
    const told = async (source: string) => refusalIn(await join(source)).slice(0, 2);

    expect([await told('192.0.2.1'), await told('192.0.2.1'), await told('192.0.2.1'), await told('192.0.2.2')]).toEqual([
      [422, 'invalid'],
      [422, 'invalid'],
      [429, 'rate-limited'],
      [422, 'invalid'],
    ]);
    expect((await join('192.0.2.1')).headers['retry-after']).toMatch(/^(9|10)$/);
  });
});
