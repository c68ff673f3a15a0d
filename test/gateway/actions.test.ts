import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DateTime } from '../../lib/uyuni/xml-rpc/value.ts';
import { callText } from '../../lib/uyuni/xml-rpc/write.ts';
import { type ActionNumbers, actionsInMemory, NoNumber } from '../../programs/gateway/action-numbers.ts';
import { type AGateway, aGateway, resultOf, sendTo, twoEach } from '../support/a-gateway.ts';
import { aPlayedNode, type PlayedNode } from '../support/a-played-node.ts';

const first = 1_000_010_000;
const names = ['a.acme.test', 'b.acme.test', 'c.acme.test'] as const;
const [onA, onB, onC] = [first, 1_500_000_010, 1_500_000_020] as const;
const aDate = new DateTime('20310501T12:00:00');
const places = twoEach(names, first);
const wanted = new AbortController().signal;

type Entry = { readonly [name: string]: unknown };

describe('actions of a gateway with several servers', () => {
  let nodes: PlayedNode[];
  let gateway: AGateway;
  let key: string;
  let numbers: ActionNumbers;
  const trouble: { reserve?: NoNumber; record?: NoNumber; read?: NoNumber } = {};
  const called = (method: string): readonly unknown[] =>
    nodes.flatMap(({ name, calls }) => calls.filter((one) => one.method === method).map(({ params }) => [name, ...params]));
  const failing = async (error: NoNumber | undefined): Promise<void> => {
    if (error) throw error;
  };
  const signedIn = async (actions: ActionNumbers): Promise<{ readonly made: AGateway; readonly session: string }> => {
    const made = await aGateway(nodes, { places, actions });
    return { made, session: resultOf(await made.call('auth.login', 'admin', 'secret')) as string };
  };
  beforeEach(async () => {
    nodes = await Promise.all(names.map((name) => aPlayedNode(name, [first, first + 1])));
    for (const name of Object.keys(trouble) as (keyof typeof trouble)[]) delete trouble[name];
    const memory = actionsInMemory(() => 0 as never);
    numbers = {
      reserve: (count) => failing(trouble.reserve).then(() => memory.reserve(count)),
      record: (reserved, parts) => failing(trouble.record).then(() => memory.record(reserved, parts)),
      partsOf: (number, signal) => failing(trouble.read).then(() => memory.partsOf(number, signal)),
      numbersAt: (node, ids) => failing(trouble.read).then(() => memory.numbersAt(node, ids)),
    };
    ({ made: gateway, session: key } = await signedIn(numbers));
  });
  afterEach(async () => {
    await gateway.close();
    await Promise.all(nodes.map((one) => one.close()));
  });
  const highstate = (...sids: readonly number[]) => gateway.call('system.scheduleApplyHighstate', key, sids, aDate, false);
  const systemsOf = async (number: number, of = gateway, session = key): Promise<unknown[]> =>
    (resultOf(await of.call('schedule.listInProgressSystems', session, number)) as Entry[]).map(({ server_id }) => server_id);

  it('are asked of servers once Muster has given the number: what that takes is not taken from the time of servers', async () => {
    const slow: ActionNumbers = {
      ...numbers,
      reserve: (count) => new Promise((given) => void setTimeout(() => given(numbers.reserve(count)), 1_300)),
    };
    const { made, session } = await signedIn(slow);
    const text = callText('system.scheduleApplyHighstate', [session, [onA, onC], aDate, false]);
    const sent = await made.send(text, { 'x-deadline': '1' });
    expect(await systemsOf(resultOf(sent.read()) as number, made, session)).toEqual([onA, onC]);
    await made.close();
  });

  it('have one number for what several servers schedule, which leads to the parts of each', async () => {
    const number = resultOf(await highstate(onC, onA, first + 1)) as number;
    expect(called('system.scheduleApplyHighstate')).toEqual([
      ['a.acme.test', [first, first + 1], aDate, false],
      ['c.acme.test', [first], aDate, false],
    ]);
    expect(number).toBeGreaterThanOrEqual(1_500_000_000);
    expect(await systemsOf(number)).toEqual([onA, first + 1, onC]);
    expect(called('schedule.listInProgressSystems')).toEqual([
      ['a.acme.test', 4],
      ['c.acme.test', 4],
    ]);
  });

  it('have a number of the cluster also on one server, and where a server gives a list of them', async () => {
    const one = resultOf(await highstate(onB)) as number;
    const reboot = resultOf(await gateway.call('system.scheduleReboot', key, onB, aDate)) as number;
    expect(await numbers.partsOf(one, wanted)).toEqual([{ node: 'b.acme.test', id: 4 }]);
    expect(await numbers.partsOf(reboot, wanted)).toEqual([{ node: 'b.acme.test', id: 7_000 + first }]);
    expect(new Set([one, reboot]).size).toBe(2);
  });

  it('are cancelled, failed and read on the servers that have parts of them, by their numbers there', async () => {
    const [all, one] = [resultOf(await highstate(onA, onB)), resultOf(await gateway.call('system.scheduleReboot', key, onC, aDate))];
    expect(await gateway.call('schedule.failSystemAction', key, onB, all!)).toEqual({ ok: true, value: 1 });
    expect(called('schedule.failSystemAction')).toEqual([['b.acme.test', first, 4]]);
    expect(resultOf(await gateway.call('schedule.cancelActions', key, [all!, one!]))).toBe(1);
    expect(called('schedule.cancelActions')).toEqual([
      ['a.acme.test', [4]],
      ['b.acme.test', [4]],
      ['c.acme.test', [7_000 + first]],
    ]);
    expect(await systemsOf(all as number)).toEqual([]);
  });

  it('show the results of a script on all servers under their number', async () => {
    const number = resultOf(await highstate(onA, onB)) as number;
    const results = [
      { serverId: onA, output: 'done on a.acme.test' },
      { serverId: onB, output: 'done on b.acme.test' },
    ];
    expect(resultOf(await gateway.call('system.getScriptResults', key, number))).toEqual(results);
    expect(resultOf(await gateway.call('system.getScriptActionDetails', key, number))).toEqual({
      ...{ id: number, content: 'uptime', result: results },
    });
  });

  it('are listed once, with the counters of all parts, and without those that have no number', async () => {
    const number = resultOf(await highstate(onA, first + 1, onC));
    const sent = await gateway.send(callText('schedule.listInProgressActions', [key]));
    expect(resultOf(sent.read())).toEqual([{ id: number, name: 'highstate', completedSystems: 0, failedSystems: 0, inProgressSystems: 3 }]);
    expect(sent.headers['x-muster-failed']).toBe(
      'a.acme.test;unknown-actions=1, b.acme.test;unknown-actions=1, c.acme.test;unknown-actions=1',
    );
  });

  it('that are unknown are refused as a server refuses them, and no server hears of it', async () => {
    const number = resultOf(await highstate(onA)) as number;
    const unknown = (id: number) => ({ ok: false, fault: { code: 2700, text: `Could not find action with id: ${id}` } });
    for (const one of nodes) one.calls.length = 0;
    // A number of a server's own names another action on each.
    for (const id of [4, 7_000 + first, number + 1])
      expect(await gateway.call('schedule.listInProgressSystems', key, id)).toEqual(unknown(id));
    expect(await gateway.call('schedule.cancelActions', key, [number, 4])).toEqual(unknown(4));
    expect(await gateway.call('schedule.failSystemAction', key, onB, number)).toEqual(unknown(number));
    expect(nodes.flatMap(({ calls }) => calls)).toEqual([]);
  });

  it('that not all servers have scheduled can be cancelled by the number in the fault', async () => {
    nodes[1]!.troubles.set('system.scheduleApplyHighstate', { faults: { code: 2801, text: 'taskomatic is away' } });
    nodes[2]!.troubles.set('system.scheduleApplyHighstate', 'hangs');
    const text = callText('system.scheduleApplyHighstate', [key, [onA, onB, onC], aDate, false]);
    const answer = (await sendTo(gateway.url, text, { 'x-deadline': '0.3' })).read();
    expect(answer).toMatchObject({ ok: false, fault: { code: 2801 } });
    const said = answer.ok ? '' : answer.fault.text;
    expect(said).toMatch(
      /^taskomatic is away \(not done on b\.acme\.test; perhaps done on c\.acme\.test; done on a\.acme\.test\); what is done is action \d+$/,
    );
    const number = Number(/action (\d+)$/.exec(said)?.[1]);
    expect(await systemsOf(number)).toEqual([onA]);
    expect(resultOf(await gateway.call('schedule.cancelActions', key, [number]))).toBe(1);
  });

  it('that a server answers with what is no number are perhaps scheduled there', async () => {
    nodes[1]!.troubles.set('system.scheduleApplyHighstate', 'lies');
    expect(await highstate(onA, onB)).toMatchObject({
      fault: { text: expect.stringMatching(/\(perhaps done on b\.acme\.test; done on a\.acme\.test\); what is done is action \d+$/) },
    });
  });

  it('are recorded although their caller has gone', async () => {
    nodes[1]!.troubles.set('system.scheduleApplyHighstate', 'hangs');
    const gone = new AbortController();
    const body = callText('system.scheduleApplyHighstate', [key, [onA, onB], aDate, false]);
    const sent = fetch(`${gateway.url}/rpc/api`, { method: 'POST', body, headers: { 'x-deadline': '0.5' }, signal: gone.signal });
    await expect.poll(() => nodes[0]!.actions.size).toBe(2);
    gone.abort();
    await expect(sent).rejects.toThrow();
    await expect.poll(() => numbers.numbersAt('a.acme.test', [4]).then(({ size }) => size)).toBe(1);
  });

  it('are not scheduled while Muster gives no numbers', async () => {
    trouble.reserve = new NoNumber('Muster is away', false);
    for (const answer of [await highstate(onA), await highstate(onA, onB)])
      expect(answer).toMatchObject({ fault: { code: -1, text: expect.stringContaining('nothing is scheduled: Muster is away') } });
    expect(called('system.scheduleApplyHighstate')).toEqual([]);
  });

  it('have the number of their server where the key of the gateway may not number them, and are refused for several', async () => {
    trouble.reserve = new NoNumber('the key lacks the scope number', true);
    expect(resultOf(await highstate(onB))).toBe(4);
    expect(await highstate(onA, onB)).toMatchObject({
      fault: { code: 10003, text: expect.stringMatching(/gives the number of one action.*\(the key lacks the scope number\)\.$/) },
    });
    expect(called('system.scheduleApplyHighstate')).toEqual([['b.acme.test', [first], aDate, false]]);
  });

  it('that Muster does not record are named by their numbers on their servers', async () => {
    trouble.record = new NoNumber('Muster is away', false);
    expect(await highstate(onA, onB)).toMatchObject({
      fault: {
        text: expect.stringContaining(
          'it is scheduled as action 4 on a.acme.test, as action 4 on b.acme.test, and Muster has not recorded it',
        ),
      },
    });
  });

  it('are not followed or listed while Muster does not say what their numbers are', async () => {
    const number = resultOf(await highstate(onA, onB)) as number;
    trouble.read = new NoNumber('Muster is away', false);
    for (const [method, ...params] of [['schedule.cancelActions', [number]], ['schedule.listAllActions']] as const)
      expect(await gateway.call(method, key, ...params)).toMatchObject({
        fault: { code: -1, text: expect.stringContaining('Muster is away') },
      });
    expect(called('schedule.cancelActions')).toEqual([]);
  });

  it('are known to another gateway, and to one that was started again', async () => {
    const number = resultOf(await highstate(onA, onC)) as number;
    await gateway.close();
    const { made, session } = await signedIn(numbers);
    expect(await systemsOf(number, made, session)).toEqual([onA, onC]);
    ({ made: gateway, session: key } = { made, session });
  });

  it('are followed without a server that hangs, which is named', async () => {
    const number = resultOf(await highstate(onA, onB)) as number;
    nodes[1]!.trouble = 'hangs';
    const sent = await sendTo(gateway.url, callText('schedule.listInProgressSystems', [key, number]), { 'x-deadline': '0.3' });
    expect((resultOf(sent.read()) as Entry[]).map(({ server_id }) => server_id)).toEqual([onA]);
    expect(sent.headers['x-muster-failed']).toBe('b.acme.test;deadline');
  });
});
