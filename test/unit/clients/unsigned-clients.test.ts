import { beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../../../lib/clients/client.ts';
import { hourMs } from '../../../lib/core/time.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { nameOf } from '../../../lib/ports/table/table.ts';
import { minionKeyOf, minionOf } from '../../../tools/support/minion-keys.ts';
import { Agent, Daemon } from '../../../tools/support/players.ts';
import { stepped, type World } from '../../../tools/support/stepped.ts';

let world: World;
let web: Daemon;
beforeEach(async () => {
  world = await stepped();
  web = new Daemon(world, 'web1.acme.org');
});
/** As long as an environment may answer by the settings it has cached. */
const pass = () => world.step(5_001);
const set = async (settings: object): Promise<void> => {
  expect(await world.call('PATCH', '/api/v1/settings', settings)).toMatchObject({ status: 200, body: settings });
  await pass();
};
const allow = async (unsignedClients: boolean): Promise<void> => {
  expect(await world.call('PATCH', '/api/v1/zones/default', { unsignedClients })).toMatchObject({ status: 200, body: { unsignedClients } });
  await pass();
};
const accept = () => world.call('POST', '/api/v1/systems/accept', { systems: [web.fp] });
/** A knock without a signature, as by curl. */
const unsigned = (more: object = {}, daemon = web) => world.call('POST', '/system/knock', daemon.knocking(more)[0]);
const row = (fp: string = web.fp) => world.table.rows.get(nameOf(keyOf({ noun: 'client', id: fp })))?.body as Client | undefined;

describe('calls without a token', () => {
  it('are answered, unless that is switched off: then only a token that holds, or a knock, gets an answer', async () => {
    await new Agent(world, 'node1.acme.org').start();
    await web.onboarded();
    expect((await web.status({ token: null })).body).toBe('1');
    const old = web.token!;

    await set({ openCalls: false });

    for (const ask of [web.status, web.orphan])
      for (const token of [null, 'nonsense', new Daemon(world, 'db1.acme.org').fp]) {
        const answer = await ask({ token });
        expect(answer).toMatchObject({ status: 401, body: { type: 'urn:muster:problem:signature-missing' } });
        expect(answer.headers).toMatchObject({ 'muster-knock': '1' });
      }
    expect((await web.status({ token: old })).body).toBe('1');
    expect((await web.orphan({ token: old })).body).toBe('node1.acme.org');
    expect((await web.knock()).body).toBe('1');
    await set({ openCalls: true });
    expect((await web.status({ token: null })).body).toBe('1');
  });

  it('do not tell a fingerprint that is known from one that is not, while they are switched off', async () => {
    await set({ openCalls: false });
    const asked = await Promise.all([web.fp, 'f'.repeat(64)].map((fp) => web.orphan({ token: null, fp })));
    expect(asked.map(({ status }) => status)).toEqual([401, 401]);
  });

  it('cost a call with a token no read, switched on or off', async () => {
    await new Agent(world, 'node1.acme.org').start();
    await web.onboarded();
    await set({ openCalls: false });
    await web.status();
    const before = world.table.meter.readUnits;
    expect((await web.status()).body).toBe('1');
    expect(world.table.meter.readUnits).toBe(before);
  });
});

describe('a client that never signs', () => {
  it('is refused unless a zone allows such clients', async () => {
    expect((await unsigned()).status).toBe(401);
    await allow(true);
    expect(await unsigned()).toMatchObject({ status: 200, body: '0' });
    await allow(false);
    expect((await unsigned()).status).toBe(401);
  });

  it('waits in the pool, is accepted, and takes its place by its fingerprint; it is given nothing to show', async () => {
    await new Agent(world, 'node1.acme.org').start();
    await allow(true);
    await unsigned();
    expect(row()).toMatchObject({ standing: 'pooled', unsigned: true });
    await accept();

    const answers = [
      await unsigned(),
      await web.orphan({ token: null }),
      await web.orphan({ token: null }),
      await web.status({ token: null }),
    ];

    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, '2'],
      [200, 'node1.acme.org'],
      [200, 'node1.acme.org'],
      [200, '2'],
    ]);
    for (const { headers } of answers) expect(headers).not.toHaveProperty('muster-token');
    expect(row()).toMatchObject({ told: { index: 0 } });
  });

  it('takes no place any more once its zone refuses such clients', async () => {
    await new Agent(world, 'node1.acme.org').start();
    await allow(true);
    await unsigned();
    await accept();
    await allow(false);

    expect((await web.orphan({ token: null })).status).toBe(204);
    expect((await unsigned()).status).toBe(401);
    expect(row()).not.toHaveProperty('told');
  });

  it('changes nothing of a machine that has signed, and takes nothing from it', async () => {
    await new Agent(world, 'node1.acme.org').start();
    await allow(true);
    await web.knock();
    const before = row();
    world.sleep(2 * hourMs);

    expect((await unsigned({ fqdn: 'evil.acme.org', facts: { os: 'evil' } })).body).toBe('0');
    expect(row()).toEqual(before);
    await accept();
    expect((await unsigned({ confirmed: 'node1.acme.org' })).body).toBe('2');
    expect((await web.orphan({ token: null })).status).toBe(204);
  });

  it('is one that signs from its first signed knock on', async () => {
    await allow(true);
    await unsigned();
    await web.knock();
    expect(row()).not.toHaveProperty('unsigned');
    expect((await unsigned({ facts: { os: 'evil' } })).body).toBe('0');
    expect(row()).toMatchObject({ facts: {} });
  });

  it('names no minion and brings no token, since nobody shows that they are its own', async () => {
    await allow(true);
    const { body } = await world.call('POST', '/api/v1/onboarding-tokens', {});
    const minion = minionKeyOf('web1');

    expect((await unsigned({ token: (body as { secret: string }).secret, minion: minionOf('web1', minion, web.fp) })).body).toBe('0');

    expect(row()).toMatchObject({ standing: 'pooled', refused: 'its knock was not signed' });
    expect(row()).not.toHaveProperty('minion');
    expect(row(minion.fingerprint)).toBeUndefined();
  });

  it('is deleted for ever by a ban, like any other', async () => {
    await allow(true);
    await unsigned();
    await world.call('POST', '/api/v1/systems/ban', { systems: [web.fp] });
    expect((await unsigned()).body).toBe('3');
  });
});
