import { beforeEach, describe, expect, it } from 'vitest';
import { bodyBytesMax } from '../../../../lib/api/json.ts';
import { kindsMax, pageBytesMax, pagesMax } from '../../../../lib/clients/metadata.ts';
import { minuteMs } from '../../../../lib/core/time.ts';
import { keyOf } from '../../../../lib/ports/table/keys.ts';
import { minionKeyOf, minionOf } from '../../../../tools/support/minion-keys.ts';
import { Agent, Daemon, signedIn } from '../../../../tools/support/players.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';

let world: World;
let web: Daemon;
beforeEach(async () => {
  world = await stepped();
  await new Agent(world, 'node1.acme.org').start();
  web = await new Daemon(world, 'web1.acme.org').accepted();
});
const problem = (slug: string) => ({ body: { type: `urn:muster:problem:${slug}` } });
const at = (kind = '', fp: string = web.fp) => `/api/v1/systems/${fp}/metadata${kind && `/${kind}`}`;
const put = (kind: string, document: unknown, headers = {}) => world.call('PUT', at(kind), { document }, headers);
const append = (kind: string, entries: unknown) => world.call('POST', at(kind), { entries });
const get = (kind: string) => world.call('GET', at(kind));
const list = () => world.call('GET', at());
const remove = (kind: string, headers = {}) => world.call('DELETE', at(kind), undefined, headers);

describe('metadata of a client system', () => {
  it('is put, read, listed and removed, by one revision that only grows', async () => {
    expect((await list()).body).toEqual({ revision: 0, items: [] });
    expect(await put('channels', { base: 'sles-15' })).toMatchObject({
      status: 200,
      body: { kind: 'channels', revision: 1 },
      headers: { etag: '"1"' },
    });
    expect(await put('notes', ['a rack away'])).toMatchObject({ status: 200, body: { revision: 2 } });
    expect(await get('channels')).toMatchObject({
      status: 200,
      body: { revision: 1, document: { base: 'sles-15' } },
      headers: { etag: '"1"' },
    });
    expect(await put('channels', { base: 'sles-16' })).toMatchObject({ body: { revision: 3 } });
    expect((await list()).body).toMatchObject({
      revision: 3,
      items: [
        { kind: 'channels', revision: 3, bytes: 18 },
        { kind: 'notes', revision: 2 },
      ],
    });

    expect(await remove('channels')).toMatchObject({ status: 200, body: { revision: 4 } });
    expect(await get('channels')).toMatchObject(problem('unknown-metadata'));
    expect(await remove('channels')).toMatchObject(problem('unknown-metadata'));
    expect(await put('channels', {})).toMatchObject({ body: { revision: 5 } });
  });

  it('is not changed by a repeat, and holds any JSON as it was written', async () => {
    const document = { $b: 'c2FsdA==', deep: [[[1.5, null, true, 'ünï']]], 'a.b#c': 1e20 };
    await put('notes', document);
    expect(await put('notes', document)).toMatchObject({ body: { revision: 1, because: 'the document is the same already' } });
    expect((await get('notes')).body).toMatchObject({ document });
  });

  it('is changed only at the revision that the caller has read, if he names it', async () => {
    expect(await put('notes', {}, { 'if-match': '*' })).toMatchObject({ status: 412, ...problem('version-conflict') });
    expect(await put('notes', {}, { 'if-none-match': '*' })).toMatchObject({ status: 200 });
    expect(await put('notes', {}, { 'if-none-match': '*' })).toMatchObject({ status: 412, headers: { etag: '"1"' } });
    expect(await put('notes', { a: 1 }, { 'if-match': '"1"' })).toMatchObject({ status: 200, headers: { etag: '"2"' } });
    for (const stale of ['"1"', '"3"', 'W/"1"', '2'])
      expect(await put('notes', { a: 2 }, { 'if-match': stale })).toMatchObject({ status: 412 });
    // The ETag of an answer that was encoded on its way is a weak one, and names the same version.
    expect(await put('notes', { a: 2 }, { 'if-match': 'W/"2"' })).toMatchObject({ status: 200, headers: { etag: '"3"' } });
    expect(await remove('notes', { 'if-match': '"2"' })).toMatchObject({ status: 412 });
    expect(await remove('notes', { 'if-match': '"3"' })).toMatchObject({ status: 200 });
    expect(await put('notes', {}, { 'if-none-match': '"2"' })).toMatchObject(problem('invalid'));
  });

  it('is of whoever was accepted, by either of its fingerprints; a ban leaves it to be looked at and removed', async () => {
    const db = new Daemon(world, 'db1.acme.org');
    const key = minionKeyOf('db1');
    await db.knock({ minion: minionOf('db1', key, db.fp) });
    const about = (document: unknown) => world.call('PUT', at('notes', key.fingerprint), { document });
    expect(await about({})).toMatchObject({ status: 409, ...problem('refused') });
    await db.accepted();
    expect(await about({})).toMatchObject({ status: 200 });
    expect(await world.call('GET', at('notes', db.fp))).toMatchObject({ status: 200 });
    await world.call('POST', '/api/v1/systems/ban', { systems: [db.fp] });
    expect(await about({ b: 1 })).toMatchObject(problem('refused'));
    expect(await world.call('GET', at('notes', db.fp))).toMatchObject({ status: 200 });
    expect(await world.call('DELETE', at('notes', db.fp))).toMatchObject({ status: 200 });
    expect(await world.call('PUT', at('notes', '0'.repeat(64)), { document: {} })).toMatchObject(problem('unknown-system'));
  });

  it('has at most so many kinds, of names that are written so, each an object or a list of at most 64 KiB', async () => {
    for (let n = 0; n < kindsMax; n++) expect((await put(`kind-${n}`, {})).status).toBe(200);
    expect(await put('one-more', {})).toMatchObject(problem('refused'));
    expect((await put('kind-0', { again: true })).status).toBe(200);
    for (const kind of ['Notes', '1st', 'a'.repeat(33), 'a_b']) expect(await put(kind, {}), kind).toMatchObject(problem('invalid'));
    for (const document of ['text', 7, null, undefined]) expect(await put('notes', document)).toMatchObject(problem('invalid'));
    expect(await put('kind-1', ['x'.repeat(bodyBytesMax)])).toMatchObject(problem('too-large'));
    // What is short on the wire may be long when it is written out.
    expect(await put('kind-1', Array(4_000).fill(1e20))).toMatchObject({ status: 413 });
  });

  it('says in the audit who changed it, and not what to', async () => {
    await put('keys', { secret: 'hunter2' });
    await world.step(1_000);
    const { text, body } = { text: '', ...(await world.call('GET', '/api/v1/audit')) } as { text: string; body: { items: object[] } };
    expect(JSON.stringify(body.items)).toContain('put keys, revision 1');
    expect(JSON.stringify(body.items) + text).not.toContain('hunter2');
  });
});

