import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import admin from '../../functions/admin.ts';
import { withBearer } from '../../lib/api/bearer.ts';
import { apiClient, type Fetching } from '../../lib/api/client.ts';
import type { Fqdn, NodeId } from '../../lib/core/ids.ts';
import { type AdminScope, rightsOf } from '../../lib/identity/rights.ts';
import { DateTime } from '../../lib/uyuni/xml-rpc/value.ts';
import { callText } from '../../lib/uyuni/xml-rpc/write.ts';
import type { ActionNumbers } from '../../programs/gateway/action-numbers.ts';
import { actionsOfMuster } from '../../programs/gateway/actions-of-muster.ts';
import { storeDirectly } from '../../tools/bench/sizes.ts';
import { aRequest } from '../../tools/support/a-request.ts';
import { aShell, type TestShell } from '../../tools/support/a-shell.ts';
import { aNode, nodeId } from '../../tools/support/builders.ts';
import { aGateway, resultOf } from '../support/a-gateway.ts';
import { aPlayedNode, type PlayedNode } from '../support/a-played-node.ts';
import { aKey } from '../support/callers.ts';

const names = ['node1.acme.org', 'node2.acme.org'] as const;
const sid = 1_000_010_000;
const places = [
  [sid, names[0], sid],
  [1_500_000_010, names[1], sid],
] as const;
const both = [sid, 1_500_000_010];
const wanted = new AbortController().signal;
const aDate = new DateTime('20310501T12:00:00');

