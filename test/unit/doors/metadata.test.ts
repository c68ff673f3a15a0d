import { beforeEach, describe, expect, it } from 'vitest';
import { bodyBytesMax } from '../../../lib/api/json.ts';
import { kindsMax, pageBytesMax, pagesMax } from '../../../lib/clients/metadata.ts';
import { keyOf } from '../../../lib/table/keys.ts';
import { minionKeyOf, minionOf } from '../../support/minion-keys.ts';
import { Agent, Daemon } from '../../support/players.ts';
import { stepped, type World } from '../../support/stepped.ts';

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
    expect(await put('notes', document)).toMatchObject({ body: { revision: 1, because: 'it says this already' } });
    expect((await get('notes')).body).toMatchObject({ document });
  });

  it('is changed only at the revision that the caller has read, if he names it', async () => {
    expect(await put('notes', {}, { 'if-match': '*' })).toMatchObject({ status: 412, ...problem('version-conflict') });
    expect(await put('notes', {}, { 'if-none-match': '*' })).toMatchObject({ status: 200 });
    expect(await put('notes', {}, { 'if-none-match': '*' })).toMatchObject({ status: 412, headers: { etag: '"1"' } });
    expect(await put('notes', { a: 1 }, { 'if-match': '"1"' })).toMatchObject({ status: 200, headers: { etag: '"2"' } });
    for (const stale of ['"1"', '"3"', 'W/"2"', '2'])
      expect(await put('notes', { a: 2 }, { 'if-match': stale })).toMatchObject({ status: 412 });
    expect(await remove('notes', { 'if-match': '"1"' })).toMatchObject({ status: 412 });
    expect(await remove('notes', { 'if-match': '"2"' })).toMatchObject({ status: 200 });
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
