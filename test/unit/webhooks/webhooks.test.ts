import { beforeEach, describe, expect, it } from 'vitest';
import admin from '../../../functions/admin.ts';
import publish from '../../../functions/publish.ts';
import webhooks from '../../../functions/webhooks.ts';
import { write } from '../../../lib/core/decision.ts';
import { ZoneName } from '../../../lib/core/ids.ts';
import { dayMs, hourMs, minuteMs } from '../../../lib/core/time.ts';
import { adminScopes, rightsOf } from '../../../lib/identity/rights.ts';
import { webhookHeaders } from '../../../lib/identity/webhook-signature.ts';
import type { Envelope } from '../../../lib/ports/bus/bus.ts';
import type { Posted } from '../../../lib/ports/outbound/outbound.ts';
import { applyPlan } from '../../../lib/runtime/apply-plan.ts';
import { planZone } from '../../../lib/zones/create.ts';
import { aRequest } from '../../../tools/support/a-request.ts';
import { aShell, type TestShell } from '../../../tools/support/a-shell.ts';
import { aClient, aNode, fpOf } from '../../../tools/support/builders.ts';
import { asOperator } from '../../../tools/support/operator.ts';
import { aKey, showing } from '../../support/callers.ts';

const url = 'https://hooks.acme.org/muster';
const other = 'https://other.acme.org/';

let shell: TestShell;
beforeEach(() => {
  shell = aShell({ receivesMax: 5 });
});

let calls = 0;
async function call(method: string, path: string, body?: object, headers: object = asOperator) {
  calls += 1;
  const json = body && { 'content-type': 'application/json' };
  const [at = '', query = ''] = path.split('?');
  const sent = { id: `call-${calls}`, method, path: `/api/v1/webhooks${at}`, query, body: body ? JSON.stringify(body) : '' };
  const reply = await admin.handle(aRequest({ ...sent, headers: { ...json, ...headers } }), shell);
  return { status: reply.status, body: JSON.parse(reply.body ?? '') as Record<string, never> & { type: string } };
}

/** Adds a webhook; gives its id and secret. */
async function added(more: object = {}, headers: object = asOperator): Promise<{ id: string; secret: string }> {
  const { status, body } = await call('POST', '', { url, ...more }, headers);
  expect(status).toBe(201);
  return { secret: body['secret']!, id: (body['webhook'] as unknown as { id: string }).id };
}

/** What a bus hands on: an event of a node in a zone. */
const anEvent = (n: number, more: Partial<Envelope> = {}): Envelope => ({
  specversion: '1.0',
  id: `node/n0123456789abcdef#${n}`,
  source: 'muster/test',
  type: 'node.lost',
  subject: 'node/n0123456789abcdef',
  time: new Date(shell.now()).toISOString(),
  because: 'its lease ran out',
  dataschema: 'muster:node.lost:1',
  datacontenttype: 'application/json',
  eventseq: n,
  data: { zone: 'default', node: 'n0123456789abcdef' },
  ...more,
});
const hear = (event: Envelope) => shell.queue.sendFromBus('webhooks', JSON.stringify(event));

