import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { examineInstallation, examineServer } from '../../programs/agent/uyuni/examine.ts';
import { install, remove } from '../../programs/agent/uyuni/install.ts';
import { connectTo, type Session } from '../../programs/agent/uyuni/session.ts';
import { troubleOf } from '../../programs/agent/uyuni/trouble.ts';
import { type PlayedServer, startServer } from '../../tools/support/uyuni/played-server.ts';
import { describedSchema } from '../../tools/support/uyuni/postgres/described.ts';
import { addressOf, sessionWith } from '../support/a-uyuni-outbox.ts';
import { describeWithPostgres } from '../support/with-postgres.ts';

describeWithPostgres('installing the outbox in a Uyuni server', () => {
  let server: PlayedServer;
  let session: Session;
  const missing = async (found: ReturnType<typeof examineServer>) =>
    (await found).filter(({ is }) => is === 'missing').map(({ says }) => says);

  beforeAll(async () => {
    server = await startServer({ systems: 3 });
    session = await sessionWith(server);
  });
  afterEach(() => remove(session));
  afterAll(async () => {
    await session?.close();
    await server?.stop();
  });

  it('is removed without a trace: the schema of the database is what it was before', async () => {
    const before = await describedSchema(server.database);
    expect(await install(session)).toEqual({ is: 'done' });
    const during = await describedSchema(server.database);
    expect(during).not.toBe(before);
    expect(during.split('\n').length - before.split('\n').length).toBeGreaterThan(150);
    expect(await install(session)).toEqual({ is: 'already' });
    expect(await describedSchema(server.database)).toBe(during);
    expect(await remove(session)).toEqual({ is: 'done' });
    expect(await describedSchema(server.database)).toBe(before);
    expect(await remove(session)).toEqual({ is: 'already' });
  });

  it('finds all that it needs, and says what is there', async () => {
    expect((await examineServer(session)).map(({ says }) => says)).toEqual([
      expect.stringMatching(/^version \d+\.\d+/),
      'susemanager-schema 5.2.3-1.1',
      '34 tables have the columns that are watched',
    ]);
    expect(await missing(examineInstallation(session))).toEqual(['it is not installed']);
    await install(session);
    expect(await missing(examineInstallation(session))).toEqual([]);
  });

  it('is refused by a server of another version, with what is missing, and leaves nothing half-installed', async () => {
    await server.database.rows('ALTER TABLE rhnchannel RENAME COLUMN label TO name_of_channel');
    await server.database.rows('ALTER TABLE suseimageinfo RENAME TO suseimageinformation');
    const before = await describedSchema(server.database);
    try {
      const outcome = await install(session);
      expect(outcome).toMatchObject({
        is: 'refused',
        missing: [{ says: 'there is no column rhnchannel.label' }, { says: 'there is no table suseimageinfo' }],
      });
      expect(await describedSchema(server.database)).toBe(before);
    } finally {
      await server.database.rows('ALTER TABLE rhnchannel RENAME COLUMN name_of_channel TO label');
      await server.database.rows('ALTER TABLE suseimageinformation RENAME TO suseimageinfo');
    }
  });

  it('notices triggers that an upgrade has dropped, switched off or left behind, and mends them', async () => {
    await install(session);
    await server.database.rows('DROP TRIGGER muster_system_update ON rhnserver');
    await server.database.rows('ALTER TABLE rhnchannel DISABLE TRIGGER muster_channel_insert');
    await server.database.rows(
      `CREATE OR REPLACE FUNCTION muster.web_contact_user() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
    );
    expect((await missing(examineInstallation(session))).sort()).toEqual([
      'muster_channel_insert of rhnchannel is switched off',
      'the function muster.web_contact_user is another than this version has',
      'there is no muster_system_update of rhnserver',
    ]);
    expect(await install(session)).toEqual({ is: 'done' });
    expect(await missing(examineInstallation(session))).toEqual([]);
  });

  it('waits for no table for long: a writer that goes on holds it up, and nothing is half-installed', async () => {
    const writer = await sessionWith(server);
    const before = await describedSchema(server.database);
    await writer.rows('BEGIN');
    await writer.rows(`UPDATE rhnserver SET description = 'long'`);
    const error = await install(session, { lockLimitMs: 50 }).catch((why: unknown) => why);
    expect(troubleOf(error, addressOf(server))).toMatchObject({
      passes: true,
      words: expect.stringContaining('holds a lock for too long'),
    });
    await writer.rows('ROLLBACK');
    await writer.close();
    expect(await describedSchema(server.database)).toBe(before);
    expect(await install(session)).toEqual({ is: 'done' });
  });

  it('says what keeps it from the database', async () => {
    const words = async (more: object) => {
      const address = { ...addressOf(server), ...more };
      const error = await connectTo(address).then(
        () => undefined,
        (why: unknown) => why,
      );
      return troubleOf(error, address).words.replaceAll(server.postgres.folder, 'HERE');
    };
    expect(await words({ password: 'wrong' })).toBe(
      'the database susemanager at HERE refuses the password of spacewalk: compare db_user and db_password in rhn.conf',
    );
    expect(await words({ database: 'other' })).toBe('there is no database other at HERE: compare db_name in rhn.conf');
    expect(await words({ host: '/nowhere' })).toContain('does not answer');
    expect(() => troubleOf(new TypeError('a fault of ours'), addressOf(server))).toThrow('a fault of ours');
  });
});
