import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ran } from './a-terminal.ts';
import { FakeDeployment } from './fake-deployment.ts';
import { aNode, aSystem, aZone, fingerprintOf, pooled, secondsAgo } from './views.ts';

const done = { done: true, because: 'done' };
const all = (received: { body: unknown }) => ({ results: (received.body as { systems: string[] }).systems.map((fp) => ({ fp, ...done })) });
/** One result for each id; for a code two pages of one. */
const letters = (received: { body: unknown }) => {
  const { ids, cursor } = received.body as { ids?: string[]; cursor?: string };
  if (ids) return { results: ids.map((id) => ({ id, ...done })) };
  return { results: [{ id: cursor ?? 'first', ...done }], ...(cursor === undefined && { next: 'second' }) };
};

let fake: FakeDeployment;
beforeAll(async () => {
  fake = await FakeDeployment.start({
    status: () => ({ deployment: 'd', version: '1', now: '2026-01-01T00:00:00.000Z', intervalMs: 10_000, zones: [] }),
    listNodes: () => ({ items: [aNode()] }),
    listZones: () => ({ items: [aZone()] }),
    listSystems: ({ query }) => {
      const { status, prefix = '' } = query as { status?: string; prefix?: string };
      const pool = [pooled(1), pooled(2), pooled(3)].filter(({ fp }) => fp.startsWith(prefix));
      return { items: status === 'new' || prefix !== '' ? pool : [aSystem(4)] };
    },
    getSystem: () => aSystem(4),
    leaveNode: () => done,
    dropNode: () => done,
    editNode: () => aNode(),
    calmZone: () => done,
    freezeZone: () => done,
    unfreezeZone: () => done,
    editZone: () => aZone(),
    accept: all,
    pinSystems: all,
    unpinSystems: all,
    unregister: all,
    ban: all,
    listDeadLetters: () => ({ items: [] }),
    redriveDeadLetters: letters,
    dropDeadLetters: letters,
    history: () => ({ items: [], more: false }),
    explain: () => ({ subject: 'zone default', state: 'calm', because: 'all is well', since: secondsAgo(5), by: 'tick', also: [] }),
    getSettings: () => ({ beatMinMs: 10_000, intervalMs: 10_000, admittedNodes: 1 }),
    editSettings: () => ({ beatMinMs: 500, intervalMs: 500, admittedNodes: 1 }),
  });
});
afterAll(() => fake.stop());

/** What the deployment was sent last, by a line that must succeed. */
async function sent(line: string) {
  const result = await ran(line, { env: { MUSTER_ENDPOINT: fake.url } });
  expect(result).toMatchObject({ code: 0 });
  const { route, received } = fake.received.at(-1)!;
  const { params, query, body, headers } = received;
  return { route, params, query, body, ifMatch: headers['if-match'] };
}