/** One round of the consumer: what is visible now. */
async function round(fn = webhooks): Promise<number> {
  const messages = await shell.queue.receive('webhooks', 10, minuteMs);
  if (messages.length === 0) return 0;
  const failed = await fn.handle(messages, shell);
  await shell.queue.acknowledge(
    'webhooks',
    messages.map(({ id }) => id).filter((id) => !failed.includes(id)),
  );
  return messages.length;
}
/** Until nothing is visible any more. */
async function quiet(): Promise<void> {
  while ((await round()) > 0);
}
/** Lets so much time pass, and runs the consumer each minute. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= minuteMs) {
    shell.step(Math.min(left, minuteMs));
    await quiet();
  }
}
const sentTo = (to: string) => shell.outbound.sent.filter((posting) => posting.url === to);
const deliveries = async (id: string, query = '') => (await call('GET', `/${id}/deliveries${query}`)).body['items'] as unknown as object[];

describe('an event', () => {
  it('is posted as the bus carries it, signed by the secret that was shown once', async () => {
    const { id, secret } = await added();
    const event = anEvent(1);
    await hear(event);
    await quiet();
    const [posting, ...more] = shell.outbound.sent;
    expect(more).toEqual([]);
    const { body } = posting!;
    expect(JSON.parse(body)).toEqual(event);
    const signed = webhookHeaders([secret], { id: event.id, timestampS: Math.floor(shell.now() / 1000), body });
    expect(posting).toEqual({
      url,
      body,
      timeoutMs: 10_000,
      headers: { 'content-type': 'application/json', 'user-agent': 'muster-webhooks', ...signed },
    });
    expect(await deliveries(id)).toMatchObject([{ event: event.id, status: 'delivered', attempts: 1, answered: 200 }]);
    expect(JSON.stringify((await call('GET', '')).body)).not.toContain(secret);
  });

  it('that comes twice is sent once; one that was concluded before is sent too when it comes late', async () => {
    await added();
    for (const n of [2, 1, 2]) {
      await hear(anEvent(n));
      await quiet();
    }
    expect(sentTo(url).map(({ headers }) => headers['webhook-id'])).toEqual([2, 1].map((n) => `node/n0123456789abcdef#${n}`));
  });

  it('is sent to whoever asks for its type, its severity and its zone', async () => {
    await Promise.all(['emea', 'apac'].map((name, n) => aZone(name, n + 2)));
    const asked: [string, object][] = [
      ['https://all.acme.org/', {}],
      ['https://types.acme.org/', { types: ['node.joined', 'zone.calm'] }],
      ['https://alarms.acme.org/', { severity: 'alarm' }],
      ['https://emea.acme.org/', { zones: ['emea'] }],
      ['https://emea-alarms.acme.org/', { zones: ['emea'], severity: 'alarm' }],
    ];
    for (const [to, more] of asked) await added({ url: to, ...more });
    await hear(anEvent(1, { type: 'node.joined', data: { zone: 'apac' } }));
    await hear(anEvent(2, { type: 'node.lost', data: { zone: 'emea' } }));
    await hear(anEvent(3, { type: 'client.seen', subject: `client/${fpOf('web1')}`, data: {} }));
    await quiet();
    const heard = Object.fromEntries(asked.map(([to]) => [to, sentTo(to).map(({ body }) => (JSON.parse(body) as Envelope).eventseq)]));
    expect(Object.values(heard)).toEqual([[1, 2, 3], [1], [2], [2], [2]]);
  });

  it('of a client system that does not say its zone is of the zone that it is in', async () => {
    await aZone('emea', 2);
    const fp = fpOf('web1');
    const put = write(aClient({ fp: fp as never, zone: ZoneName.parse('emea') }), 'a test');
    await applyPlan(shell, { id: 'a client' }, async () => ({
      because: [],
      changes: [{ ref: { noun: 'client', id: fp }, readRev: 0, decision: put }],
    }));
    await added({ zones: ['emea'] });
    await added({ url: other, zones: ['default'] });
    await hear(anEvent(1, { type: 'client.unregistered', subject: `client/${fp}`, data: { system: fp } }));
    await quiet();
    expect(shell.outbound.sent.map((posting) => posting.url)).toEqual([url]);
  });

  it('of a machine id that several keys say names the others only to webhooks that are limited to no zones', async () => {
    await aZone('emea', 2);
    const named = [fpOf('web2')];
    await added();
    await added({ url: other, zones: ['emea'] });
    await hear(anEvent(1, { type: 'client.duplicated', data: { zone: 'emea', system: fpOf('web1'), others: named } }));
    await quiet();
    const told = (to: string) => sentTo(to).map(({ body }) => (JSON.parse(body) as { data: { others: unknown } }).data.others);
    expect([told(url), told(other)]).toEqual([[named], [[]]]);
  });

  it('costs one look while nobody asks for it', async () => {
    await hear(anEvent(1));
    const before = { ...shell.table.meter };
    await quiet();
    expect(shell.table.meter.readUnits - before.readUnits).toBeLessThanOrEqual(1);
    expect(shell.table.meter.writeUnits).toBe(before.writeUnits);
  });

  it('that is none becomes a dead letter, which goes back to this queue', async () => {
    await shell.queue.sendFromBus('webhooks', '{"type":"nonsense"}');
    await quiet();
    expect(shell.logged.filter(({ code }) => code === 'report.dead')).toMatchObject([
      { fields: { queue: 'webhooks', reason: 'wrong-shape' } },
    ]);
  });
});

async function aZone(name: string, number: number): Promise<void> {
  await applyPlan(shell, { id: `zone ${name}` }, async () => planZone(ZoneName.parse(name), number, shell.now()));
}

describe('a target that does not take an event', () => {
  it('is tried again with longer and longer pauses for about a day, and then given up and shown', async () => {
    const { id } = await added();
    const tried: number[] = [];
    const startedAt = shell.now();
    shell.outbound.answers.set(url, () => {
      tried.push(shell.now() - startedAt);
      return { status: 400 };
    });
    await hear(anEvent(1));
    for (let s = 0; s < 600; s++) {
      await quiet();
      shell.step(1_000);
    }
    await pass(2 * dayMs);
    const pauses = tried.map((at, n) => at - (tried[n - 1] ?? 0)).slice(1);
    // Chance is a half here, and so the pauses are as they are meant: 10 s, doubled, to four hours; a look comes a
    // minute late at most.
    const meant = Array.from({ length: 15 }, (_, n) => Math.min(4 * hourMs, 10_000 * 2 ** n));
    expect(pauses).toHaveLength(meant.length);
    for (const [n, pause] of pauses.entries()) expect(pause - meant[n]!).toBeLessThanOrEqual(minuteMs);
    expect(tried.at(-1)).toBeGreaterThan(20 * hourMs);
    expect(tried.at(-1)).toBeLessThanOrEqual(dayMs + minuteMs);
    expect(await deliveries(id, '?status=dead')).toMatchObject([{ status: 'dead', attempts: 16, answered: 400, because: 'answered 400' }]);
    expect(shell.logged.at(-1)).toMatchObject({ level: 'warn', code: 'webhook.dead', fields: { webhook: id, attempt: 16 } });
    expect(await shell.queue.depth('webhooks')).toEqual({ messages: 0 });
  });

  it('gets it as soon as it takes it', async () => {
    const { id } = await added();
    let answers: Posted = { failed: 'no answer: ECONNREFUSED' };
    shell.outbound.answers.set(url, () => answers);
    await hear(anEvent(1));
    await quiet();
    expect(await deliveries(id)).toMatchObject([{ status: 'pending', attempts: 1, because: 'no answer: ECONNREFUSED' }]);
    answers = { status: 202 };
    await pass(5 * minuteMs);
    expect(await deliveries(id)).toMatchObject([{ status: 'delivered', answered: 202 }]);
  });

  it('with 410 is told nothing more, until somebody enables it again', async () => {
    const { id } = await added();
    shell.outbound.answers.set(url, () => ({ status: 410 }));
    await hear(anEvent(1));
    await quiet();
    await hear(anEvent(2));
    await pass(hourMs);
    expect(sentTo(url)).toHaveLength(1);
    expect((await call('GET', '')).body['items']).toMatchObject([{ status: 'disabled', because: 'answered 410: the target is gone' }]);
    shell.outbound.answers.clear();
    expect((await call('POST', `/${id}/enable`, {})).body).toMatchObject({ status: 'enabled' });
    await call('POST', `/${id}/replay`, { since: new Date(shell.now() - dayMs).toISOString() });
    await hear(anEvent(3));
    await quiet();
    expect(sentTo(url).map(({ headers }) => headers['webhook-id']!.slice(-1))).toEqual(['1', '1', '3']);
  });

  it('that redirects is not followed there, and says so', async () => {
    const { id } = await added();
    shell.outbound.answers.set(url, () => ({ status: 307 }));
    await hear(anEvent(1));
    await quiet();
    expect(await deliveries(id)).toMatchObject([{ because: 'answered 307, and redirects are not followed' }]);
  });

  it('holds nobody else up, and is not called for each event while it is away', async () => {
    await added();
    await added({ url: other });
    shell.outbound.answers.set(url, () => ({ failed: 'no answer within 10 s' }));
    for (let n = 1; n <= 200; n++) await hear(anEvent(n));
    await quiet();
    expect(sentTo(other)).toHaveLength(200);
    expect(sentTo(url).length).toBeLessThanOrEqual(10);
    await pass(hourMs);
    expect(sentTo(url).length).toBeLessThanOrEqual(40);
    shell.outbound.answers.clear();
    await pass(20 * minuteMs);
    const reached = new Set(sentTo(url).map(({ headers }) => headers['webhook-id']));
    expect(reached.size).toBe(200);
  });

  it('that stays away is given up after a day, also what was never sent to it', async () => {
    const { id } = await added();
    shell.outbound.answers.set(url, () => ({ status: 503 }));
    for (let n = 1; n <= 50; n++) await hear(anEvent(n));
    await pass(2 * dayMs);
    expect(await deliveries(id, '?status=dead&limit=200')).toHaveLength(50);
    expect(await shell.queue.depth('webhooks')).toEqual({ messages: 0 });
  });
});

describe('whoever delivers may die', () => {
  /** The consumer, whose table stops answering after so many commits. */
  const dyingAfter = (commits: number): TestShell => {
    let left = commits;
    const commit: TestShell['table']['commit'] = async (changes) => {
      left -= 1;
      if (left < 0) throw new Error('killed');
      await shell.table.commit(changes);
    };
    return { ...shell, caches: new Map(), table: { ...shell.table, commit } };
  };
  it.each([0, 1, 2, 3, 4])('after %i commits, and nothing is lost', async (commits) => {
    await added();
    await added({ url: other });
    for (const n of [1, 2]) await hear(anEvent(n));
    const dying = dyingAfter(commits);
    for (let looks = 0; looks < 3; looks++) {
      const messages = await shell.queue.receive('webhooks', 10, 1_000);
      const failed = await webhooks.handle(messages, dying);
      await shell.queue.acknowledge(
        'webhooks',
        messages.map(({ id }) => id).filter((id) => !failed.includes(id)),
      );
    }
    await pass(30 * minuteMs);
    for (const to of [url, other])
      expect(new Set(sentTo(to).map(({ headers }) => headers['webhook-id'])), to).toEqual(
        new Set([1, 2].map((n) => `node/n0123456789abcdef#${n}`)),
      );
  });

  it('between an attempt that is written down and the next one, which is made all the same', async () => {
    const { id } = await added();
    shell.outbound.answers.set(url, () => ({ status: 500 }));
    await hear(anEvent(1));
    await round();
    const mute = { ...shell, queue: { ...shell.queue, send: () => Promise.reject(new Error('killed')) } };
    const messages = await shell.queue.receive('webhooks', 10, 1_000);
    expect(await webhooks.handle(messages, mute)).toEqual(messages.map((message) => message.id));
    expect(await deliveries(id)).toMatchObject([{ status: 'pending', attempts: 1 }]);
    shell.outbound.answers.clear();
    await pass(10 * minuteMs);
    expect(await deliveries(id)).toMatchObject([{ status: 'delivered', attempts: 2 }]);
  });

  it('between a replay that is written down and its first attempt: that of the round before has it made', async () => {
    const { id } = await added();
    shell.outbound.answers.set(url, () => ({ status: 500 }));
    await hear(anEvent(1));
    await quiet();
    shell.outbound.answers.clear();
    const { send } = shell.queue;
    shell.queue.send = () => Promise.reject(new Error('killed'));
    expect((await call('POST', `/${id}/replay`, { since: new Date(shell.now()).toISOString() })).status).toBe(500);
    shell.queue.send = send;
    expect(await deliveries(id)).toMatchObject([{ status: 'pending', attempts: 0, replays: 1 }]);
    await pass(10 * minuteMs);
    expect(await deliveries(id)).toMatchObject([{ status: 'delivered', attempts: 1, replays: 1 }]);
  });
});