describe('a history', () => {
  const entry = (n: number, bytes = 0) => ({ n, text: 'x'.repeat(bytes) });

  it('is appended to in pages, of which the oldest fall off', async () => {
    const half = pageBytesMax / 2;
    const appends = pagesMax + 4;
    for (let n = 0; n < appends; n++) expect((await append('actions', [entry(n, half)])).body).toMatchObject({ revision: n + 1 });
    const { document } = (await get('actions')).body as { document: { n: number }[] };
    expect(document.map(({ n }) => n)).toEqual(Array.from({ length: pagesMax }, (_, i) => i + 4));
    expect((await list()).body).toMatchObject({ items: [{ appended: true, bytes: pagesMax * pageBytesMax }] });
    // Nothing is left of a page that has fallen off.
    expect(world.table.rows.get(rowName(web.fp, 0))).toMatchObject({ gone: true, body: { text: '' } });
  });

  it('costs a rewrite of one page, however long it is', async () => {
    for (let n = 0; n < 10; n++) await append('actions', [entry(n, pageBytesMax - 200)]);
    const before = world.table.meter.rowsWritten;
    await append('actions', [entry(11)]);
    expect(world.table.meter.rowsWritten - before).toBeLessThanOrEqual(3);
  });

  it('takes entries that are no larger than a page, and is no document at the same time', async () => {
    expect(await append('actions', [entry(1, pageBytesMax)])).toMatchObject(problem('refused'));
    expect(await append('actions', [])).toMatchObject(problem('invalid'));
    expect(await append('actions', ['text'])).toMatchObject(problem('invalid'));
    await put('notes', []);
    expect(await append('notes', [entry(1)])).toMatchObject(problem('refused'));
    for (let n = 0; n < 3; n++) await append('actions', [entry(n, 9_000)]);
    expect(await put('actions', [{ all: 'anew' }])).toMatchObject({ status: 200 });
    expect((await get('actions')).body).toMatchObject({ document: [{ all: 'anew' }] });
    expect((await remove('actions')).status).toBe(200);
    expect((await append('actions', [entry(9)])).status).toBe(200);
    expect((await get('actions')).body).toMatchObject({ document: [entry(9)] });
  });
});

