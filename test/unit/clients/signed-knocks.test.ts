import { beforeEach, describe, expect, it } from 'vitest';
import { dayMs, hourMs, minuteMs, secondMs } from '../../../lib/core/time.ts';
import { minionFingerprintOf } from '../../../lib/identity/fingerprint.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { nameOf, type Row } from '../../../lib/ports/table/table.ts';
import { pinsRef } from '../../../lib/zones/pins/pins.ts';
import { minionKeyOf, minionOf } from '../../../tools/support/minion-keys.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import { keyPairOf, signedBy } from '../../../tools/support/signing.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';

let world: World;
let web: Daemon;
beforeEach(async () => {
  world = await stepped();
  web = new Daemon(world, 'web1.acme.org');
});
const knocks = (body: object, headers: Readonly<Record<string, string>> = {}) => world.call('POST', '/system/knock', body, headers);
const refusal = (type: string) => ({ body: { type: `urn:muster:problem:${type}` } });
const order = (what: 'accept' | 'ban' | 'unregister', systems = [web.fp as string]) =>
  world.call('POST', `/api/v1/systems/${what}`, { systems });
/** Every row there is, as it is. */
const rows = (): ReadonlyMap<string, Row> => new Map(world.table.rows);
const clientRow = (fp: string) => world.table.rows.get(nameOf(keyOf({ noun: 'client', id: fp })));
const clientAt = (fp: string) => clientRow(fp)?.body as Record<string, unknown> | undefined;
const call = (body: object) => ({ method: 'POST', path: '/system/knock', query: '', body: JSON.stringify(body) });
const signs = (name: string, body: object) => signedBy(keyPairOf(name), call(body), { deployment: 'test', nowMs: world.now() });

describe('a knock', () => {
  it('that nobody signed is refused, told for whom to sign, and leaves nothing behind', async () => {
    const [body] = web.knocking();
    const before = rows();

    const answer = await knocks(body);

    expect(answer).toMatchObject({ status: 401, headers: { 'muster-deployment': 'test' }, ...refusal('signature-missing') });
    expect(rows()).toEqual(before);
  });

  it('that another key signed is refused, whichever of the two it says it is', async () => {
    const [body] = web.knocking();
    expect(await knocks(body, signs('db1.acme.org', body))).toMatchObject({ status: 422, ...refusal('fingerprint-mismatch') });

    const { 'signature-input': input, ...others } = signs('db1.acme.org', body);
    const claimed = input!.replace(/keyid="\w+"/, `keyid="${web.fp}"`);
    expect(await knocks(body, { ...others, 'signature-input': claimed })).toMatchObject({ status: 401, ...refusal('signature-invalid') });
    expect(clientAt(web.fp)).toBeUndefined();
  });

  it('whose body was changed on its way is refused', async () => {
    const [body, headers] = web.knocking();
    expect(await knocks({ ...body, fqdn: 'other.acme.org' }, headers)).toMatchObject({ status: 401, ...refusal('digest-mismatch') });
  });

  it('is taken once', async () => {
    const [body, headers] = web.knocking();
    expect((await knocks(body, headers)).body).toBe('0');
    expect(await knocks(body, headers)).toMatchObject({ status: 409, ...refusal('nonce-reused') });
  });

  it('of an accepted machine that somebody recorded brings him no token', async () => {
    await web.accepted();
    const recorded = web.knocking();
    expect((await knocks(...recorded)).headers).toHaveProperty('muster-token');

    const again = await knocks(...recorded);

    expect(again).toMatchObject({ status: 409 });
    expect(again.headers).not.toHaveProperty('muster-token');
  });

  it('made ten minutes ago, or ahead of time, is refused with our clock', async () => {
    const [body, headers] = web.knocking();
    world.sleep(10 * minuteMs);
    expect(await knocks(body, headers)).toMatchObject({
      status: 401,
      headers: { 'muster-time': String(world.now()) },
      ...refusal('clock-skew'),
    });
  });

  it('with the key of a node is refused', async () => {
    await new Agent(world, 'node1.acme.org', 'web1.acme.org').start();

    expect(await web.knock()).toMatchObject({ status: 409, ...refusal('key-in-use') });
    expect(clientAt(web.fp)).toBeUndefined();
  });

  it('makes its key a client system’s, by which nobody becomes a node', async () => {
    await web.knock();
    expect(await new Agent(world, 'node1.acme.org', 'web1.acme.org').join()).toMatchObject({ status: 409, ...refusal('key-in-use') });
  });

  it('with a key by which anybody could sign is refused', async () => {
    const body = { publicKey: 'A'.repeat(43), fqdn: 'web1.acme.org', machineId: 'm' };
    expect(await knocks(body, signs('web1.acme.org', body))).toMatchObject({ status: 422, ...refusal('weak-key') });
  });
});

