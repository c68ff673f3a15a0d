import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DateTime, type Value } from '../../lib/uyuni/xml-rpc/value.ts';
import { callText } from '../../lib/uyuni/xml-rpc/write.ts';
import { type ActionNumbers, actionsInMemory, NoNumber, type ReservedNumber } from '../../programs/gateway/action-numbers.ts';
import { type AGateway, aGateway, resultOf, twoEach } from '../support/a-gateway.ts';
import { aPlayedNode, type PlayedNode } from '../support/a-played-node.ts';

const first = 1_000_010_000;
const names = ['a.acme.test', 'b.acme.test'] as const;
const onB = 1_500_000_010;
const aDate = new DateTime('20310501T12:00:00');

describe('actions of a gateway whose Muster fails in the middle, or is asked much', () => {
  let nodes: PlayedNode[];
  let gateway: AGateway;
  let key: string;
  let numbers: ActionNumbers;
  let lookedUp: number;
  /** What befalls each call of Muster; by default nothing. */
  let before: {
    reserve(count: number): Promise<void>;
    record(reserved: ReservedNumber): Promise<void>;
    partsOf(signal: AbortSignal): Promise<void>;
  };
  const away = new NoNumber('Muster is away', false);
  const scheduled = () => gateway.call('system.scheduleChangeChannels', key, [first, first + 1, onB], 'base', [], aDate);
  beforeEach(async () => {
    nodes = await Promise.all(names.map((name) => aPlayedNode(name, [first, first + 1])));
    const memory = actionsInMemory(() => 0 as never);
    before = { reserve: async () => undefined, record: async () => undefined, partsOf: async () => undefined };
    lookedUp = 0;
    numbers = {
      ...memory,
      reserve: (count) => before.reserve(count).then(() => memory.reserve(count)),
      record: (reserved, parts) => before.record(reserved).then(() => memory.record(reserved, parts)),
      partsOf: (number, signal) => {
        lookedUp++;
        return before.partsOf(signal).then(() => memory.partsOf(number, signal));
      },
    };
    gateway = await aGateway(nodes, { places: twoEach(names, first), actions: numbers });
    key = resultOf(await gateway.call('auth.login', 'admin', 'secret')) as string;
  });
  afterEach(async () => {
    await gateway.close();
    await Promise.all(nodes.map((one) => one.close()));
  });

  it('have a number each where servers give lists of them', async () => {
    const given = resultOf(await scheduled()) as number[];
    expect(new Set(given).size).toBe(3);
    const parts = await Promise.all(given.map((number) => numbers.partsOf(number, new AbortController().signal)));
    expect(parts).toEqual([
      [{ node: names[0], id: 8_000 + first }],
      [{ node: names[0], id: 8_001 + first }],
      [{ node: names[1], id: 8_000 + first }],
    ]);
  });

  it('that are recorded in part have their numbers in the fault, which names the others on their servers', async () => {
    let recorded = 0;
    before.record = async () => {
      recorded += 1;
      if (recorded === 2) throw away;
    };
    const answer = await scheduled();
    const text = answer.ok ? '' : answer.fault.text;
    expect(text).toMatch(
      /: it is scheduled as action 1000018001 on a\.acme\.test, and Muster has not recorded it: Muster is away; what is recorded is actions \d+, \d+$/,
    );
    const [, ...told] = /actions (\d+), (\d+)$/.exec(text)!.map(Number);
    expect(resultOf(await gateway.call('schedule.cancelActions', key, told as Value))).toBe(1);
    expect(nodes.map(({ actions }) => [...actions].filter(([id]) => id > 7_000).map(([id, { systems }]) => [id, systems.length]))).toEqual([
      [
        [8_000 + first, 0],
        [8_001 + first, 1],
      ],
      [[8_000 + first, 0]],
    ]);
  });

  it('that are not recorded, and not scheduled everywhere, name the servers of which nobody knows', async () => {
    before.record = async () => {
      throw away;
    };
    await nodes[1]!.close();
    const text = expect.stringMatching(
      /as action \d+ on a\.acme\.test, as .*: Muster is away; of the servers: .* \((not|perhaps) done on b\.acme\.test; done on a\.acme\.test\)$/,
    );
    expect(await scheduled()).toMatchObject({ fault: { text } });
  });

  it('of which Muster gives no more numbers have that of the first one in the fault', async () => {
    before.reserve = async (count) => {
      if (count > 1) throw away;
    };
    expect(await scheduled()).toMatchObject({
      fault: {
        text: expect.stringMatching(/as action 1000018001 on a\S+, as action 1000018000 on b\S+ and .*; what is recorded is action \d+$/),
      },
    });
  });

  it('are looked up for a thousand numbers in a call, and for none where it has more', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => 1_600_000_000 + n);
    expect(await gateway.call('schedule.cancelActions', key, many(1_001))).toEqual({
      ok: false,
      fault: { code: 2800, text: 'the call names 1001 actions: name at most 1000 in one call' },
    });
    expect(lookedUp).toBe(0);
    expect(await gateway.call('schedule.cancelActions', key, [...many(1_000), ...many(10)])).toMatchObject({ fault: { code: 2700 } });
    expect(lookedUp).toBe(1_000);
  });

  it('are looked up no further once the caller has gone', async () => {
    const stopped = Promise.withResolvers<void>();
    before.partsOf = (signal) => new Promise((resolve) => signal.addEventListener('abort', () => [resolve(), stopped.resolve()]));
    const gone = new AbortController();
    const body = callText('schedule.cancelActions', [key, Array.from({ length: 100 }, (_, n) => 1_600_000_000 + n)]);
    const sent = fetch(`${gateway.url}/rpc/api`, { method: 'POST', body, signal: gone.signal });
    await expect.poll(() => lookedUp).toBe(16);
    gone.abort();
    await expect(sent).rejects.toThrow();
    await stopped.promise;
    await new Promise(setImmediate);
    expect(lookedUp).toBe(16);
  });
});
