import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../lib/contract.ts';
import type { DeadLetterView } from '../../lib/dead-letters/routes.ts';
import { putAside } from '../../lib/runtime/dead.ts';
import { aNodeUp, type TestAgent } from '../../tools/support/actors.ts';
import { aHost, eventually, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { ran } from '../unit/programs/cli/a-terminal.ts';

let host: TestHost;
let node: TestAgent;
beforeAll(async () => {
  host = await aHost({ beatMinMs: 60_000 });
  node = await aNodeUp(host.url, 'node1.acme.org');
});
afterAll(() => host.stop());

const muster = (line: string) => ran(`${line} --endpoint ${host.url}`, { env: { MUSTER_TOKEN: host.operator } });
const letters = async (line = 'dlq list'): Promise<DeadLetterView[]> =>
  JSON.parse((await muster(`${line} --json`)).out) as DeadLetterView[];
const theOne = async (holds: (letter: DeadLetterView) => boolean) => eventually('a dead letter', async () => (await letters()).find(holds));
const leaving = (mode: string) => JSON.stringify({ type: 'node.leaving', version: 1, id: `ticket-${mode}`, node: node.id, data: { mode } });
/** A message of the bus that failed transiently as often as it was received. */
const aside = async (id: string, body: string): Promise<void> => {
  const message = { id, queue: 'reports', via: 'bus', body, sentAt: host.shell.now(), receives: 5 } as const;
  await putAside(host.shell, message, 'row.busy', 'the node kept moving');
};
const statusOf = async () => {
  const answer = await apiAt(host.url)(contract.getNode, { params: { id: node.id } });
  return answer.ok && answer.body.status;
};

describe('a message that died on the embedded host', () => {
  it('of what it is, is found, given back in vain, and dropped, from the command line', async () => {
    await host.queue.sendFromBus('reports', leaving('park'));
    const { id } = await theOne(({ status }) => status === 'dead');
    expect((await muster(`dlq show ${id}`)).out).toContain('"mode": "park"');
    expect((await muster('status')).out).toContain('1 dead letter, see muster dlq list\n');

    expect(await muster(`dlq redrive ${id}`)).toMatchObject({ err: '1 given back\n', code: 0 });
    const again = await theOne(({ deaths, status }) => deaths === 2 && status === 'dead');
    expect(again).toMatchObject({ id, queue: 'reports', via: 'bus', redriven: { attempt: 1 } });

    expect(await muster(`dlq delete ${id} --yes`)).toMatchObject({ err: '1 dropped\n', code: 0 });
    expect(await letters()).toEqual([]);
    expect((await muster(`dlq show ${id}`)).err).toMatch(/was dropped at .* List dead letters: dlq list\n$/);
    expect((await muster('status')).out).toContain(' · no dead letters\n');
  });

  it('that died of a transient failure has its effect when it is given back, once', async () => {
    await aside('weather-1', leaving('drain'));
    expect(await muster('dlq redrive --code row.busy')).toMatchObject({ err: '1 given back\n', code: 0 });
    await eventually('the node leaves', async () => (await statusOf()) === 'leaving');

    expect(await letters('dlq list --status redriven')).toMatchObject([{ id: 'weather-1', deaths: 1, redriven: { attempt: 1 } }]);
    const repeated = await muster('dlq redrive weather-1');
    expect(repeated).toMatchObject({ out: expect.stringContaining('given back already'), code: 0 });
  });

  it('is not newer for having been given back: what an operator has said since holds', async () => {
    await aside('weather-2', leaving('hold'));
    await muster(`node leave ${node.id} --stay`);
    await muster('dlq redrive weather-2');
    await host.settled();
    expect(await statusOf()).toBe('up');
  });
});

describe('the API of dead letters over HTTP', () => {
  /** A call of the API of dead letters by the operator of the host. */
  const asOperator = (path: string, { headers = {}, ...call }: { method?: string; headers?: Record<string, string>; body?: string } = {}) =>
    fetch(`${host.url}/api/v1/dead-letters${path}`, { ...call, headers: { authorization: `Bearer ${host.operator}`, ...headers } });
  const post = (body: string, headers: Record<string, string> = { 'content-type': 'application/json' }, verb = 'redrive') =>
    asOperator(`/${verb}`, { method: 'POST', headers, body });
  const problem = async (response: Response | Promise<Response>) => {
    const { status, headers } = await response;
    return [status, headers.get('content-type')];
  };
  const refused = 'application/problem+json';

  it('finds a letter whose id a path must encode', async () => {
    const id = 'zone#default#head@17';
    await putAside(
      host.shell,
      { id, queue: 'feed', via: 'feed', body: '{}', sentAt: host.shell.now(), receives: 1 },
      'bus.too-large',
      'an event is too large',
    );
    expect(await (await asOperator(`/${encodeURIComponent(id)}`)).json()).toMatchObject({ id, queue: 'feed' });
    expect((await muster(`dlq show ${id}`)).code).toBe(0);
    await muster(`dlq delete ${id} --yes`);
  });

  it('refuses what is no order, and changes nothing', async () => {
    const before = await letters();
    expect(await problem(post('{"ids":["weather-1"]}', { 'content-type': 'text/plain' }))).toEqual([415, refused]);
    expect(await problem(post('{"ids":'))).toEqual([400, refused]);
    expect(await problem(post('{"ids":["a/b"]}'))).toEqual([422, refused]);
    expect(await problem(post('{}', undefined, 'drop'))).toEqual([422, refused]);
    expect(await problem(asOperator('/redrive', { method: 'PATCH', body: '{}' }))).toEqual([405, refused]);
    expect(await problem(asOperator('/a%2Fb'))).toEqual([422, refused]);
    expect(await problem(asOperator('/%E0%A4%A'))).toEqual([422, refused]);
    expect(await problem(asOperator('?cursor=nonsense'))).toEqual([400, refused]);
    expect(await problem(asOperator('?limit=1000'))).toEqual([422, refused]);
    expect(await letters()).toEqual(before);
  });
});