describe('an administrator', () => {
  it.each([
    ['http://hooks.acme.org/', 'private-target', 422],
    ['https://10.0.0.1/', 'private-target', 422],
    ['https://169.254.169.254/', 'private-target', 422],
    ['nonsense', 'invalid', 422],
  ])('adds none to %s', async (target, type, status) => {
    const refused = await call('POST', '', { url: target });
    expect(refused).toMatchObject({ status, body: { type: `urn:muster:problem:${type}`, errors: [{ pointer: '/url' }] } });
    expect((await call('GET', '')).body).toEqual({ items: [] });
  });

  it('adds fifty at the most', async () => {
    for (let n = 0; n < 50; n++) await added();
    expect(await call('POST', '', { url })).toMatchObject({ status: 409, body: { detail: 'there are 50 webhooks already' } });
  });

  it('rotates the secret, and for a day both sign', async () => {
    const { id, secret: before } = await added();
    const { body } = await call('POST', `/${id}/rotate`, {});
    const now = body['secret'] as unknown as string;
    expect(now).not.toBe(before);
    const signatures = async (n: number) => {
      await hear(anEvent(n));
      await quiet();
      const { headers, body: text } = shell.outbound.sent.at(-1)!;
      const message = { id: headers['webhook-id']!, timestampS: Math.floor(shell.now() / 1000), body: text };
      const byOne = (secret: string) => webhookHeaders([secret], message)['webhook-signature'];
      return headers['webhook-signature']!.split(' ').map((one) => (one === byOne(now) ? 'now' : one === byOne(before) ? 'before' : '?'));
    };
    expect(await signatures(1)).toEqual(['now', 'before']);
    shell.step(dayMs - 1);
    expect(await signatures(2)).toEqual(['now', 'before']);
    shell.step(1);
    expect(await signatures(3)).toEqual(['now']);
  });

  it('tests one, and is told what came of it', async () => {
    const { id } = await added();
    expect((await call('POST', `/${id}/test`, {})).body).toEqual({ delivered: true, answered: 200, because: 'answered 200', ms: 0 });
    expect(JSON.parse(sentTo(url)[0]!.body)).toMatchObject({ type: 'webhook.test', subject: `webhook/${id}`, data: { webhook: id } });
    shell.outbound.answers.set(url, () => ({ failed: 'no answer: ENOTFOUND' }));
    expect((await call('POST', `/${id}/test`, {})).body).toEqual({ delivered: false, because: 'no answer: ENOTFOUND', ms: 0 });
    expect(await deliveries(id)).toEqual([]);
  });

  it('removes one: what waits is given up, and its secret is no more', async () => {
    const { id, secret } = await added();
    shell.outbound.answers.set(url, () => ({ status: 500 }));
    await hear(anEvent(1));
    await quiet();
    await call('POST', `/${id}/remove`, {});
    await pass(hourMs);
    expect(sentTo(url)).toHaveLength(1);
    expect(JSON.stringify([...shell.table.rows.values()])).not.toContain(secret);
    expect(await call('POST', `/${id}/test`, {})).toMatchObject({ status: 404, body: { type: 'urn:muster:problem:unknown-webhook' } });
  });

  it('leaves in the audit who added, rotated, replayed and removed, and no secret', async () => {
    const { id, secret } = await added();
    const rotated = (await call('POST', `/${id}/rotate`, {})).body['secret'] as unknown as string;
    await call('POST', `/${id}/replay`, { since: new Date(shell.now()).toISOString() });
    await call('POST', `/${id}/remove`, {});
    await publish.handle(shell.table.feed, shell);
    const entries = [...shell.table.rows.values()].filter(({ key }) => key.pk.startsWith('audit#'));
    const said = entries.map(({ body }) => (body as { entry: { because: string; who: string } }).entry);
    for (const because of ['added', 'is replaced', 'are replayed', 'removed'])
      expect(said.filter((entry) => entry.because.includes(because)).map(({ who }) => who)).toContain('operator');
    for (const hidden of [secret, rotated]) expect(JSON.stringify(entries)).not.toContain(hidden);
    expect(JSON.stringify(shell.table.feed)).not.toContain('whsec_');
  });
});