describe('a command line', () => {
  it.each([
    ['node list --zone emea --limit 7', 'listNodes', { query: { zone: 'emea', limit: 7 } }],
    [
      `system pin ${fingerprintOf(9)} --node NODE7.acme.org`,
      'pinSystems',
      { body: { systems: [fingerprintOf(9)], node: 'node7.acme.org' } },
    ],
    [`system pin ${fingerprintOf(9)} --node node7.acme.org --soft`, 'pinSystems', { body: { soft: true } }],
    [`system unpin ${fingerprintOf(9)}`, 'unpinSystems', { body: { systems: [fingerprintOf(9)] } }],
    ['system list --pinned', 'listSystems', { query: { pinned: 'yes' } }],
    ['node leave NODE7.acme.org', 'leaveNode', { params: { id: 'node7.acme.org' }, body: { mode: 'drain' } }],
    ['node leave node7.acme.org --stay', 'leaveNode', { body: { mode: 'stay' } }],
    [
      'node leave node7.acme.org --hold --until 2026-05-01T18:00:00+02:00',
      'leaveNode',
      { body: { mode: 'hold', until: '2026-05-01T16:00:00.000Z' } },
    ],
    [
      'node leave node7.acme.org --hold --until 2026-05-01T18:00',
      'leaveNode',
      { body: { mode: 'hold', until: '2026-05-01T18:00:00.000Z' } },
    ],
    ['node drop n0123456789abcdef --yes', 'dropNode', { params: { id: 'n0123456789abcdef' }, body: { overrule: [] } }],
    ['node drop n0123456789abcdef --yes --overrule 6,8', 'dropNode', { body: { overrule: [6, 8] } }],
    [
      'system list --status orphan --node node7.acme.org --tag web',
      'listSystems',
      { query: { status: 'orphan', node: 'node7.acme.org', tag: 'web', limit: 200 } },
    ],
    ['system list --limit all', 'listSystems', { query: { limit: 200 } }],
    ['onboarding list', 'listSystems', { query: { status: 'new', limit: 200 } }],
    ['explain node node7.acme.org', 'explain', { params: { kind: 'node', id: 'node7.acme.org' } }],
    [
      'explain process 0x7200000000000001:0x2d --zone lab',
      'explain',
      { params: { kind: 'process', id: '0x7200000000000001:0x2d' }, query: { zone: 'lab' } },
    ],
    ['history zone default --after 12', 'history', { params: { kind: 'zone', id: 'default' }, query: { after: 12, limit: 200 } }],
    ['history stations lab', 'history', { params: { kind: 'stations', id: 'lab' }, query: { after: 0, limit: 200 } }],
    ['explain site-orders lab', 'explain', { params: { kind: 'site-orders', id: 'lab' } }],
    ['settings set --beat-min 500ms', 'editSettings', { body: { beatMinMs: 500 }, ifMatch: '"7"' }],
    ['settings set --beat-min 2m', 'editSettings', { body: { beatMinMs: 120_000 } }],
    ['--json zone list', 'listZones', {}],
    [
      'dlq list --status redriven --queue feed --code bus.refused --limit 7',
      'listDeadLetters',
      { query: { status: 'redriven', queue: 'feed', code: 'bus.refused', limit: 7 } },
    ],
    ['dlq redrive node#n1#node@17 m2', 'redriveDeadLetters', { body: { ids: ['node#n1#node@17', 'm2'], again: false } }],
    ['dlq redrive m1 --again', 'redriveDeadLetters', { body: { ids: ['m1'], again: true } }],
    ['dlq delete m1 --yes', 'dropDeadLetters', { body: { ids: ['m1'] } }],
    ['node leave node7.acme.org --hold --until 10m', 'leaveNode', { body: { mode: 'hold', until: '2026-05-01T12:10:00.000Z' } }],
    ['zone calm emea --yes', 'calmZone', { params: { zone: 'emea' } }],
    ['zone freeze emea expiry', 'freezeZone', { params: { zone: 'emea' }, body: { what: 'expiry' } }],
    ['zone unfreeze emea', 'unfreezeZone', { params: { zone: 'emea' } }],
    ['zone set emea --freeze moves --mode recovery', 'editZone', { params: { zone: 'emea' }, body: { freeze: 'moves', mode: 'recovery' } }],
    ['zone set emea --freeze off', 'editZone', { params: { zone: 'emea' }, body: { freeze: null } }],
    ['zone set emea --rto 4h --remap-after 20m', 'editZone', { body: { rtoMs: 14_400_000, remapAfterMs: 1_200_000 } }],
    ['zone set emea --rto off --remap-after usual', 'editZone', { body: { rtoMs: null, remapAfterMs: null } }],
    [
      'zone set emea --admission adapts --admit-ceiling 500ms --ready-within 90s',
      'editZone',
      { body: { admission: 'adapts', admitAtMostEveryMs: 500, readyWithinMs: 90_000 } },
    ],
    ['zone set emea --admit-ceiling usual --ready-within usual', 'editZone', { body: { admitAtMostEveryMs: null, readyWithinMs: null } }],
    ['node set node7.acme.org --capacity 15000 --admit-every free', 'editNode', { body: { capacity: 15_000, admitEveryMs: 0 } }],
    ['node set node7.acme.org --capacity unlimited --admit-every usual', 'editNode', { body: { capacity: null, admitEveryMs: null } }],
  ])('%s › calls %s with what was asked', async (line, route, expected) => {
    expect(await sent(line)).toMatchObject({ route, ...expected });
  });

  it('with the beginning of a fingerprint › means the one key that begins so', async () => {
    const [first, second] = [fingerprintOf(1), fingerprintOf(2)];
    const line = `system accept ${first.slice(0, 8)} ${second
      .slice(0, 12)
      .toUpperCase()
      .replace(/..(?!$)/g, '$&:')} --tag web --tag db --group dmz --zone emea`;
    expect(await sent(line)).toMatchObject({
      route: 'accept',
      body: { systems: [first, second], tags: ['web', 'db'], groups: ['dmz'], zone: 'emea' },
    });
  });

  it.each([
    ['one key alone, which is not held', fingerprintOf(1), undefined],
    ['several keys', `${fingerprintOf(1)} ${fingerprintOf(2)}`, undefined],
    ['several keys with --duplicates', `${fingerprintOf(1)} ${fingerprintOf(2)} --duplicates`, true],
    ['--all', '--all', undefined],
  ])('that accepts %s › means also one that says the machine id of another: %s %s', async (_what, line, duplicates) => {
    expect(((await sent(`system accept ${line}`)) as { body: { duplicates?: true } }).body.duplicates).toBe(duplicates);
  });

  it('that accepts --all › accepts every key in the pool', async () => {
    expect(await sent('system accept --all')).toMatchObject({ body: { systems: [fingerprintOf(1), fingerprintOf(2), fingerprintOf(3)] } });
  });

  it('about dead letters of a code › goes on page by page', async () => {
    const before = fake.received.length;
    const { out } = await ran('dlq redrive --code row.busy --queue reports --json', { env: { MUSTER_ENDPOINT: fake.url } });
    const asked = { code: 'row.busy', queue: 'reports', again: false };
    expect(fake.received.slice(before).map(({ received }) => received.body)).toEqual([asked, { ...asked, cursor: 'second' }]);
    expect((JSON.parse(out) as { results: { id: string }[] }).results.map(({ id }) => id)).toEqual(['first', 'second']);
  });

  it('about many dead letters › names 100 a call', async () => {
    const before = fake.received.length;
    const ids = Array.from({ length: 150 }, (_, n) => `m${n}`);
    const { err } = await ran(`dlq delete --yes ${ids.join(' ')}`, { env: { MUSTER_ENDPOINT: fake.url } });
    expect([fake.received.slice(before).map(({ received }) => (received.body as { ids: string[] }).ids.length), err]).toEqual([
      [100, 50],
      '150 dropped\n',
    ]);
  });

  it('with a whole fingerprint › does not look into the pool', async () => {
    const before = fake.received.length;
    await sent(`system unregister ${fingerprintOf(9)} ${fingerprintOf(9)}`);
    expect(fake.received.slice(before).map(({ route, received }) => [route, received.body])).toEqual([
      ['unregister', { systems: [fingerprintOf(9)] }],
    ]);
  });

  it('with ten digits › means the client system with that cluster id; with colons, or beyond 31 bits, a fingerprint', async () => {
    const before = fake.received.length;
    const routes = async (text: string) => {
      const from = fake.received.length;
      await ran(`system show ${text}`, { env: { MUSTER_ENDPOINT: fake.url } });
      return fake.received.slice(from).map(({ route }) => route);
    };
    expect(await routes('1500000017')).toEqual(['getSystem']);
    expect(fake.received[before]?.received.params).toEqual({ fp: 1_500_000_017 });
    for (const text of ['15:00:00:00:17', '2147483648', '15000000170']) expect((await routes(text))[0], text).toBe('listSystems');
  });

  it('for something that cannot be undone › asks, and does it after a yes', async () => {
    const asked: string[] = [];
    const ask = async (question: string) => {
      asked.push(question);
      return 'y';
    };
    const { code } = await ran(`system ban ${fingerprintOf(4)}`, { env: { MUSTER_ENDPOINT: fake.url }, ask });
    expect({ code, asked }).toEqual({ code: 0, asked: [`Ban the key ${fingerprintOf(4)} forever? [y/N] `] });
  });

  it('that puts one key in the place of another › names both machines, asks, and sends it once', async () => {
    const asked: string[] = [];
    const own = await FakeDeployment.start({
      getSystem: ({ params }) => aSystem((params as { fp: string }).fp === fingerprintOf(4) ? 4 : 5),
      replaceSystem: () => ({ done: true, because: 'accepted in the place of the other' }),
    });
    const ask = async (question: string) => {
      asked.push(question);
      return 'y';
    };
    const { code, out } = await ran(`system replace ${fingerprintOf(4)} ${fingerprintOf(5)}`, { env: { MUSTER_ENDPOINT: own.url }, ask });
    const orders = own.received.filter(({ route }) => route === 'replaceSystem').map(({ received }) => received.body);
    await own.stop();

    const [old, by] = [4, 5].map((n) => `${aSystem(n).fqdn} (${fingerprintOf(n).slice(0, 16)})`);
    expect({ code, out, asked, orders }).toEqual({
      code: 0,
      out: 'accepted in the place of the other',
      asked: [`Replace ${old} with ${by}? The old key is banned forever. [y/N] `],
      orders: [{ by: fingerprintOf(5) }],
    });
    expect((await ran(`system replace ${fingerprintOf(4)} ${fingerprintOf(4)}`)).code).toBe(2);
  });
});

