import { beforeEach, describe, expect, it } from 'vitest';
import type { SystemActionView } from '../../../lib/clients/actions/routes.ts';
import { SystemAction, systemActionRef } from '../../../lib/clients/actions/rows/system-action.ts';
import { write } from '../../../lib/core/decision.ts';
import { type ActionNumber, firstActionNumber } from '../../../lib/core/ids.ts';
import { dayMs, hourMs, minuteMs } from '../../../lib/core/time.ts';
import { minionTextFingerprintsOf } from '../../../lib/identity/fingerprint.ts';
import { contentOf } from '../../../lib/runtime/content.ts';
import { minionKeyOf } from '../../../tools/support/minion-keys.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';

/* An action on client systems: ordered as a whole, taken once by each node, and never more than its client systems. */

let world: World;
let one: Agent;
let two: Agent;
beforeEach(async () => {
  world = await stepped();
  one = await new Agent(world, 'node1.acme.org').start({ kind: 'uyuni' });
  two = await new Agent(world, 'node2.acme.org').start({ kind: 'uyuni' });
});

/** Systems of a node, which were adopted there: their fingerprints. */
async function systemsOf(node: Agent, count: number, name = node.fqdn): Promise<string[]> {
  const { body } = await world.call('POST', `/api/v1/nodes/${node.fqdn}/adoption`, {});
  const { order } = body as { order: string };
  const systems = Array.from({ length: count }, (_, n) => {
    const minion = `s${String(n).padStart(3, '0')}.${name}`;
    const { publicKey, fingerprint: fp } = minionKeyOf(minion);
    return { minion, fp, ofText: minionTextFingerprintsOf(publicKey), name: minion, machineId: `machine-${minion}` };
  });
  for (let at = 0; at < count; at += 50) {
    const some = systems.slice(at, at + 50);
    const end = at + 50 >= count ? { end: {} } : {};
    await node.call('POST', `/nodes/${node.id}/adoption`, { incarnation: node.incarnation, order, total: count, systems: some, ...end });
  }
  await world.step(0);
  return systems.map(({ fp }) => fp);
}

type Ordered = {
  readonly action?: number;
  readonly systems: number;
  readonly results: readonly { readonly fp: string; readonly done: boolean; readonly because: string }[];
  readonly next?: string;
  readonly left?: number;
};
const highstate = { do: 'highstate' };
const act = (body: object, headers?: Readonly<Record<string, string>>) => world.call('POST', '/api/v1/systems/act', body, headers);
const ordered = async (body: object): Promise<Ordered> => {
  const reply = await act(body);
  expect(reply.status).toBeLessThan(300);
  return reply.body as Ordered;
};
const shown = async (number: number | undefined) => (await world.call('GET', `/api/v1/system-actions/${number}`)).body as SystemActionView;
const take = async (node: Agent, number: number | undefined) =>
  (await node.call('POST', `/nodes/${node.id}/actions/${number}/take`, { incarnation: node.incarnation })).body as Record<string, unknown>;
const systemsIn = async (node: Agent, number: number | undefined, from = 0) =>
  (await node.call('GET', `/nodes/${node.id}/actions/${number}/systems?from=${from}`)).body as { systems: string[]; next?: number };
const none = { done: 0, failed: 0, left: 0, unknown: 0, cancelled: 0, examples: [] };
const report = (node: Agent, number: number | undefined, body: object) =>
  node.call('POST', `/nodes/${node.id}/actions/${number}`, { incarnation: node.incarnation, ...none, ...body });
const asked = async (node: Agent) => ((await node.desired()).body as { act?: { number: number }[] }).act?.map(({ number }) => number);
const preview = async (q: string) =>
  ((await world.call('GET', `/api/v1/systems/find?${new URLSearchParams({ q, expect: 'yes', limit: '0' })}`)).body as { expect: object })
    .expect;

