import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { answerBytesMax, apiClient, type Fetching, Unreachable } from '../../../lib/api/client.ts';
import { contract } from '../../../lib/contract.ts';
import { aFakeMuster, type FakeMuster, problem, type Reply } from '../../support/fake-muster.ts';

let muster: FakeMuster | undefined;
let raw: Server | undefined;
afterEach(async () => {
  await muster?.stop();
  raw?.close();
  muster = raw = undefined;
});
const answering = async (reply: Reply) => {
  muster = await aFakeMuster(() => reply);
  return apiClient(muster.url);
};
const settings = { beatMinMs: 1_000, intervalMs: 1_000, admittedNodes: 5 };

describe('a caller of the API', () => {
  it('gets what the contract says', async () => {
    const api = await answering({ body: JSON.stringify(settings) });
    expect(await api(contract.getSettings)).toMatchObject({ ok: true, status: 200, body: settings });
  });

  it('reads only so much of an answer: whoever sends without end fills no memory, and is no Muster', async () => {
    let sent = 0;
    const fetching: Fetching = async () => {
      const endless = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          sent += 1_000_000;
          controller.enqueue(new Uint8Array(1_000_000));
        },
      });
      return new Response(endless);
    };
    await expect(apiClient('http://localhost', { fetching })(contract.getSettings)).rejects.toThrow(Unreachable);
    await expect(apiClient('http://localhost', { fetching })(contract.getSettings)).rejects.toThrow(/more than 16777216 bytes/);
    expect(sent).toBeLessThan(2 * answerBytesMax + 6_000_000);
  });

  it('gets a refusal as data', async () => {
    const api = await answering(problem('unknown-zone', 404));
    expect(await api(contract.getZone, { params: { zone: 'nowhere' } })).toMatchObject({
      ok: false,
      status: 404,
      problem: { title: 'unknown-zone' },
    });
  });

  it('understands a newer Muster that says more', async () => {
    const api = await answering({ body: JSON.stringify({ ...settings, more: 1 }) });
    expect(await api(contract.getSettings)).toMatchObject({ ok: true, body: settings });

    await muster?.stop();
    const up = await answering({ status: 202, body: JSON.stringify({ acknowledged: false, nextMs: 5, more: 1 }) });
    const sent = {
      params: { id: 'n0123456789abcdef' },
      body: {
        id: 'r1',
        boot: { id: 'boot-0001', kernel: 'k' },
        facts: { fqdn: 'a.test', address: '127.0.0.1', memoryMib: 1, cpus: 1, interfaces: [] },
      },
    };
    expect(await up(contract.up, sent)).toMatchObject({ ok: true, body: { acknowledged: false, nextMs: 5 } });

    await muster?.stop();
    const { body: said = '', ...refused } = problem('unknown-zone', 404);
    const more = await answering({ ...refused, body: JSON.stringify({ ...JSON.parse(said), more: 1 }) });
    expect(await more(contract.getSettings)).toMatchObject({ ok: false, problem: { title: 'unknown-zone' } });
  });

  it.each<[string, Reply]>([
    ['a page of a portal', { status: 200, body: '<html>please sign in</html>' }],
    ['JSON of another program', { status: 200, body: '{"hello": 1}' }],
    ['less than the contract says', { status: 200, body: '{"beatMinMs": 1000}' }],
    ['nothing', { status: 200, body: '' }],
    ['a gateway without a problem', { status: 502, body: 'bad gateway' }],
  ])('takes %s for no answer at all', async (_what, reply) => {
    const api = await answering(reply);
    await expect(api(contract.getSettings)).rejects.toThrow(Unreachable);
  });

  it('takes an answer that is cut off for none', async () => {
    raw = createServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"beat'));
    });
    await new Promise<void>((resolve) => raw!.listen(0, '127.0.0.1', resolve));
    const api = apiClient(`http://127.0.0.1:${(raw.address() as { port: number }).port}`);

    await expect(api(contract.getSettings)).rejects.toThrow(Unreachable);
  });
});
