import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PlayedServer, startServer } from '../../tools/support/uyuni/played-server.ts';
import { aMinion } from '../../tools/support/uyuni/salt/minion.ts';
import { progressOf } from '../../tools/support/uyuni/salt/onboarding.ts';
import { describeWithPostgres } from '../support/with-postgres.ts';

describeWithPostgres('the minions of a played server', () => {
  let server: PlayedServer;
  const system = (minion: string) =>
    server.database.rows('SELECT s.id, s.machine_id FROM rhnserver s JOIN suseminioninfo m ON m.server_id = s.id WHERE m.minion_id = $1', [
      minion,
    ]);
  const firstAction = (minion: string) =>
    server.database.rows(
      `SELECT st.name AS status FROM rhnserveraction sa JOIN rhnactionstatus st ON st.id = sa.status
       JOIN suseminioninfo m ON m.server_id = sa.server_id WHERE m.minion_id = $1`,
      [minion],
    );

  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server?.stop());

  it('wait until their keys are accepted, and become systems that then do their first job', async () => {
    const minion = aMinion('one.acme.test');
    server.onboarding.connect(minion);
    await server.onboarding.pass(100);
    expect(server.keys.list('pending')).toEqual(['one.acme.test']);
    expect(await system('one.acme.test')).toEqual([]);
    server.onboarding.capacity = { perSecond: 2, atOnceMax: 4 };
    server.keys.accept('one.acme.test');
    await server.onboarding.pass(100);
    expect(await system('one.acme.test')).toMatchObject([{ machine_id: minion.machineId }]);
    expect(await firstAction('one.acme.test')).toEqual([{ status: 'Queued' }]);
    await server.onboarding.pass(400);
    expect(await firstAction('one.acme.test')).toEqual([{ status: 'Completed' }]);
    expect(server.onboarding.count()).toEqual({ calling: 0, registering: 0, system: 1 });
  });

  it('call again when their keys are gone, so that a move shows on both servers', async () => {
    server.keys.remove(['one.acme.test']);
    await server.onboarding.pass(100);
    expect(server.keys.list('pending')).toEqual(['one.acme.test']);
    expect(server.onboarding.count()).toMatchObject({ calling: 1, system: 0 });
  });

  it('are denied with another key than the one that is accepted under their name', async () => {
    server.keys.accept('one.acme.test');
    server.onboarding.connect(aMinion('one.acme.test', { key: 'another' }));
    await server.onboarding.pass(100);
    expect(server.keys.list('denied')).toEqual(['one.acme.test']);
    expect(server.onboarding.count()).toMatchObject({ calling: 1 });
  });

  it('keep their system when the machine has a new name, and conflict when two systems each have a half of them', async () => {
    server.onboarding.capacity = { perSecond: 1_000, atOnceMax: 1_000 };
    const names = ['two.acme.test', 'three.acme.test'];
    server.onboarding.connect(...names.map((name) => aMinion(name)));
    await server.onboarding.pass(0);
    for (const name of names) server.keys.accept(name);
    await server.onboarding.pass(100);
    const [before] = await system('two.acme.test');
    server.onboarding.disconnect('two.acme.test');
    server.onboarding.connect(aMinion('renamed.acme.test', { machine: 'two.acme.test' }));
    await server.onboarding.pass(0);
    server.keys.accept('renamed.acme.test');
    await server.onboarding.pass(100);
    expect(await system('renamed.acme.test')).toEqual([before]);
    server.onboarding.connect(aMinion('three.acme.test', { machine: 'two.acme.test' }));
    await server.onboarding.pass(100);
    expect(server.onboarding.count()).toMatchObject({ calling: 2 });
  });

  it('are accepted, rejected and removed by the program that stands in place of salt-key, as by the interface', async () => {
    const salt = (...args: string[]) => execFileSync(server.saltKey, ['--yes', ...args]);
    server.onboarding.connect(aMinion('four.acme.test'));
    await server.onboarding.pass(0);
    salt('--accept=four.acme.test');
    await server.onboarding.pass(100);
    expect(await firstAction('four.acme.test')).toEqual([{ status: 'Completed' }]);
    salt('--delete=four.acme.test');
    await server.onboarding.pass(0);
    salt('--reject=four.acme.test');
    expect(server.keys.list('rejected')).toContain('four.acme.test');
  });

  it('get less done altogether the more there are, beyond what the server bears', () => {
    const capacity = { perSecond: 4, atOnceMax: 10 };
    const done = [1, 10, 20, 100].map((jobs) => jobs * progressOf(jobs, 1_000, capacity));
    expect(done.map((one) => Number(one.toFixed(3)))).toEqual([4, 4, 2, 0.4]);
    expect(progressOf(0, 1_000, capacity)).toBe(0);
  });
});