describe('an action on client systems that are named', () => {
  it('is asked of the agents of their nodes, and shows how far each has come', async () => {
    const [a = '', b = ''] = await systemsOf(one, 2);
    const [c = ''] = await systemsOf(two, 1);
    const { action, results, systems } = await ordered({ systems: [a, b, c], action: highstate });
    expect(systems).toBe(3);
    expect(results.map(({ done, because }) => `${done} ${because}`)).toEqual([
      'true ordered at node1.acme.org',
      'true ordered at node1.acme.org',
      'true ordered at node2.acme.org',
    ]);
    expect([await asked(one), await asked(two)]).toEqual([[action], [action]]);
    expect(await shown(action)).toMatchObject({ state: 'under-way', systems: 3, inProgress: 3, what: { do: 'highstate', test: false } });

    expect(await take(one, action)).toMatchObject({ is: 'taken', what: { do: 'highstate', test: false }, calls: 1, systems: 2 });
    expect(await asked(one)).toBeUndefined();
    expect((await systemsIn(one, action)).systems.toSorted()).toEqual([a, b].toSorted());
    await report(one, action, { seq: 1, state: 'scheduled', id: 17 });
    await report(one, action, { seq: 2, state: 'ended', id: 17, done: 1, failed: 1, examples: [{ fp: b, is: 'failed', why: 'no space' }] });
    expect(await shown(action)).toMatchObject({
      ...{ state: 'under-way', systems: 3, done: 1, failed: 1, inProgress: 1 },
      examples: [{ fp: b, fqdn: `s001.${one.fqdn}`, is: 'failed', why: 'no space' }],
      nodes: [
        { fqdn: one.fqdn, state: 'ended', id: 17 },
        { fqdn: two.fqdn, state: 'waiting' },
      ],
    });
    await take(two, action);
    await report(two, action, { seq: 1, state: 'ended', id: 4, done: 1 });
    expect(await shown(action)).toMatchObject({ state: 'ended', done: 2, failed: 1, inProgress: 0 });
  });

  it('is an action of the cluster with a part on each server that has it as one', async () => {
    const fps = [...(await systemsOf(one, 1)), ...(await systemsOf(two, 1))];
    const { action } = await ordered({ systems: fps, action: highstate });
    await take(one, action);
    await report(one, action, { seq: 1, state: 'scheduled', id: 17 });
    expect((await world.call('GET', `/api/v1/actions/${action}`)).body).toMatchObject({ parts: [{ node: one.fqdn, id: 17 }] });
    await take(two, action);
    await report(two, action, { seq: 1, state: 'scheduled', id: 3 });
    await report(two, action, { seq: 2, state: 'ended', id: 4, done: 1 });
    expect((await world.call('GET', `/api/v1/actions/${action}`)).body).toMatchObject({ parts: [{ id: 17 }, { id: 3 }] });
    expect((await world.call('GET', `/api/v1/actions?node=${two.fqdn}&ids=3,4`)).body).toEqual({ items: [{ id: 3, number: action }] });
  });

  it('leaves out those that no Uyuni server has now, and says why', async () => {
    const salt = await new Agent(world, 'node3.acme.org').start({ kind: 'salt' });
    const [there = ''] = await systemsOf(salt, 1);
    const waits = new Daemon(world, 'waits.acme.org');
    await waits.knock();
    const nowhere = new Daemon(world, 'nowhere.acme.org');
    await nowhere.accepted();
    const { action, results, systems } = await ordered({
      systems: [there, waits.fp, nowhere.fp, 'f'.repeat(64)],
      action: highstate,
    });
    expect([action, systems]).toEqual([undefined, 0]);
    expect(new Map(results.map(({ fp, because }) => [fp, because]))).toEqual(
      new Map([
        [there, 'its node node3.acme.org is of kind salt: only Uyuni servers act on client systems'],
        [waits.fp, 'not accepted yet'],
        [nowhere.fp, 'it is on no node now'],
        ['f'.repeat(64), 'this key never knocked, or its knock has expired'],
      ]),
    );
  });

  it('is ordered once by an Idempotency-Key', async () => {
    const systems = await systemsOf(one, 1);
    const key = { 'idempotency-key': 'reboot-web' };
    const first = (await act({ systems, action: { do: 'reboot' } }, key)).body;
    expect((await act({ systems, action: { do: 'reboot' } }, key)).body).toEqual(first);
    expect(await asked(one)).toHaveLength(1);
  });
});