describe('a list of many pages', () => {
  it('is followed to its end, over pages that are empty too', async () => {
    const pages = [{ items: [aSystem(1)], next: 'a' }, { items: [], next: 'b' }, { items: [aSystem(2)] }];
    const cursors: unknown[] = [];
    const many = await FakeDeployment.start({
      listSystems: ({ query }) => {
        cursors.push((query as { cursor?: string }).cursor);
        return pages[cursors.length - 1];
      },
    });
    const { out, err } = await ran(`system list --json --endpoint ${many.url}`);
    await many.stop();
    expect({ systems: JSON.parse(out), err, cursors }).toEqual({
      systems: [aSystem(1), aSystem(2)],
      err: '',
      cursors: [undefined, 'a', 'b'],
    });
  });

  it('ends at --limit and says that more follow', async () => {
    const many = await FakeDeployment.start({ listSystems: () => ({ items: [aSystem(1)], next: 'more' }) });
    const { out, err } = await ran(`system list --json --limit 2 --endpoint ${many.url}`);
    await many.stop();
    expect({ count: JSON.parse(out).length, err }).toEqual({ count: 2, err: 'there are more; --limit all shows them all\n' });
  });

  it('of history begins each page after the last number of the one before', async () => {
    const entry = (seq: number) => ({ seq, type: 'node.joined', version: 1, at: secondsAgo(9), because: 'x', by: 'y', data: {} });
    const many = await FakeDeployment.start({
      history: ({ query }) => {
        const { after } = query as { after: number };
        return after === 0 ? { items: [entry(1), entry(2)], more: true } : { items: [entry(after + 1)], more: false };
      },
    });
    const { out } = await ran(`history node node7.acme.org --json --endpoint ${many.url}`);
    await many.stop();
    expect((JSON.parse(out) as { seq: number }[]).map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });
});