describe('a replay', () => {
  it('delivers what was sent since a moment once more: all of it, or what was given up', async () => {
    const { id } = await added();
    await hear(anEvent(1));
    await quiet();
    shell.step(minuteMs);
    const since = new Date(shell.now()).toISOString();
    for (const n of [2, 3]) await hear(anEvent(n));
    await quiet();
    expect((await call('POST', `/${id}/replay`, { since, status: 'dead' })).body).toEqual({ replayed: 0 });
    expect((await call('POST', `/${id}/replay`, { since })).body).toEqual({ replayed: 2 });
    await quiet();
    expect(sentTo(url).map(({ headers }) => headers['webhook-id']!.slice(-1))).toEqual(['1', '2', '3', '2', '3']);
    expect(await deliveries(id)).toMatchObject([{ status: 'delivered', attempts: 1, replays: 1 }, { replays: 1 }, { status: 'delivered' }]);
  });

  it('goes on where the call before ended', async () => {
    const { id } = await added();
    for (let n = 1; n <= 120; n++) await hear(anEvent(n));
    await quiet();
    const since = new Date(shell.now()).toISOString();
    const replayed: number[] = [];
    let after: string | undefined;
    do {
      const { body } = await call('POST', `/${id}/replay`, { since, ...(after !== undefined && { after }) });
      replayed.push(body['replayed']!);
      after = body['next'];
    } while (after !== undefined);
    expect(replayed).toEqual([50, 50, 20]);
    await quiet();
    expect(sentTo(url)).toHaveLength(240);
  });

  it('ends what was under way: an old attempt does nothing any more', async () => {
    const { id } = await added();
    shell.outbound.answers.set(url, () => ({ status: 400 }));
    await hear(anEvent(1));
    await quiet();
    shell.outbound.answers.clear();
    await call('POST', `/${id}/replay`, { since: new Date(shell.now()).toISOString() });
    await pass(dayMs);
    expect(sentTo(url)).toHaveLength(2);
  });

  it('of a subject delivers what it concluded from a number on, also from before the webhook, within its zones', async () => {
    const node = aNode({ zone: ZoneName.parse('default') });
    const events = ['node.joined', 'node.activated', 'node.suspected'].map((type) => ({
      type,
      version: 1,
      data: { node: node.id, zone: type === 'node.suspected' ? 'apac' : 'default' },
    }));
    const actor = { who: 'admin:anna', source: '192.0.2.7', request: 'call-1' };
    await applyPlan({ ...shell, actor }, { id: 'a node' }, async () => ({
      because: [],
      changes: [{ ref: { noun: 'node', id: node.id }, readRev: 0, decision: write(node, 'a test', { events }) }],
    }));
    await publish.handle(shell.table.feed, shell);
    await aZone('default', 1);
    const { id } = await added({ zones: ['default'] });
    const from = { subject: `node/${node.id}`, fromNumber: 2 };
    expect((await call('POST', `/${id}/replay`, from)).body).toEqual({ replayed: 1 });
    await quiet();
    const published = shell.bus.published[1]!;
    expect(JSON.parse(sentTo(url)[0]!.body)).toEqual(published);
    expect(published).toMatchObject({ type: 'node.activated', because: 'a test', who: 'admin:anna' });
  });
});