describe('the part of a node', () => {
  const begun = async (count = 2) => (await ordered({ systems: await systemsOf(one, count), action: { do: 'reboot' } })).action;

  it('is taken once: an agent that has forgotten it is not asked again, and one that asks again learns the same', async () => {
    const action = await begun();
    expect(await take(one, action)).toMatchObject({ is: 'taken' });
    expect(await take(one, action)).toMatchObject({ is: 'taken', systems: 2 });
    expect(await asked(one)).toBeUndefined();
    await report(one, action, { seq: 1, state: 'scheduled' });
    expect(await take(one, action)).toEqual({ is: 'gone', why: 'it is scheduled' });
  });

  it('is no other node’s', async () => {
    const action = await begun();
    expect(await take(two, action)).toMatchObject({ is: 'gone' });
    expect(await systemsIn(two, action)).toEqual({ systems: [] });
    await report(two, action, { seq: 1, state: 'ended', done: 2 });
    expect(await shown(action)).toMatchObject({ done: 0, inProgress: 2 });
  });

  it('is not lost where its agent asks between the two commits of an order, and is taken after them', async () => {
    const systems = await systemsOf(one, 1);
    const { table } = world;
    const commit = table.commit.bind(table);
    const between: unknown[] = [];
    table.commit = async (changes) => {
      const isOrder = changes.some((change) => 'put' in change && change.put.key.sk.startsWith('added#'));
      if (isOrder) between.push(await take(one, (await asked(one))?.[0]));
      return commit(changes);
    };
    const { action } = await ordered({ systems, action: highstate });
    table.commit = commit;
    expect(between).toEqual([{ is: 'later', why: 'its client systems are still being added' }]);
    expect(await asked(one)).toEqual([action]);
    expect(await take(one, action)).toMatchObject({ is: 'taken', systems: 1 });
  });

  it('is given up after an hour where the order never came to its end', async () => {
    const systems = await systemsOf(one, 1);
    const { table } = world;
    const commit = table.commit.bind(table);
    table.commit = async (changes) => {
      if (changes.some((change) => 'put' in change && change.put.key.sk.startsWith('added#'))) throw new Error('it ended');
      return commit(changes);
    };
    expect(await act({ systems, action: highstate })).toMatchObject({ status: 500 });
    table.commit = commit;
    const [number] = (await asked(one)) ?? [];
    expect(await take(one, number)).toMatchObject({ is: 'later' });
    await world.step(hourMs + 1_000);
    expect(await take(one, number)).toMatchObject({ is: 'gone' });
    expect(await asked(one)).toBeUndefined();
  });

  it('is not taken after an hour, and shows that', async () => {
    const action = await begun();
    await world.step(hourMs + 1_000);
    expect(await take(one, action)).toEqual({ is: 'gone', why: 'its time has passed' });
    expect(await asked(one)).toBeUndefined();
    expect(await shown(action)).toMatchObject({ state: 'ended', left: 2, nodes: [{ state: 'late' }] });
  });

  it('never has more client systems than were ordered, and takes each report once, in their order', async () => {
    const action = await begun();
    await take(one, action);
    expect(await report(one, action, { seq: 1, state: 'scheduled', done: 2, failed: 1 })).toMatchObject({ status: 422 });
    await report(one, action, { seq: 2, state: 'scheduled', done: 1 });
    await report(one, action, { seq: 1, state: 'ended', failed: 2 });
    expect(await shown(action)).toMatchObject({ state: 'under-way', done: 1, failed: 0 });
    await report(one, action, { seq: 3, state: 'ended', done: 2 });
    await report(one, action, { seq: 4, state: 'scheduled', done: 0 });
    expect(await shown(action)).toMatchObject({ state: 'ended', done: 2 });
  });

  it('is refused while a hundred others wait for its agent', async () => {
    const systems = await systemsOf(one, 1);
    for (let n = 0; n < 100; n++) await ordered({ systems, action: highstate });
    const reply = await act({ systems, action: highstate });
    expect(reply).toMatchObject({ status: 409, body: { detail: expect.stringContaining('100 orders wait for its agent') } });
    // Nobody is asked when one cannot be.
    const both = [...(await systemsOf(two, 1)), ...systems];
    expect(await act({ systems: both, action: highstate })).toMatchObject({ status: 409 });
    expect(await asked(two)).toBeUndefined();
    await world.step(hourMs + 60_000);
    expect(await asked(one)).toHaveLength(100);
    await ordered({ systems, action: highstate });
    expect(await asked(one)).toHaveLength(1);
  });
});

