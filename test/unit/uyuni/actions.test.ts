import { beforeEach, describe, expect, it, vi } from 'vitest';
import admin from '../../../functions/admin.ts';
import { write } from '../../../lib/core/decision.ts';
import { type Fqdn, firstActionNumber, type NodeId, type ZoneName } from '../../../lib/core/ids.ts';
import { hourMs } from '../../../lib/core/time.ts';
import type { AdminScope } from '../../../lib/identity/rights.ts';
import { rightsOf } from '../../../lib/identity/rights.ts';
import { fqdnRef } from '../../../lib/nodes/rows/name.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { apply } from '../../../lib/runtime/apply.ts';
import { read } from '../../../lib/runtime/read.ts';
import { decideNumbers } from '../../../lib/uyuni/actions/decide.ts';
import type { ActionView } from '../../../lib/uyuni/actions/routes.ts';
import { actionNumbersRef, actionRef, knownForMs } from '../../../lib/uyuni/actions/rows/action.ts';
import { restored } from '../../../programs/transfer/import.ts';
import { storeDirectly } from '../../../tools/bench/sizes.ts';
import { aRequest } from '../../../tools/support/a-request.ts';
import { aShell, committing, type TestShell } from '../../../tools/support/a-shell.ts';
import { aNode, nodeId } from '../../../tools/support/builders.ts';
import { asOperator } from '../../../tools/support/operator.ts';
import { aKey, showing } from '../../support/callers.ts';

/* What several servers have scheduled as one action has one number of 31 bits, whichever gateway is asked. */

let shell: TestShell;
const nodes = ['node1.acme.org', 'node2.acme.org'] as const;
const store = async (fqdn: string, n: number, more: object = {}): Promise<void> => {
  const id = nodeId(n) as NodeId;
  await storeDirectly(shell, { noun: 'node', id }, aNode({ id, fqdn: fqdn as Fqdn, kind: 'uyuni', ...more }));
  await storeDirectly(shell, { noun: 'fqdn', id: fqdn }, { node: id });
};
const storeMany = async (count: number) => {
  const many = Array.from({ length: count }, (_, n) => ({ node: `many${n}.acme.org`, id: 7 }));
  for (const [n, { node }] of many.entries()) await store(node, 100 + n);
  return many;
};
beforeEach(async () => {
  shell = aShell();
  proofs = new Map();
  for (const [n, fqdn] of nodes.entries()) await store(fqdn, n + 1);
});

type Found = { readonly items: readonly { readonly id: number; readonly number: number }[] };
type Reserved = { readonly number: number; readonly proof: string };
type Got = { readonly status: number; readonly body: ActionView & Found & { readonly numbers: Reserved[]; readonly detail: string } };
const call = async (method: string, path: string, body?: object, headers: object = asOperator): Promise<Got> => {
  const [at, query = ''] = path.split('?') as [string, string?];
  const json = body && { 'content-type': 'application/json' };
  const asked = { method, path: `/api/v1/actions${at}`, query, body: body ? JSON.stringify(body) : '', headers: { ...json, ...headers } };
  const reply = await admin.handle(aRequest(asked), shell);
  return { status: reply.status, body: JSON.parse(reply.body ?? 'null') };
};
let proofs: Map<number, string>;
/** Reserves numbers, and remembers their proofs. */
const reserved = async (count = 1): Promise<number[]> => {
  const { numbers } = (await call('POST', '/numbers', { count })).body;
  for (const { number, proof } of numbers) proofs.set(number, proof);
  return numbers.map(({ number }) => number);
};
const parts = (...ids: readonly number[]) => ids.map((id, n) => ({ node: nodes[n]!, id }));
const recordParts = (number: number, given: readonly object[], headers: object = asOperator, proof = proofs.get(number)) =>
  call('PUT', `/${number}`, { proof, parts: given }, headers);
const record = (number: number, ...ids: readonly number[]) => recordParts(number, parts(...ids));
const found = async (node: string, ...ids: readonly number[]) => (await call('GET', `?node=${node}&ids=${ids.join(',')}`)).body.items;