const rowName = (fp: string, page: number): string => {
  const { pk, sk } = keyOf({ noun: 'metadata', id: `${fp}/actions.${page}` });
  return `${pk}\u0000${sk}`;
};

describe('a node and the metadata of its client systems', () => {
  const named = (agent: Agent, fp: string, kind = '') => `/nodes/${agent.id}/systems/${fp}/metadata${kind && `/${kind}`}`;
  const report = (agent: Agent, document: unknown, fp: string = web.fp, generation = 1) =>
    agent.call('PUT', named(agent, fp, 'channels'), { generation, document });
  const revisions = async (agent: Agent, more = '') =>
    (await agent.call('GET', `/nodes/${agent.id}/systems?revisions=true${more}`)).body as { systems: string[]; revisions: number[] };
  let node: Agent;
  beforeEach(async () => {
    node = new Agent(world, 'node2.acme.org');
    await node.start({ zone: 'default' });
  });
  /** The node that a client system was told, of the two; and the other one. */
  const agentsOf = async (client: Daemon): Promise<[Agent, Agent]> => {
    const first = new Agent(world, 'node1.acme.org');
    const { body } = await client.orphan();
    return body === node.fqdn ? [node, first] : [first, node];
  };

  it('is reported by the node that it was told, kept, and handed to it; another node has no part in it', async () => {
    const [own, other] = await agentsOf(web);
    expect(await report(own, { base: 'sles-15' })).toMatchObject({ status: 200, body: { revision: 1 } });
    expect((await own.call('GET', named(own, web.fp))).body).toEqual({
      revision: 1,
      kinds: { channels: { revision: 1, document: { base: 'sles-15' } } },
    });
    expect(await report(other, { base: 'mine' })).toMatchObject({ status: 403, ...problem('not-owner') });
    expect(await other.call('GET', named(other, web.fp))).toMatchObject({ status: 403, ...problem('not-owner') });
    expect(await own.call('GET', named(other, web.fp))).toMatchObject({ status: 401 });
    const pooled = new Daemon(world, 'db1.acme.org');
    await pooled.knock();
    for (const fp of [pooled.fp, '0'.repeat(64)]) {
      expect(await report(own, {}, fp)).toMatchObject({ status: 404, ...problem('unknown-system') });
      expect(await own.call('GET', named(own, fp))).toMatchObject({ status: 404, ...problem('unknown-system') });
    }
    expect((await get('channels')).body).toMatchObject({ revision: 1, document: { base: 'sles-15' } });
  });

  it('is not reported for a client system that was told nobody, nor for a membership that is another', async () => {
    const [own] = await agentsOf(web);
    expect(await report(own, {}, web.fp, 2)).toMatchObject({ status: 409, ...problem('must-rejoin') });
    const db = await new Daemon(world, 'db1.acme.org').accepted();
    for (const agent of [new Agent(world, 'node1.acme.org'), node])
      expect(await report(agent, {}, db.fp)).toMatchObject({ status: 403, ...problem('not-owner') });
    await world.call('POST', '/api/v1/systems/unregister', { systems: [web.fp] });
    expect(await report(own, {})).toMatchObject({ status: 403, ...problem('not-owner') });
  });

  it('is reported once however often the same call comes, and a history by its id', async () => {
    const [own] = await agentsOf(web);
    const say = (id: string) => own.call('POST', named(own, web.fp, 'actions'), { id, generation: 1, entries: [{ id }] });
    expect(await say('a')).toMatchObject({ body: { revision: 1 } });
    expect(await say('a')).toMatchObject({ body: { revision: 1 } });
    expect(await say('b')).toMatchObject({ body: { revision: 2 } });
    expect((await get('actions')).body).toMatchObject({ document: [{ id: 'a' }, { id: 'b' }] });
    const call = { method: 'PUT', target: named(own, web.fp, 'channels'), body: { generation: 1, document: { one: 1 } } };
    const headers = signedIn(world, call, own.keys);
    expect(await world.call(call.method, call.target, call.body, headers)).toMatchObject({ status: 200 });
    expect(await world.call(call.method, call.target, call.body, headers)).toMatchObject({ status: 409, ...problem('nonce-reused') });
  });

  it('has its revision on the list, and in the desired state as soon as somebody else changed it', async () => {
    const [own] = await agentsOf(web);
    const db = await new Daemon(world, 'db1.acme.org').accepted();
    const all = async () => {
      const lists = [await revisions(node), await revisions(new Agent(world, 'node1.acme.org'))];
      return new Map(lists.flatMap(({ systems, revisions: its }) => systems.map((fp, i) => [fp, its[i]])));
    };
    expect(await all()).toEqual(new Map([web.fp, db.fp].sort().map((fp) => [fp, 0])));
    await report(own, { base: 'sles-15' });
    expect((await own.desired()).body).not.toHaveProperty('metadata');
    await put('notes', { rack: 7 });
    await put('notes', { rack: 7 });
    expect((await own.desired()).body).toMatchObject({
      metadata: { changed: [{ n: 1, system: web.fp.slice(0, 16), revision: 2 }], fallen: 0 },
    });
    expect((await all()).get(web.fp)).toBe(2);
    await remove('notes');
    expect((await own.desired()).body).toMatchObject({ metadata: { changed: [{ n: 2, revision: 3 }] } });
    const { version } = (await own.systems()).body as { version: number };
    expect(await revisions(own, `&since=${version}`)).toMatchObject({ systems: [], revisions: expect.arrayContaining([3]) });
  });

  /** Another world, of two nodes: the client system is on its own, and not on the other. */
  const onOneOfTwo = async (): Promise<{ own: Agent; other: Agent }> => {
    world = await stepped({ zoneMaxAgeMs: 0 });
    const agents = [await new Agent(world, 'node1.acme.org').start(), await new Agent(world, 'node2.acme.org').start()];
    web = await new Daemon(world, 'web1.acme.org').accepted();
    const { body: fqdn } = await web.orphan();
    const [own, other] = [agents.find((agent) => agent.fqdn === fqdn)!, agents.find((agent) => agent.fqdn !== fqdn)!];
    await web.knock({ confirmed: fqdn as string });
    return { own, other };
  };

  it('is told as well to the node that a client system goes back to, which never saw it go: it was down', async () => {
    const { own, other } = await onOneOfTwo();
    own.fallSilent();
    await world.step(2 * minuteMs);
    expect((await web.status({ lost: true })).body).toBe('2');
    expect((await web.orphan()).body).toBe(other.fqdn);

    await report(other, { base: 'sles-15' });

    expect((await own.desired()).body).toMatchObject({ metadata: { changed: [{ system: web.fp.slice(0, 16), revision: 1 }] } });
    expect((await other.desired()).body).not.toHaveProperty('metadata');
  });

  it('is told as well to the node that a client system is on until its turn elsewhere, where it may stay after all', async () => {
    const { own, other } = await onOneOfTwo();
    await world.call('POST', '/api/v1/systems/pin', { systems: [web.fp], node: other.fqdn });

    await put('notes', { rack: 7 });

    for (const agent of [own, other])
      expect((await agent.desired()).body).toMatchObject({ metadata: { changed: [{ system: web.fp.slice(0, 16), revision: 1 }] } });
  });
});

