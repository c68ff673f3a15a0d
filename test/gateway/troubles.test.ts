import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callText } from '../../lib/uyuni/xml-rpc/write.ts';
import { type AGateway, aGateway, resultOf, type Sent } from '../support/a-gateway.ts';
import { aPlayedNode, type PlayedNode, type Trouble } from '../support/a-played-node.ts';

const names = ['a.acme.test', 'b.acme.test', 'c.acme.test'] as const;
/** More than a node needs here, and short enough to wait for. */
const short = { 'x-deadline': '0.4' };

describe('a server that fails', () => {
  let nodes: PlayedNode[];
  let gateway: AGateway;
  let key: string;
  const b = (): PlayedNode => nodes[1]!;
  const list = (headers: Readonly<Record<string, string>> = {}): Promise<Sent> =>
    gateway.send(callText('system.listSystems', [key]), headers);
  /** A call whose caller goes while the second node is waited for, until nobody waits for it any more. */
  const callAndGo = async (): Promise<void> => {
    const gone = new AbortController();
    const call = fetch(`${gateway.url}/rpc/api`, { method: 'POST', body: callText('system.listSystems', [key]), signal: gone.signal });
    while (b().waiting() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    gone.abort();
    await expect(call).rejects.toThrow();
    while (b().waiting() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const idsIn = (sent: Sent): readonly number[] => (resultOf(sent.read()) as { id: number }[]).map(({ id }) => id);
  beforeEach(async () => {
    nodes = await Promise.all(names.map((name) => aPlayedNode(name, [1, 2])));
    const places = names.flatMap((name, n) => [1, 2].map((local) => [100 * (n + 1) + local, name, local] as const));
    gateway = await aGateway(nodes, { places });
    key = resultOf(await gateway.call('auth.login', 'admin', 'secret')) as string;
  });
  afterEach(async () => {
    await gateway.close();
    await Promise.all(nodes.map((one) => one.close()));
  });

  it.each([
    ['hangs', 'deadline'],
    ['hangs in the middle', 'deadline'],
    ['dies in the middle', 'lost|cut-off'],
    ['is malformed', 'malformed'],
    ['lies', 'not-an-array'],
    ['is away', 'lost|refused'],
    ['closes', 'lost'],
    [{ faults: { code: -23, text: 'not allowed' } }, 'fault'],
  ] satisfies [Trouble, string][])('%j costs itself alone: no system is missing but of the server that is named', async (trouble, code) => {
    b().trouble = trouble;
    const sent = await list(short);
    const ids = idsIn(sent);
    expect(ids.filter((id) => id < 200 || id > 300)).toEqual([101, 102, 301, 302]);
    expect(sent.headers['x-muster-failed']).toMatch(new RegExp(`^b\\.acme\\.test;(${code})$`));
    expect(sent.headers['warning']).toContain('b.acme.test');
    expect(gateway.said.join('\n')).toContain('admin system.listSystems');
  });

  it.each(['hangs', 'dies in the middle', 'is malformed', 'closes'] as const)(
    '%s: with X-Strict a fault names it, and nothing else is answered',
    async (trouble) => {
      b().trouble = trouble;
      const answer = (await list({ ...short, 'x-strict': 'true' })).read();
      expect(answer).toMatchObject({ ok: false, fault: { text: expect.stringContaining('b.acme.test') } });
    },
  );

  it('is named by its own fault where all fail', async () => {
    for (const node of nodes) node.trouble = { faults: { code: 2201, text: 'no such group' } };
    expect((await list()).read()).toEqual({ ok: false, fault: { code: 2201, text: 'no such group' } });
  });

  it('is not waited for once it has failed three times in a row, and tried again after a while', async () => {
    b().troubles.set('system.listSystems', 'closes');
    for (let n = 0; n < 3; n++) await list();
    b().troubles.set('system.listSystems', 'hangs');
    // Without a deadline of its own this call would wait for longer than a test may.
    expect((await list({ 'x-deadline': '600' })).headers['x-muster-failed']).toBe('b.acme.test;left-alone');
    b().troubles.clear();
    expect(idsIn(await list())).toEqual([101, 102, 301, 302]);
    gateway.moved.ms += 16_000;
    expect(idsIn(await list())).toEqual([101, 102, 201, 202, 301, 302]);
    expect(idsIn(await list())).toEqual([101, 102, 201, 202, 301, 302]);
  });

  it('is waited for by others, however often callers in a hurry have given it up', async () => {
    b().troubles.set('system.listSystems', 'hangs');
    for (let n = 0; n < 4; n++) await list({ 'x-deadline': '0.05' });
    b().troubles.clear();
    expect(idsIn(await list())).toEqual([101, 102, 201, 202, 301, 302]);
  });

  it('is tried by the next call when one in a hurry has given it up', async () => {
    b().troubles.set('system.listSystems', 'closes');
    for (let n = 0; n < 3; n++) await list();
    gateway.moved.ms += 16_000;
    b().troubles.set('system.listSystems', 'hangs');
    expect((await list({ 'x-deadline': '0.05' })).headers['x-muster-failed']).toBe('b.acme.test;deadline');
    b().troubles.clear();
    expect(idsIn(await list())).toEqual([101, 102, 201, 202, 301, 302]);
  });

  it('is not waited for while Muster says that it is down', async () => {
    b().trouble = 'hangs';
    gateway.downAre('b.acme.test');
    const sent = await list({ 'x-deadline': '600' });
    expect([idsIn(sent), sent.headers['x-muster-failed']]).toEqual([[101, 102, 301, 302], 'b.acme.test;down']);
  });

  it('costs half of the time where another can answer in its place', async () => {
    const [own] = resultOf(await gateway.call('channel.software.listArches', key)) as { name: string }[];
    nodes.find(({ name }) => name === own?.name)!.trouble = 'hangs';
    const sent = await gateway.send(callText('channel.software.listArches', [key]), { 'x-deadline': '1' });
    expect(resultOf(sent.read())).not.toEqual([expect.objectContaining({ name: own?.name })]);
  });

  it('is let go of when its caller has gone', async () => {
    b().trouble = 'hangs';
    await callAndGo();
    expect(b().waiting()).toBe(0);
  });

  it('is asked by others, however many callers have gone in the middle', async () => {
    for (let n = 0; n < 4; n++) {
      b().trouble = 'hangs in the middle';
      await callAndGo();
    }
    b().trouble = undefined;
    expect(idsIn(await list())).toEqual([101, 102, 201, 202, 301, 302]);
  });

  it('has systems that Muster does not know: they are left out, and counted', async () => {
    await gateway.close();
    gateway = await aGateway(nodes, { places: [[101, names[0], 1]] });
    key = resultOf(await gateway.call('auth.login', 'admin', 'secret')) as string;
    const sent = await list();
    expect(idsIn(sent)).toEqual([101]);
    expect(sent.headers['x-muster-failed']).toBe(
      'a.acme.test;unknown-systems=1, b.acme.test;unknown-systems=2, c.acme.test;unknown-systems=2',
    );
  });
});
