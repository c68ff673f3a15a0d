import { afterEach, describe, expect, it } from 'vitest';
import { apiClient } from '../../../../lib/api/client.ts';
import { call } from '../../../../programs/client/calls.ts';
import { aFakeMuster, type FakeMuster, problem, type Reply } from '../../../support/fake-muster.ts';
import { node1 } from './told.ts';

const machine = {
  fp: 'ab'.repeat(32),
  publicKey: 'A'.repeat(43),
  fqdn: 'web1.acme.test',
  machineId: 'm-1',
  facts: { os: 'Debian' },
  tags: ['rack:r12'],
};
let muster: FakeMuster | undefined;
afterEach(() => muster?.stop());

const calling = async (reply: Reply) => {
  muster = await aFakeMuster(() => reply);
  return { api: apiClient(muster.url), machine, isNew: true, signal: new AbortController().signal, random: () => 0.25 };
};

describe('a knock', () => {
  it('says who knocks, and brings byte, token, time and watch home', async () => {
    const headers = {
      'muster-token': 't1',
      'muster-next': '7',
      'muster-watch': 'node1.acme.test:4505;every=3',
      'content-type': 'text/plain',
    };
    const heard = await call({ do: 'knock', lost: true, confirmed: node1 }, await calling({ body: '2', headers }));

    const watch = { host: 'node1.acme.test', port: 4505, everyMs: 3_000 };
    expect(heard).toEqual({ type: 'byte', call: 'knock', byte: '2', token: 't1', nextMs: 7_000, watch, random: 0.25 });
    expect(muster?.heard.map(({ call, body }) => [call, body])).toEqual([
      [
        'POST /system/knock',
        {
          publicKey: machine.publicKey,
          fqdn: 'web1.acme.test',
          machineId: 'm-1',
          facts: { os: 'Debian' },
          suggestedTags: ['rack:r12'],
          confirmed: node1,
          lost: true,
        },
      ],
    ]);
  });
});

describe('the calls for status and node', () => {
  it('carry the token, and for how many seconds the node has been lost', async () => {
    await call({ do: 'status', token: 't1', lostMs: 90_400 }, await calling({ body: '1' }));

    expect(muster?.heard[0]?.call).toBe(`GET /system/status?fp=${machine.fp}`);
    expect(muster?.heard[0]?.headers).toMatchObject({ 'muster-token': 't1', 'muster-lost': '90' });
  });

  it('bring the name of the node', async () => {
    const heard = await call({ do: 'orphan', token: 't1' }, await calling({ body: 'node1.acme.test', headers: { 'muster-token': 't2' } }));
    expect(heard).toEqual({ type: 'place', call: 'orphan', fqdn: node1, token: 't2', random: 0.25 });
    expect(muster?.heard[0]?.headers['muster-lost']).toBeUndefined();
  });

  it('bring that the token does not hold any more', async () => {
    const reply = { status: 204, headers: { 'retry-after': '5', 'muster-knock': '1' } };
    expect(await call({ do: 'orphan', token: 't1' }, await calling(reply))).toMatchObject({ type: 'no-place', knock: true });
  });

  it('bring how long to wait when it is not our turn', async () => {
    const heard = await call({ do: 'orphan' }, await calling({ status: 204, headers: { 'retry-after': '15' } }));
    expect(heard).toEqual({ type: 'no-place', call: 'orphan', nextMs: 15_000, random: 0.25 });
  });
});

describe('a call that fails', () => {
  it('is a refusal with its reason, and tells when the machine is not known', async () => {
    const heard = await call({ do: 'orphan' }, await calling(problem('unknown-system', 404, { 'retry-after': '9' })));
    const why = 'orphan was refused (unknown-system): it is unknown-system';
    expect(heard).toEqual({ type: 'failed', call: 'orphan', why, unknown: true, retryAfterMs: 9_000, random: 0.25 });
  });

  it.each([
    ['a proxy in between', { status: 502, body: '<html>bad gateway</html>' }],
    ['a body that is no byte', { status: 200, body: 'hello' }],
  ])('is %s', async (_what, reply) => {
    const heard = await call({ do: 'status' }, await calling(reply));
    expect(heard).toMatchObject({ type: 'failed', call: 'status', unknown: false, retryAfterMs: 0 });
  });

  it('is a Muster that is away', async () => {
    const away = await calling({});
    await muster?.stop();
    expect(await call({ do: 'status' }, away)).toMatchObject({ type: 'failed', call: 'status', unknown: false });
  });
});