describe('what metadata costs', () => {
  /** The units that something takes. */
  const units = async (does: () => Promise<unknown>) => {
    const before = { ...world.table.meter };
    await does();
    const { readUnits, writeUnits, indexUnits } = world.table.meter;
    return { reads: readUnits - before.readUnits, writes: writeUnits - before.writeUnits, index: indexUnits - before.indexUnits };
  };

  it('is a dozen units a change of a small document, and of the list the index alone: no read of any client’s row', async () => {
    const node = new Agent(world, 'node1.acme.org');
    const fps: string[] = [];
    for (let n = 0; n < 300; n++) fps.push((await new Daemon(world, `db${n}.acme.org`).accepted()).fp);
    await node.systems();
    const list = await units(() => node.systems(1));
    const asked = () => units(() => node.call('GET', `/nodes/${node.id}/systems?since=1&revisions=true`));
    const empty = await asked();
    for (const fp of fps) await world.call('PUT', at('notes', fp), { document: { rack: 7 } });
    const full = await asked();
    // Without revisions the list costs what it did.
    expect(await units(() => node.systems(1))).toEqual(list);
    expect(full.writes).toBe(list.writes);
    // 64 more questions at half a unit, and what 300 entries of 300 B take beyond that.
    expect(empty.reads - list.reads).toBe(32);
    expect(full.reads - empty.reads).toBeLessThanOrEqual(300 / 4);

    expect(await units(() => put('notes', { rack: 8 }))).toEqual({ reads: 6, writes: 7, index: 1 });
    // From the second change on the entry in the index moves.
    expect(await units(() => put('notes', { rack: 9 }))).toEqual({ reads: 6, writes: 8, index: 2 });
  });
});
