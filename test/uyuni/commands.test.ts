import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PlayedServer, startServer } from '../../tools/support/uyuni/played-server.ts';
import { sessionWith } from '../support/a-uyuni-outbox.ts';
import { aProgram } from '../support/program.ts';
import { describeWithPostgres } from '../support/with-postgres.ts';

describeWithPostgres('muster-agent uyuni', () => {
  let server: PlayedServer;
  const run = async (...args: string[]) => {
    const program = aProgram('programs/agent/main.ts', ['uyuni', ...args, '--rhn-conf', join(server.root, 'etc/rhn/rhn.conf')]);
    return { code: await program.ended, said: program.said().replaceAll(server.postgres.folder, 'HERE') };
  };

  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server?.stop());

  it('checks, installs, checks again, and removes, by the configuration of the server', async () => {
    const before = await run('check');
    expect(before.code).toBe(1);
    expect(before.said.split('\n')).toEqual([
      expect.stringMatching(/^well {5}postgresql {2}version \d+\.\d+/),
      'well     schema      susemanager-schema 5.2.3-1.1',
      'well     tables      34 tables have the columns that are watched',
      'missing  outbox      it is not installed; run muster-agent uyuni install',
      '',
    ]);
    expect(await run('install')).toEqual({ code: 0, said: 'muster-agent: the outbox is installed\n' });
    const writer = await sessionWith(server);
    await writer.rows('BEGIN');
    await writer.rows(`UPDATE web_customer SET name = 'Acme and daughters'`);
    const { code, said } = await run('check');
    expect(code).toBe(0);
    expect(said).toMatch(/^well {5}triggers {4}140 triggers$/m);
    expect(said).toMatch(/^well {5}rows {8}1 waiting, in 8 KiB$/m);
    expect(said).toMatch(/^well {5}delay {7}process \d+ \(muster-agent\) has been writing for \d+ s$/m);
    await writer.rows('ROLLBACK');
    await writer.close();
    expect(await run('remove')).toEqual({ code: 0, said: 'muster-agent: the outbox is removed\n' });
  });

  it('ends with what is missing, or with what keeps it from the database', async () => {
    await server.database.rows('ALTER TABLE rhnserver RENAME COLUMN machine_id TO machine');
    expect(await run('install')).toEqual({
      code: 1,
      said: 'missing  tables  there is no column rhnserver.machine_id; this version of the server is not supported\nmuster-agent: nothing was installed: this database lacks what is listed\n',
    });
    await server.database.rows('ALTER TABLE rhnserver RENAME COLUMN machine TO machine_id');
    await server.postgres.end();
    expect(await run('check')).toMatchObject({
      code: 69,
      said: expect.stringContaining('the database susemanager at HERE does not answer'),
    });
    await server.postgres.start();
    const nowhere = aProgram('programs/agent/main.ts', ['uyuni', 'check', '--rhn-conf', '/nowhere/rhn.conf']);
    expect(await nowhere.ended).toBe(74);
  });
});