describe('an action that is cancelled', () => {
  const cancel = (number: number | undefined, headers?: Readonly<Record<string, string>>) =>
    world.call('POST', `/api/v1/system-actions/${number}/cancel`, undefined, headers);

  it('is not carried out where no agent has taken it, and goes on elsewhere', async () => {
    const systems = [...(await systemsOf(one, 2)), ...(await systemsOf(two, 3))];
    const { action } = await ordered({ systems, action: { do: 'reboot' } });
    await take(one, action);
    expect(await cancel(action)).toMatchObject({ status: 200, body: { cancelled: 3, others: 2 } });
    expect(await shown(action)).toMatchObject({
      ...{ state: 'under-way', cancelled: 3, inProgress: 2, others: 3 },
      nodes: [{ state: 'taken' }, { state: 'ended', cancelled: 3, why: 'cancelled by operator' }],
    });
    expect(await take(two, action)).toEqual({ is: 'gone', why: 'cancelled by operator' });
    expect(await asked(two)).toBeUndefined();
    await report(two, action, { seq: 1, state: 'ended', done: 3 });
    expect(await shown(action)).toMatchObject({ done: 0, cancelled: 3 });
    await report(one, action, { seq: 1, state: 'ended', done: 2 });
    expect(await cancel(action)).toMatchObject({ status: 200, body: { cancelled: 3, others: 2 } });
    expect(await shown(action)).toMatchObject({ state: 'ended', done: 2, cancelled: 3 });
    await world.step(hourMs);
    const { items } = (await world.call('GET', '/api/v1/audit')).body as { items: { what: { noun: string }; because: string }[] };
    expect(items.filter(({ what }) => what.noun === 'system-action').map(({ because }) => because)).toEqual([
      'reboot on 5 client systems',
      'reboot cancelled on 3 client systems',
    ]);
  });

  it('stays as it is where all of it was taken, is not whole, or its time has passed', async () => {
    const systems = await systemsOf(one, 201);
    const order = { query: 'name:*.acme.org', expect: await preview('name:*.acme.org'), action: highstate };
    const { next } = await ordered(order);
    const collecting = await ordered({ ...order, cursor: next });
    expect(await cancel(collecting.action)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('still being added') } });
    const { action } = await ordered({ systems: systems.slice(0, 1), action: highstate });
    await take(one, action);
    expect(await cancel(action)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('on the servers') } });
    const late = await ordered({ systems: systems.slice(0, 1), action: highstate });
    world.sleep(hourMs + 1_000);
    expect(await cancel(late.action)).toMatchObject({ status: 409 });
    expect(await shown(late.action)).toMatchObject({ left: 1, cancelled: 0 });
    expect(await cancel(firstActionNumber + 60)).toMatchObject({ status: 404 });
  });

  it('is cancelled or taken, whichever is first, where both happen at once', async () => {
    const { action } = await ordered({ systems: await systemsOf(one, 2), action: { do: 'reboot' } });
    const { table } = world;
    const commit = table.commit.bind(table);
    let taken: unknown;
    table.commit = async (changes) => {
      table.commit = commit;
      taken = await take(one, action);
      return commit(changes);
    };
    expect(await cancel(action)).toMatchObject({ status: 409 });
    expect(taken).toMatchObject({ is: 'taken' });
    expect(await shown(action)).toMatchObject({ inProgress: 2, cancelled: 0 });
  });

  it('takes the scope operate in all zones that take part', async () => {
    const { action } = await ordered({ systems: await systemsOf(one, 1), action: highstate });
    expect(await cancel(action, await withRights(['read']))).toMatchObject({ status: 403 });
    await world.call('POST', '/api/v1/zones', { name: 'emea' });
    expect(await cancel(action, await withRights(['operate'], ['emea']))).toMatchObject({ status: 404 });
    expect(await cancel(action, await withRights(['operate']))).toMatchObject({ status: 200 });
  });
});

describe('an agent that has lost its folder', () => {
  const begun = async () => (await ordered({ systems: await systemsOf(one, 2), action: { do: 'reboot' } })).action;

  it('leaves its part as not known after a day, which is then what it stays', async () => {
    const action = await begun();
    await take(one, action);
    world.sleep(dayMs);
    expect(await shown(action)).toMatchObject({ state: 'under-way', inProgress: 2 });
    world.sleep(minuteMs);
    const lost = {
      state: 'ended',
      inProgress: 0,
      unknown: 2,
      others: 2,
      nodes: [{ state: 'ended', why: expect.stringContaining('in time') }],
    };
    expect(await shown(action)).toMatchObject(lost);
    expect(await take(one, action)).toEqual({ is: 'gone', why: 'what became of it was not reported in time' });
    expect((await report(one, action, { seq: 1, state: 'ended', done: 2 })).body).toEqual({
      because: 'what became of it was not reported in time',
    });
    expect(await shown(action)).toMatchObject(lost);
  });

  it('has eight days after each report, and what it had reported counts', async () => {
    const action = await begun();
    await take(one, action);
    await report(one, action, { seq: 1, state: 'scheduled', done: 1 });
    world.sleep(8 * dayMs);
    expect(await shown(action)).toMatchObject({ state: 'under-way', done: 1, inProgress: 1 });
    world.sleep(minuteMs);
    expect(await shown(action)).toMatchObject({ state: 'ended', done: 1, unknown: 1, inProgress: 0 });
  });
});

