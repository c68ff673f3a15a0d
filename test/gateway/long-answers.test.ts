import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callText } from '../../lib/uyuni/xml-rpc/write.ts';
import { type AGateway, aGateway, resultOf, type Sent } from '../support/a-gateway.ts';
import { jsonTo } from '../support/a-json-caller.ts';
import { aPlayedNode, type PlayedNode } from '../support/a-played-node.ts';

const names = ['a.acme.test', 'b.acme.test', 'c.acme.test'] as const;
/** Their list has some 2 MB, so that the answer is sent in parts. */
const each = 8_000;
const there = Array.from({ length: each }, (_, n) => 1_000_010_000 + n);

describe('an answer that is longer than what is sent whole', () => {
  let nodes: PlayedNode[];
  let gateway: AGateway;
  let key: string;
  const list = (headers: Readonly<Record<string, string>> = {}): Promise<Sent> =>
    gateway.send(callText('system.listSystems', [key]), headers);
  const idsIn = (sent: Sent): number[] => (resultOf(sent.read()) as { id: number }[]).map(({ id }) => id);
  beforeAll(async () => {
    nodes = await Promise.all(names.map((name) => aPlayedNode(name, there)));
    const places = names.flatMap((name, n) => there.map((id) => [id + n * each, name, id] as const));
    gateway = await aGateway(nodes, { places });
    key = resultOf(await gateway.call('auth.login', 'admin', 'secret')) as string;
  });
  afterAll(async () => {
    await gateway.close();
    await Promise.all(nodes.map((one) => one.close()));
  });

  it.each(['identity', 'gzip'])('has every system once, as %s', async (encoding) => {
    const sent = await list({ 'accept-encoding': encoding });
    expect(sent.headers['transfer-encoding']).toBe('chunked');
    expect(sent.headers['content-encoding']).toBe(encoding === 'gzip' ? 'gzip' : undefined);
    const ids = idsIn(sent);
    expect(ids).toHaveLength(3 * each);
    expect(new Set(ids).size).toBe(3 * each);
    expect(sent.trailers['x-muster-failed']).toBeUndefined();
  });

  it.each(['identity', 'gzip'])(
    'has every system once in JSON, as %s, and names a server that broke off in its trailer',
    async (encoding) => {
      const listed = async (): Promise<readonly [readonly number[], string | undefined]> => {
        const got = await jsonTo(gateway.url, key, { path: 'system/listSystems', headers: { 'accept-encoding': encoding } });
        expect([got.headers['transfer-encoding'], got.headers['content-encoding']]).toEqual([
          'chunked',
          encoding === 'gzip' ? 'gzip' : undefined,
        ]);
        return [(got.result() as { id: number }[]).map(({ id }) => id), got.trailers['x-muster-failed']];
      };
      const [all, failed] = await listed();
      expect([all.length, new Set(all).size, failed]).toEqual([3 * each, 3 * each, undefined]);
      nodes[2]!.trouble = 'dies in the middle';
      const [some, dead] = await listed();
      nodes[2]!.trouble = undefined;
      expect(dead).toMatch(/^c\.acme\.test;(lost|cut-off)$/);
      expect(some.length).toBeGreaterThan(2 * each);
      expect(new Set(some).size).toBe(some.length);
      expect(some.length).toBeLessThan(3 * each);
    },
  );

  it('names a server that broke off in its trailer, and has what came of it whole', async () => {
    nodes[1]!.trouble = 'dies in the middle';
    const sent = await list();
    nodes[1]!.trouble = undefined;
    expect(sent.headers['x-muster-failed']).toBeUndefined();
    expect(sent.trailers['x-muster-failed']).toMatch(/^b\.acme\.test;(lost|cut-off)$/);
    const ids = idsIn(sent);
    const ofOthers = ids.filter((id) => id < there[0]! + each || id >= there[0]! + 2 * each);
    expect(ofOthers).toHaveLength(2 * each);
    expect(ids.length).toBeLessThan(3 * each);
  });

  it('is no answer with X-Strict if a server broke off: the connection ends, or a fault names the server', async () => {
    nodes[2]!.trouble = 'dies in the middle';
    const sent = await list({ 'x-strict': 'true' }).catch((error: unknown) => String(error));
    nodes[2]!.trouble = undefined;
    if (typeof sent === 'string') expect(sent).toMatch(/aborted|ECONNRESET|socket hang up/);
    else expect(sent.read()).toMatchObject({ ok: false, fault: { text: expect.stringContaining('c.acme.test') } });
  });

  it('lets go of the servers when its caller has gone in the middle', async () => {
    const gone = new AbortController();
    const got = await fetch(`${gateway.url}/rpc/api`, { method: 'POST', body: callText('system.listSystems', [key]), signal: gone.signal });
    const reader = got.body!.getReader();
    await reader.read();
    gone.abort();
    await expect(reader.read()).rejects.toThrow();
    while (nodes.some((node) => node.waiting() > 0)) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(idsIn(await list())).toHaveLength(3 * each);
  });
});