describe('a knock that names the minion beside the daemon', () => {
  const minion = minionKeyOf('web1');
  it('is taken with a proof by the minion’s key over this daemon’s fingerprint', async () => {
    expect((await web.knock({ minion: minionOf('web1', minion, web.fp) })).body).toBe('0');
    expect(clientAt(web.fp)).toMatchObject({ minion: { id: 'web1', fingerprint: minion.fingerprint } });
    expect(clientAt(minion.fingerprint)).toMatchObject({ standing: 'alias', of: web.fp });
  });

  it('is refused with a proof for another daemon, and nothing is written', async () => {
    const before = rows();
    const stolen = minionOf('web1', minion, new Daemon(world, 'db1.acme.org').fp);

    expect(await web.knock({ minion: stolen })).toMatchObject({
      status: 422,
      body: { type: 'urn:muster:problem:proof-invalid', errors: [{ pointer: '/minion/proof' }] },
    });
    expect(rows()).toEqual(before);
  });
});

describe('a banned machine', () => {
  const minion = minionKeyOf('web1');
  beforeEach(async () => {
    await new Agent(world, 'node1.acme.org').start();
    await web.accepted();
    await web.knock({ minion: minionOf('web1', minion, web.fp) });
    await order('ban', [minion.fingerprint]);
    await world.step(5_001);
  });

  it('is told so at its next knock, under any name, with its minion or without, and nothing is written', async () => {
    const before = rows();
    const knocked = [
      await web.knock(),
      await web.knock({ fqdn: 'other.acme.org', facts: { os: 'another' } }),
      await web.knock({ minion: minionOf('web1', minion, web.fp) }),
      await web.knock({ token: 'mot_anything' }),
    ];

    for (const answer of knocked) {
      expect(answer).toMatchObject({ status: 200, body: '3' });
      expect(answer.headers).not.toHaveProperty('muster-token');
    }
    expect(rows()).toEqual(before);
  });

  it('stays banned with a new daemon’s key while its minion is the same, and nothing is written', async () => {
    const again = new Daemon(world, 'web1-again.acme.org');
    const before = rows();

    expect((await again.knock({ minion: minionOf('web1', minion, again.fp) })).body).toBe('3');
    expect(rows()).toEqual(before);
  });

  it('bans a machine that has a row of its own and then shows its minion, with its tokens and its pin', async () => {
    await new Agent(world, 'node1.acme.org').start();
    await world.step(10 * secondMs);
    const other = await new Daemon(world, 'db1.acme.org').onboarded();
    await world.call('POST', '/api/v1/systems/pin', { systems: [other.fp], node: 'node1.acme.org' });
    const waiting = new Daemon(world, 'db2.acme.org');
    await waiting.knock();
    const because = `its minion has the key of ${web.fp.slice(0, 16)}, which is banned: banned, for ever`;

    for (const one of [other, waiting]) {
      const { rev } = clientRow(one.fp)!;
      expect((await one.knock({ minion: minionOf('web1', minion, one.fp) })).body).toBe('3');
      expect(clientRow(one.fp)).toMatchObject({ rev: rev + 1, because, body: { standing: 'banned' }, events: [{ type: 'client.banned' }] });
      expect((await one.knock({ minion: minionOf('web1', minion, one.fp) })).body).toBe('3');
      expect(clientRow(one.fp)).toMatchObject({ rev: rev + 1 });
    }
    await world.step(10 * secondMs);
    expect(await other.status()).toMatchObject({ body: '3' });
    expect(world.table.rows.get(nameOf(keyOf(pinsRef('default'))))?.body).toMatchObject({ nodes: [] });
  });

  it('bans nobody whose row has had its minion since before', async () => {
    const other = await new Daemon(world, 'db1.acme.org').accepted();
    const shared = minionKeyOf('of one image');
    const first = await new Daemon(world, 'db2.acme.org').accepted();
    for (const one of [first, other]) await one.knock({ minion: minionOf('image', shared, one.fp) });
    await order('ban', [first.fp]);

    for (const more of [{}, { boot: 'boot-of-another' }, { fqdn: 'db3.acme.org' }])
      expect((await other.knock({ ...more, minion: minionOf('image', shared, other.fp) })).body).toBe('2');
    expect(clientAt(other.fp)).toMatchObject({ standing: 'accepted' });
  });

  it('is no machine whose key another took the place of: its minion is that of its heir', async () => {
    const [firstKey, laterKey] = [minionKeyOf('first'), minionKeyOf('later')];
    const older = await new Daemon(world, 'db0.acme.org').accepted();
    for (const key of [firstKey, laterKey]) await older.knock({ minion: minionOf('db', key, older.fp) });
    const [old, heir] = [new Daemon(world, 'db1.acme.org'), new Daemon(world, 'db2.acme.org')];
    for (const [from, to] of [
      [older, old],
      [old, heir],
    ] as const) {
      await to.knock();
      const replaced = await world.call('POST', `/api/v1/systems/${from.fp}/replace`, { by: to.fp });
      expect(replaced).toMatchObject({ status: 200 });
    }

    for (const key of [laterKey, firstKey]) expect((await heir.knock({ minion: minionOf('db', key, heir.fp) })).body).toBe('2');
    const found = await world.call('GET', `/api/v1/systems/${minionFingerprintOf(firstKey.publicKey)}`);
    expect(found).toMatchObject({ status: 200, body: { fp: heir.fp, fqdn: 'db2.acme.org' } });

    const stranger = await new Daemon(world, 'db4.acme.org').accepted();
    expect((await stranger.knock({ minion: minionOf('db', laterKey, stranger.fp) })).body).toBe('2');
    await order('ban', [heir.fp]);
    const again = await new Daemon(world, 'db5.acme.org').accepted();
    expect((await again.knock({ minion: minionOf('db', firstKey, again.fp) })).body).toBe('3');
  });

  it('bans nobody whose knock it did not sign', async () => {
    await world.call('PATCH', '/api/v1/zones/default', { unsignedClients: true });
    const other = await new Daemon(world, 'db1.acme.org').accepted();
    const [body] = other.knocking({ minion: minionOf('web1', minion, other.fp) });
    const before = rows();

    expect((await knocks(body)).body).toBe('3');
    expect(rows()).toEqual(before);
  });

  it('is told so at its next status call, by either fingerprint, whatever token it brings', async () => {
    for (const fp of [web.fp, minion.fingerprint]) expect((await web.status({ fp })).body).toBe('3');
    expect((await web.status({ token: null })).body).toBe('3');
    expect((await web.orphan()).status).toBe(204);
  });

  it('is banned although somebody bans it while it is made known by its minion’s key', async () => {
    const other = new Daemon(world, 'db1.acme.org');
    await other.knock();
    await order('ban', [other.fp]);
    expect((await other.knock({ minion: minionOf('db1', minionKeyOf('db1'), other.fp) })).body).toBe('3');
  });
});

describe('a machine that nobody accepts', () => {
  it('is forgotten 30 days after its last knock, and is unknown then', async () => {
    world = await stepped({ sweepPeriodMs: hourMs, beatMinMs: 300_000 });
    web = new Daemon(world, 'web1.acme.org');
    await web.knock();
    world.sleep(29 * dayMs);
    await web.knock();
    world.sleep(29 * dayMs);
    expect(await world.call('GET', `/api/v1/systems/${web.fp}`)).toMatchObject({ status: 200 });
    world.sleep(dayMs + hourMs);

    expect(await world.call('GET', `/api/v1/systems/${web.fp}`)).toMatchObject({ status: 404 });
    expect(await order('accept')).toMatchObject({ body: { results: [{ done: false }] } });
    expect((await web.knock()).body).toBe('0');
    expect(clientAt(web.fp)).toMatchObject({ firstSeenAt: world.now() });
  });
});