describe('gateways that have their numbers of actions from Muster', () => {
  let shell: TestShell;
  let nodes: PlayedNode[];
  let closing: (() => Promise<void>)[];
  let paused: number[];
  /** Calls of Muster that are lost before they reach it or after, or get a status: by their method and path. */
  let lost: { readonly when: 'before' | 'after' | 429 | 503; readonly of: RegExp; times: number }[];
  beforeEach(async () => {
    shell = aShell();
    nodes = await Promise.all(names.map((name) => aPlayedNode(name, [sid])));
    for (const [n, fqdn] of names.entries()) {
      const id = nodeId(n + 1) as NodeId;
      await storeDirectly(shell, { noun: 'node', id }, aNode({ id, fqdn: fqdn as Fqdn, kind: 'uyuni' }));
      await storeDirectly(shell, { noun: 'fqdn', id: fqdn }, { node: id });
    }
    [closing, lost, paused] = [nodes.map((node) => () => node.close()), [], []];
  });
  afterEach(async () => {
    await Promise.all(closing.map((close) => close()));
  });

  /** Reaches the function of Muster without a network between. */
  const fetching: Fetching = async (url, { method, headers, body = '', signal }) => {
    signal?.throwIfAborted();
    const { pathname: path, search } = new URL(url);
    const fault = lost.find(({ of, times }) => times > 0 && of.test(`${method} ${path}`));
    if (fault) fault.times--;
    if (fault?.when === 'before') throw new Error('the connection broke');
    if (typeof fault?.when === 'number') return refusalOf(fault.when);
    const reply = await admin.handle(aRequest({ method, path, query: search.slice(1), body, headers }), shell);
    if (fault) throw new Error('the answer was lost');
    return new Response(reply.body, { status: reply.status, headers: reply.headers ?? {} });
  };
  const refusalOf = (status: number): Response =>
    new Response(JSON.stringify({ type: 'urn:muster:problem:busy', title: 'Busy', status, detail: 'come again' }), {
      status,
      headers: { 'content-type': 'application/problem+json' },
    });
  const numbersBy = async (...scopes: readonly AdminScope[]): Promise<ActionNumbers> => {
    const { text } = await aKey(shell, rightsOf(scopes, 'all'));
    return actionsOfMuster(apiClient('http://muster', { fetching: withBearer(() => text, fetching) }), clock);
  };
  /** Pauses take no time here. */
  const clock = {
    after: (waitMs: number, then: () => void) => {
      paused.push(waitMs);
      queueMicrotask(then);
      return () => undefined;
    },
  };
  const gatewayBy = async (actions: ActionNumbers) => {
    const gateway = await aGateway(nodes, { places, actions });
    closing.push(gateway.close);
    const key = resultOf(await gateway.call('auth.login', 'admin', 'secret'));
    return {
      gateway,
      key,
      call: (method: string, ...params: Parameters<typeof gateway.call>[1][]) => gateway.call(method, key, ...params),
    };
  };
  const scheduling = ['system.scheduleApplyHighstate', both, aDate, false] as const;

  it('have the same ones: what one schedules, another follows and cancels', async () => {
    const [one, other] = [await gatewayBy(await numbersBy('number')), await gatewayBy(await numbersBy('operate'))];
    const number = resultOf(await one.call(...scheduling));
    expect(resultOf(await other.call('schedule.listInProgressSystems', number))).toMatchObject(both.map((server_id) => ({ server_id })));
    expect(resultOf(await other.call('schedule.listAllActions'))).toEqual([
      { id: number, name: 'highstate', completedSystems: 0, failedSystems: 0, inProgressSystems: 2 },
    ]);
    const second = resultOf(await other.call('system.scheduleReboot', 1_500_000_010, aDate));
    expect(second).not.toBe(number);
    expect(resultOf(await one.call('schedule.cancelActions', [number, second]))).toBe(1);
    expect(resultOf(await one.call('schedule.listInProgressSystems', number))).toEqual([]);
  });

  it('follow with a key that only reads, and do not schedule for several servers, saying what it lacks', async () => {
    const number = resultOf(await (await gatewayBy(await numbersBy('number'))).call(...scheduling));
    const reader = await gatewayBy(await numbersBy('read'));
    expect(resultOf(await reader.call('schedule.listInProgressSystems', number))).toHaveLength(2);
    expect(await reader.call(...scheduling)).toMatchObject({
      fault: { code: 10003, text: expect.stringMatching(/does not pass system\.scheduleApplyHighstate on: .*number/) },
    });
    expect(resultOf(await reader.call('system.scheduleReboot', sid, aDate))).toBe(7_000 + sid);
  });

  it('record what was scheduled although Muster loses a call, and an answer', async () => {
    const { call } = await gatewayBy(await numbersBy('number'));
    const of = /^PUT /;
    lost.push({ when: 'before', of, times: 1 }, { when: 'after', of, times: 1 });
    const number = resultOf(await call(...scheduling));
    expect(lost.map(({ times }) => times)).toEqual([0, 0]);
    expect(paused).toEqual([250, 1_000]);
    expect(resultOf(await call('schedule.listInProgressSystems', number))).toHaveLength(2);
  });

  it('record what was scheduled although Muster is busy for a while', async () => {
    const numbers = await numbersBy('operate');
    const [one] = await numbers.reserve(1);
    lost.push({ when: 503, of: /^PUT /, times: 1 }, { when: 429, of: /^PUT /, times: 1 });
    await numbers.record(one!, [{ node: names[0], id: 7 }]);
    expect(paused).toEqual([250, 1_000]);
    expect(await numbers.partsOf(one!.number, wanted)).toEqual([{ node: names[0], id: 7 }]);
  });

  it('look nothing up for a caller that has gone', async () => {
    const numbers = await numbersBy('operate');
    const [one] = await numbers.reserve(1);
    const gone = AbortSignal.abort(new Error('the caller has gone'));
    await expect(numbers.partsOf(one!.number, gone)).rejects.toThrow('the caller has gone');
  });

  it('offer once what Muster refuses, and give up what is lost three times', async () => {
    const numbers = await numbersBy('number');
    const [one, other] = await numbers.reserve(2);
    const puts = { when: 'after', of: /^PUT /, times: 9 } as const;
    await expect(numbers.record({ ...one!, proof: other!.proof }, [{ node: names[0], id: 7 }])).rejects.toThrow(
      'the proof is not of the number',
    );
    expect(paused).toEqual([]);
    lost.push({ ...puts });
    await expect(numbers.record(one!, [{ node: names[0], id: 7 }])).rejects.toThrow('PUT ');
    expect([lost[0]!.times, paused]).toEqual([6, [250, 1_000]]);
  });

  it('schedule nothing while Muster is away', async () => {
    const { call } = await gatewayBy(await numbersBy('number'));
    lost.push({ when: 'before', of: /./, times: 9 });
    expect(await call(...scheduling)).toMatchObject({ fault: { text: expect.stringContaining('nothing is scheduled') } });
    expect(nodes.flatMap(({ calls }) => calls.filter(({ method }) => method.startsWith('system.schedule')))).toEqual([]);
  });

  it('that end after servers have scheduled an action, and before it is recorded, leave it without a number', async () => {
    const numbers = await numbersBy('number');
    const dying = await gatewayBy({ ...numbers, record: () => new Promise(() => undefined) });
    void dying.call(...scheduling).catch(() => undefined);
    await expect.poll(() => nodes.every(({ actions }) => actions.has(4))).toBe(true);

    const next = await gatewayBy(numbers);
    const sent = await next.gateway.send(callText('schedule.listAllActions', [next.key]));
    expect(resultOf(sent.read())).toEqual([]);
    expect(sent.headers['x-muster-failed']).toBe('node1.acme.org;unknown-actions=2, node2.acme.org;unknown-actions=2');
    // What is scheduled anew is another action, though its servers count alike.
    const number = resultOf(await next.call(...scheduling));
    expect(resultOf(await next.call('schedule.listInProgressSystems', number))).toHaveLength(2);
  });

  it('look actions up 200 at a time', async () => {
    const numbers = await numbersBy('number');
    const given = await numbers.reserve(450);
    await Promise.all(given.map((one, n) => numbers.record(one, [{ node: names[0], id: n + 1 }])));
    const reserved = given.map(({ number }) => number);
    const found = await numbers.numbersAt(names[0], [...reserved.keys()].map((n) => n + 1).concat(1_000));
    expect(found).toEqual(new Map(reserved.map((number, n) => [n + 1, number])));
    expect(await numbers.partsOf(reserved[449]!, wanted)).toEqual([{ node: names[0], id: 450 }]);
    for (const unknown of [4, reserved[449]! + 1, 2 ** 31]) expect(await numbers.partsOf(unknown, wanted)).toBeUndefined();
  });
});