describe('an action on many', () => {
  it('names at most 200 that have not done it, of all nodes in turn, and how many more there are', async () => {
    const nodes = [one, two, ...(await Promise.all([3, 4, 5].map((n) => new Agent(world, `node${n}.acme.org`).start({ kind: 'uyuni' }))))];
    const fps = new Map<Agent, string[]>();
    for (const node of nodes) fps.set(node, await systemsOf(node, 60));
    const order = { query: 'name:*.acme.org', expect: await preview('name:*.acme.org'), action: highstate };
    const first = await ordered(order);
    const second = await ordered({ ...order, cursor: first.next });
    const { action } = await ordered({ ...order, cursor: second.next });
    for (const node of nodes) {
      await take(node, action);
      const examples = fps
        .get(node)!
        .slice(0, 50)
        .map((fp) => ({ fp, is: 'failed', why: 'no space' }));
      await report(node, action, { seq: 1, state: 'ended', done: 5, failed: 55, examples });
    }
    const { examples, others, failed } = await shown(action);
    expect({ shown: examples.length, others, failed }).toEqual({ shown: 200, others: 75, failed: 275 });
    for (const node of nodes) expect(examples.filter(({ fqdn }) => fqdn?.endsWith(node.fqdn))).toHaveLength(40);
  });

  it('is for at most 1,000 nodes, whether or not the call is the last', async () => {
    const planted = async (order: { next?: string }) => {
      const number = Number(order.next?.slice(0, 10)) as ActionNumber;
      const named = (n: number) => ({ node: `n${String(n).padStart(16, '0')}`, fqdn: `n${n}.acme.org`, zone: 'default', systems: 1 });
      const row: SystemAction = SystemAction.parse({
        ...{ what: { do: 'reboot' }, by: 'operator', orderedAt: world.now(), state: 'collecting', calls: 0, until: 0, expiresAt: 9e12 },
        nodes: Array.from({ length: 1_000 }, (_, n) => named(n)),
      });
      const cause = { by: 'test', at: world.now(), exact: true };
      const put = contentOf(systemActionRef(number), undefined, write<SystemAction, never>(row, 'planted'), cause);
      await world.table.commit([{ put: put!, readRev: 0 }]);
    };
    const refused = { status: 409, body: { detail: '1001 nodes take part, and one action is for at most 1000: narrow the query' } };
    await systemsOf(one, 1);
    const last = { query: 'name:*.acme.org', expect: await preview('name:*.acme.org'), action: highstate };
    const begun = await ordered(last);
    await planted(begun);
    expect(await act({ ...last, cursor: begun.next })).toMatchObject(refused);
    expect(await asked(one)).toBeUndefined();
    await systemsOf(one, 201);
    const first = { ...last, expect: await preview('name:*.acme.org') };
    const next = await ordered(first);
    await planted(next);
    expect(await act({ ...first, cursor: next.next })).toMatchObject(refused);
  });
});