describe('numbers of actions', () => {
  it('are given once, 64 for a commit, also by environments that reserve at the same time', async () => {
    const given = await Promise.all([reserved(100), reserved(3), reserved()]);
    const all = given.flat();
    expect(new Set(all).size).toBe(104);
    expect(all.toSorted()).toEqual(Array.from({ length: 104 }, (_, n) => firstActionNumber + n));
    shell.caches.clear();
    expect(await reserved()).toEqual([firstActionNumber + 128]);
  });

  it('end where 31 bits do', () => {
    expect(decideNumbers({ next: 2 ** 31 - 3 }, { id: 'i', count: 64 })).toMatchObject({
      does: 'nothing',
      because: 'no numbers of actions are left',
    });
  });

  it('lead to the parts of an action, and are found by them', async () => {
    const [number] = await reserved();
    const expiresAt = new Date(shell.now() + knownForMs).toISOString();
    const view = { number, parts: parts(7, 7), recordedAt: new Date(shell.now()).toISOString(), expiresAt };
    expect(await record(number!, 7, 7)).toEqual({ status: 200, body: view });
    expect(await call('GET', `/${number}`)).toEqual({ status: 200, body: view });
    expect(await found('node2.acme.org', 6, 7, 8, 7)).toEqual([{ id: 7, number }]);
    expect(await found('node1.acme.org', 8)).toEqual([]);
  });

  it('stand for one action for good: the same parts may be sent again, and no others', async () => {
    const [number] = await reserved();
    await record(number!, 7, 8);
    expect((await recordParts(number!, parts(7, 8).toReversed())).status).toBe(200);
    for (const ids of [[7], [7, 9], [9, 8]])
      expect(await record(number!, ...ids)).toMatchObject({
        status: 409,
        body: { detail: `the number ${number} stands for another action` },
      });
    expect((await call('GET', `/${number}`)).body.parts).toEqual(parts(7, 8));
    expect(await found('node2.acme.org', 9)).toEqual([]);
  });

  it('are recorded by whoever has reserved them alone: the proof of a number is of no other one', async () => {
    const [number, other] = await reserved(2);
    for (const proof of [proofs.get(other!), 'A'.repeat(35), proofs.get(number!)!.replace(/.$/, (end) => (end === 'A' ? 'E' : 'A'))])
      expect(await recordParts(number!, parts(7), asOperator, proof)).toMatchObject({
        status: 409,
        body: { detail: expect.stringContaining(`is not of the number ${number}`) },
      });
    expect(await read(shell, actionRef(number!))).toBeUndefined();
    expect((await call('PUT', `/${number}`, { parts: parts(7) })).status).toBe(422);
  });

  it('are recorded within an hour, and never again once their record has expired', async () => {
    const [number, late] = await reserved(2);
    shell.step(hourMs - 1);
    expect((await record(number!, 7)).status).toBe(200);
    shell.step(1);
    expect((await record(late!, 7)).status).toBe(409);
    shell.step(knownForMs);
    expect(await record(number!, 9)).toMatchObject({ status: 409, body: { detail: expect.stringContaining('more than an hour ago') } });
    expect((await call('GET', `/${number}`)).status).toBe(404);
  });

  it('are recorded also by an environment that has given none, and after the key of proofs was rotated', async () => {
    const [number] = await reserved();
    shell.caches.clear();
    await shell.keys.rotate({ from: 1, secret: new Uint8Array(32).fill(8), at: shell.now() });
    expect((await record(number!, 7)).status).toBe(200);
  });

  it('cost no write where the same parts are sent again', async () => {
    const [number] = await reserved();
    await record(number!, 7, 8);
    const before = new Map(shell.table.rows);
    expect((await record(number!, 7, 8)).status).toBe(200);
    // A commit puts another row in the place of one.
    for (const [name, row] of shell.table.rows) expect(row, name).toBe(before.get(name));
  });

  it('find the parts of later commits once the same parts are sent again, where one of these was lost', async () => {
    const many = await storeMany(95);
    const [number] = await reserved();
    let commits = 0;
    const whole = shell;
    shell = committing(whole, async (stored, changes) => {
      commits += 1;
      if (commits > 1) throw new Error('the environment has ended');
      await stored(changes);
    });
    expect((await recordParts(number!, many)).status).toBe(500);
    expect(await found(many[0]!.node, 7)).toEqual([{ id: 7, number }]);
    expect(await found(many[94]!.node, 7)).toEqual([]);
    shell = whole;
    await recordParts(number!, many);
    expect(await found(many[94]!.node, 7)).toEqual([{ id: 7, number }]);
  });

  it('are forgotten after 120 days, and not given again', async () => {
    const [number] = await reserved();
    await record(number!, 7);
    shell.step(knownForMs);
    expect((await call('GET', `/${number}`)).status).toBe(404);
    expect(await found('node1.acme.org', 7)).toEqual([]);
    expect(await reserved()).not.toEqual([number]);
  });

  it('lead to what was scheduled last, where a server that was set up anew counts from 1 again', async () => {
    const [before, after] = await reserved(2);
    await record(before!, 7, 7);
    await record(after!, 7);
    expect(await found('node1.acme.org', 7)).toEqual([{ id: 7, number: after }]);
    expect(await found('node2.acme.org', 7)).toEqual([{ id: 7, number: before }]);
  });

  it('lead to no other server that has taken the name of one', async () => {
    const [number] = await reserved();
    await record(number!, 7, 8);
    const other = nodeId(3) as NodeId;
    await apply(shell, fqdnRef('node2.acme.org'), { id: 'later' }, () => write({ node: other }, 'another has its name'));
    await storeDirectly(shell, { noun: 'node', id: other }, aNode({ id: other, fqdn: 'node2.acme.org' as Fqdn, kind: 'uyuni' }));
    expect((await call('GET', `/${number}`)).body.parts).toEqual(parts(7));
    expect(await found('node2.acme.org', 8)).toEqual([]);
  });

  it('are recorded also for more servers than a commit has rows', async () => {
    const many = await storeMany(200);
    const [number] = await reserved();
    const reads = [vi.spyOn(shell.table, 'read'), vi.spyOn(shell.table, 'readMany')];
    expect((await recordParts(number!, many)).status).toBe(200);
    // Names, nodes and parts, 100 or 90 at once, and the action with each of its commits.
    expect(reads.reduce((sum, { mock }) => sum + mock.calls.length, 0)).toBeLessThan(20);
    expect((await call('GET', `/${number}`)).body.parts).toEqual(many);
    for (const { node } of [many[0]!, many[95]!, many[199]!]) expect(await found(node, 7)).toEqual([{ id: 7, number }]);
  });

  it('are not recorded twice for a server, nor for nodes that are no servers', async () => {
    await store('storage.acme.org', 9, { kind: 'storage' });
    const [number] = await reserved();
    const twice = [...parts(7), ...parts(8)];
    for (const given of [twice, [{ node: 'storage.acme.org', id: 7 }]]) expect((await recordParts(number!, given)).status).toBe(409);
    expect(await recordParts(number!, [{ node: 'nobody.acme.org', id: 7 }])).toMatchObject({ status: 404 });
  });

  it('are given and recorded by the scope number, and read by read, where all parts are in zones of the caller', async () => {
    await store('node3.acme.org', 3, { zone: 'other' });
    const [number] = await reserved();
    await recordParts(number!, [...parts(7), { node: 'node3.acme.org', id: 7 }]);
    const by = async (scope: AdminScope, zone: string) => showing((await aKey(shell, rightsOf([scope], [zone as ZoneName]))).text);
    const reader = await by('read', 'default');
    expect((await call('POST', '/numbers', {}, reader)).status).toBe(403);
    expect((await recordParts(number!, parts(7), reader)).status).toBe(403);
    expect((await call('GET', `/${number}`, undefined, reader)).status).toBe(404);
    expect((await call('GET', '?node=node1.acme.org&ids=7', undefined, reader)).body.items).toEqual([{ id: 7, number }]);
    for (const scope of ['number', 'operate'] as const) {
      const holder = await by(scope, 'default');
      const { number: own, proof } = (await call('POST', '/numbers', {}, holder)).body.numbers[0]!;
      expect((await recordParts(own, [{ node: 'node3.acme.org', id: 8 }], holder, proof)).status).toBe(404);
      expect((await recordParts(own, parts(8), holder, proof)).status).toBe(200);
      expect((await call('GET', `/${own}`, undefined, holder)).body.parts).toEqual(parts(8));
    }
  });

  it('go on after a million where an export is imported', async () => {
    await reserved();
    const row = (await shell.table.read(keyOf(actionNumbersRef())))!;
    expect(restored(row, false).body).toEqual({ next: firstActionNumber + 64 + 1_000_000 });
    expect(restored(row, true).body).toEqual({ next: firstActionNumber + 64 });
  });
});