describe('whoever is limited to zones', () => {
  it('adds webhooks for these alone, and sees no others', async () => {
    await Promise.all(['emea', 'apac'].map((name, n) => aZone(name, n + 2)));
    const [emea, apac, everywhere] = await Promise.all([
      aKey(shell, rightsOf(adminScopes, [ZoneName.parse('emea')])),
      aKey(shell, rightsOf(adminScopes, [ZoneName.parse('apac')])),
      aKey(shell, { ...rightsOf(adminScopes, 'all') }),
    ]);
    const own = await added({}, showing(emea.text));
    const all = await added({ url: other }, showing(everywhere.text));
    await hear(anEvent(1, { data: { zone: 'apac' } }));
    await quiet();
    expect(shell.outbound.sent.map((posting) => posting.url)).toEqual([other]);
    const seen = async (key: { text: string }) =>
      ((await call('GET', '', undefined, showing(key.text))).body['items'] as unknown as { id: string }[]).map(({ id }) => id);
    expect([await seen(emea), await seen(apac), await seen(everywhere)]).toEqual([[own.id], [], [own.id, all.id]]);
    for (const verb of ['remove', 'enable', 'rotate', 'test', 'replay'])
      for (const { id, key } of [
        { id: own.id, key: apac },
        { id: all.id, key: emea },
      ]) {
        const body = verb === 'replay' ? { since: new Date(shell.now()).toISOString() } : {};
        expect([verb, (await call('POST', `/${id}/${verb}`, body, showing(key.text))).status]).toEqual([verb, 404]);
      }
    expect((await call('GET', `/${own.id}/deliveries`, undefined, showing(apac.text))).status).toBe(404);
    expect((await call('POST', '', { url, zones: ['apac'] }, showing(emea.text))).status).toBe(404);
    const reading = await aKey(shell, rightsOf(['read', 'operate'], 'all'));
    expect((await call('GET', '', undefined, showing(reading.text))).status).toBe(403);
  });
});