describe('an action by a query', () => {
  it('begins with the last of its calls, and each can be repeated', async () => {
    const fps = [...(await systemsOf(one, 150)), ...(await systemsOf(two, 55))].toSorted();
    const order = { query: 'name:*.acme.org', expect: await preview('name:*.acme.org'), action: highstate };
    const first = await ordered(order);
    expect(first).toMatchObject({ results: [], systems: 0, left: 205 });
    const second = await ordered({ ...order, cursor: first.next });
    expect(second).toMatchObject({ systems: 200, left: 5 });
    expect(await ordered({ ...order, cursor: first.next })).toEqual(second);
    expect(await shown(second.action)).toMatchObject({ state: 'collecting', systems: 200 });
    expect([await asked(one), await asked(two)]).toEqual([undefined, undefined]);
    expect(await take(one, second.action)).toMatchObject({ is: 'later' });

    const third = await ordered({ ...order, cursor: second.next });
    expect(third).toMatchObject({ action: second.action, systems: 205 });
    expect(third.next).toBeUndefined();
    expect(await ordered({ ...order, cursor: second.next })).toEqual(third);
    expect([...second.results, ...third.results].map(({ fp }) => fp).toSorted()).toEqual(fps);
    expect(await take(one, third.action)).toMatchObject({ is: 'taken', calls: 2, systems: 150 });
    expect((await systemsIn(one, third.action)).systems).toHaveLength(150);
    expect(await take(two, third.action)).toMatchObject({ is: 'taken', systems: 55 });

    await world.step(hourMs);
    const { items } = (await world.call('GET', '/api/v1/audit')).body as {
      items: { what: { noun: string; id: string }; because: string }[];
    };
    // However many calls there were, the audit has the order once.
    expect(items.filter(({ what }) => what.noun === 'system-action')).toMatchObject([
      { what: { id: String(third.action) }, because: 'apply the highstate on 205 client systems' },
    ]);
  });

  it('is refused when others match than were previewed, and for a cursor of another action', async () => {
    await systemsOf(one, 2);
    const order = { query: 'name:*.acme.org', expect: await preview('name:*.acme.org'), action: highstate };
    const { next = '' } = await ordered(order);
    const other = `${Number(next.slice(0, 10)) + 1}${next.slice(10)}`;
    expect(await act({ ...order, cursor: other })).toMatchObject({ status: 400, body: { type: 'urn:muster:problem:bad-cursor' } });
    expect(await act({ ...order, cursor: next.slice(11) })).toMatchObject({ body: { type: 'urn:muster:problem:bad-cursor' } });
    expect(await act({ ...order, action: { do: 'reboot' }, cursor: next })).toMatchObject({
      body: { type: 'urn:muster:problem:bad-cursor' },
    });
    await systemsOf(two, 1);
    expect(await act(order)).toMatchObject({ status: 409, body: { type: 'urn:muster:problem:matches-changed' } });
  });

  it('that matches nothing orders nothing', async () => {
    const order = { query: 'name:nobody*', expect: await preview('name:nobody*'), action: highstate };
    expect(await ordered(order)).toEqual({ results: [], systems: 0, left: 0 });
  });
});

/** The headers of a key that has these scopes, everywhere or in some zones. */
async function withRights(scopes: readonly string[], zones?: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const { body } = await world.call('POST', '/api/v1/keys', { name: scopes.join(), scopes, ...(zones && { zones }) });
  return { authorization: `Bearer ${(body as { secret: string }).secret}` };
}

describe('who may', () => {
  const command = { do: 'command', script: '#!/bin/sh\nuptime\n' };

  it('run a command has the scope execute, and only there; who lacks it does not read the script', async () => {
    const [fp = ''] = await systemsOf(one, 1);
    const operates = await withRights(['operate']);
    expect(await act({ systems: [fp], action: command }, operates)).toMatchObject({
      status: 403,
      body: { type: 'urn:muster:problem:insufficient-scope' },
    });
    expect(await act({ systems: [fp], action: highstate }, operates)).toMatchObject({ status: 202 });
    const runs = await withRights(['execute']);
    const { action } = (await act({ systems: [fp], action: command }, runs)).body as Ordered;
    const view = async (headers: Readonly<Record<string, string>>) =>
      ((await world.call('GET', `/api/v1/system-actions/${action}`, undefined, headers)).body as SystemActionView).what;
    expect(await view(runs)).toMatchObject({ ...command, user: 'root' });
    expect(await view(operates)).toEqual({ do: 'command' });
  });

  it('act on client systems of a zone, and see an action, has rights in all zones that take part', async () => {
    await world.call('POST', '/api/v1/zones', { name: 'emea' });
    const token = (await world.call('POST', '/api/v1/node-tokens', { nodes: 'node3.acme.org', zone: 'emea', kind: 'uyuni' })).body as {
      secret: string;
    };
    const there = await new Agent(world, 'node3.acme.org').start({ kind: 'uyuni', zone: 'emea', token: token.secret });
    const [[here = ''], [away = '']] = [await systemsOf(one, 1), await systemsOf(there, 1)];
    const limited = await withRights(['operate'], ['emea']);
    const { results, action } = (await act({ systems: [here, away], action: highstate }, limited)).body as Ordered;
    expect(results).toMatchObject([
      { fp: away, done: true },
      { fp: here, done: false, because: 'this key never knocked, or its knock has expired' },
    ]);
    const both = await ordered({ systems: [here, away], action: highstate });
    const view = (number: number | undefined) => world.call('GET', `/api/v1/system-actions/${number}`, undefined, limited);
    expect(await view(action)).toMatchObject({ status: 200, body: { systems: 1 } });
    expect(await view(both.action)).toMatchObject({ status: 404 });
  });
});
