import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { installationSql } from '../../lib/uyuni/outbox/installation.ts';
import { watched } from '../../lib/uyuni/outbox/watched.ts';
import { install } from '../../programs/agent/uyuni/install.ts';
import { dropRows, fillOf, holderOf, isFull, lookAtEverything, readRows } from '../../programs/agent/uyuni/outbox.ts';
import type { Session } from '../../programs/agent/uyuni/session.ts';
import { type PlayedServer, startServer } from '../../tools/support/uyuni/played-server.ts';
import { sessionWith, shown } from '../support/a-uyuni-outbox.ts';
import { logIn } from '../support/uyuni-api.ts';
import { describeWithPostgres } from '../support/with-postgres.ts';

/** A reader of the outbox that remembers how far it has read, and believes that numbers are in the order of commits. */
const inPlainOrder = (session: Session) => {
  let last = 0;
  return async (): Promise<number[]> => {
    const rows = (await session.rows('SELECT id FROM muster.outbox WHERE id > $1 ORDER BY id', [last])) as { id: number }[];
    last = rows.at(-1)?.id ?? last;
    return rows.map(({ id }) => id);
  };
};
/** The reader that the agent has: what it has read it deletes. */
const belowTheOldestWriter = (session: Session) => async (): Promise<number[]> => {
  const ids = (await readRows(session, 1_000)).map(({ id }) => id);
  await dropRows(session, ids);
  return ids;
};

describeWithPostgres('the outbox of a Uyuni server', () => {
  let server: PlayedServer;
  let session: Session;
  let admin: Awaited<ReturnType<typeof logIn>>;
  const sid = 1_000_010_000;
  const sql = (text: string, values: readonly unknown[] = []) => server.database.rows(text, values);
  const emptied = () => session.rows('DELETE FROM muster.outbox');

  beforeAll(async () => {
    server = await startServer({ systems: 20 });
    session = await sessionWith(server);
    await install(session);
    admin = await logIn(server.url);
  });
  afterAll(async () => {
    await session?.close();
    await server?.stop();
  });
  beforeEach(emptied);

  it('has a row for each statement of a change, in its transaction, with the things that it is about', async () => {
    await admin('system.addNote', sid, 'Moved', '');
    await admin('systemgroup.create', 'canary', '');
    await admin('system.setCustomValues', sid, { owner: 'team-z' });
    await admin('formula.setFormulasOfServer', sid + 1, ['tuned']);
    await admin('user.create', 'bob', 'secret', 'B', 'Ob', 'bob@acme.test');
    expect(await shown(session)).toEqual([
      { kind: 'system', op: 'insert', source: 'rhnservernotes', entries: [[sid]], count: 1 },
      { kind: 'group', op: 'insert', source: 'rhnservergroup', entries: [[11, 'canary']], count: 1 },
      { kind: 'system', op: 'update', source: 'rhnservercustomdatavalue', entries: [[sid]], count: 2 },
      { kind: 'system', op: 'insert', source: 'susesaltpillar', entries: [[sid + 1]], count: 1 },
      { kind: 'user', op: 'insert', source: 'web_contact', entries: [[2, 'bob']], count: 1 },
      { kind: 'user', op: 'insert', source: 'web_user_personal_info', entries: [[2]], count: 1 },
    ]);
  });

  it('names a thing that is gone by its own name, since nobody can look it up any more', async () => {
    await admin('systemgroup.create', 'gone', '');
    await admin('system.deleteSystem', sid + 2);
    await emptied();
    await admin('systemgroup.delete', 'gone');
    await admin('system.deleteSystem', sid + 3);
    const rows = await shown(session);
    expect(rows).toContainEqual({ kind: 'group', op: 'delete', source: 'rhnservergroup', entries: [[12, 'gone']], count: 1 });
    expect(rows).toContainEqual({
      kind: 'system',
      op: 'delete',
      source: 'suseminioninfo',
      entries: [[sid + 3, 'uyuni1-00004.acme.test']],
      count: 1,
    });
  });

  it('has no row of what does not count, was not changed, or was rolled back', async () => {
    await sql('UPDATE rhnserverinfo SET checkin = current_timestamp');
    await sql('UPDATE rhnserver SET channels_changed = current_timestamp');
    await sql('UPDATE rhnserver SET name = name');
    await sql('UPDATE rhnservergroup SET current_members = current_members + 1');
    await sql(
      `INSERT INTO rhnservergroupmembers (server_id, server_group_id) SELECT $1, server_group_id FROM rhnservergroupmembers WHERE server_id = $1 ON CONFLICT DO NOTHING`,
      [sid],
    );
    await sql('BEGIN; UPDATE rhnserver SET description = random()::text; ROLLBACK');
    await sql('DELETE FROM rhnserver WHERE false');
    expect(await shown(session)).toEqual([]);
  });

  it('has one row of a bulk change, with a count and a digest that goes by what was changed', async () => {
    await sql(`INSERT INTO rhnpackage (id) SELECT nextval('rhn_package_id_seq') FROM generate_series(1, 5000)`);
    await sql('INSERT INTO rhnchannelpackage (channel_id, package_id) SELECT 101, id FROM rhnpackage');
    await sql('DELETE FROM rhnchannelpackage WHERE channel_id = 101');
    await sql('INSERT INTO rhnchannelpackage (channel_id, package_id) SELECT 101, id FROM rhnpackage WHERE id > 1');
    const [all, none, fewer] = await readRows(session, 10);
    expect(all).toMatchObject({ kind: 'channel', op: 'insert', entries: [[101]], count: 5_000 });
    expect(none).toMatchObject({ op: 'delete', count: 5_000, digest: all?.digest });
    expect(fewer?.digest).not.toBe(all?.digest);
    await emptied();
    await sql(`INSERT INTO rhnerrata (id, advisory, advisory_name, advisory_type, advisory_rel, product, synopsis, solution)
      SELECT nextval('rhn_errata_id_seq'), 'B-' || n, 'B-' || n, 'Bug Fix Advisory', 1, 'Leap', 'S', 'U' FROM generate_series(1, 101) n`);
    expect(await shown(session)).toEqual([{ kind: 'errata', op: 'insert', source: 'rhnerrata', entries: null, count: 101 }]);
  });

  it('loses nothing of transactions that commit in another order than they began, where numbers in plain order do', async () => {
    const [slow, quick] = [await sessionWith(server), await sessionWith(server)];
    const readers = { plain: inPlainOrder(session), ours: belowTheOldestWriter(session) };
    await slow.rows('BEGIN');
    await slow.rows('UPDATE rhnserver SET description = $2 WHERE id = $1', [sid, 'slow']);
    await quick.rows('UPDATE rhnserver SET description = $2 WHERE id = $1', [sid + 5, 'quick']);
    const first = { plain: await readers.plain(), ours: await readers.ours() };
    expect(await holderOf(session)).toMatchObject({ application: 'muster-agent', user: 'spacewalk' });
    await slow.rows('COMMIT');
    const second = { plain: await readers.plain(), ours: await readers.ours() };
    // The planted reader has seen the quick one, and never sees the slow one, whose number is lower.
    expect([first.plain.length, second.plain.length]).toEqual([1, 0]);
    expect([first.ours.length, second.ours.length]).toEqual([0, 2]);
    expect(await holderOf(session)).toBeUndefined();
    for (const one of [slow, quick]) await one.close();
  });

  it('gives a reader every row exactly once while dozens of transactions write, some of them rolled back', async () => {
    const writers = await Promise.all(Array.from({ length: 8 }, () => sessionWith(server)));
    const read = belowTheOldestWriter(session);
    const seen: number[] = [];
    let isWriting = true;
    const reading = (async () => {
      while (isWriting) seen.push(...(await read()));
    })();
    let committed = 0;
    await Promise.all(
      writers.map(async (writer, n) => {
        for (let turn = 0; turn < 25; turn++) {
          await writer.rows('BEGIN');
          await writer.rows('UPDATE rhnserver SET description = $2 WHERE id = $1', [sid + 6 + n, `turn ${turn}`]);
          if (turn % 3 === 0) await writer.rows('SELECT pg_sleep(0.003)');
          await writer.rows('UPDATE rhnserver SET description = $2 WHERE id = $1', [sid + 6 + n, `turn ${turn} again`]);
          await writer.rows(turn % 5 === 4 ? 'ROLLBACK' : 'COMMIT');
          if (turn % 5 !== 4) committed += 2;
        }
      }),
    );
    isWriting = false;
    await reading;
    seen.push(...(await read()));
    expect(committed).toBe(320);
    expect([seen.length, new Set(seen).size]).toEqual([committed, committed]);
    expect(await fillOf(session)).toMatchObject({ rows: 0 });
    for (const writer of writers) await writer.close();
  });

  it('never fails a statement of the server: a column that is gone after an upgrade makes it “look at every one”', async () => {
    await sql('ALTER TABLE susecontentfilter RENAME COLUMN matcher TO matches');
    try {
      await sql(
        `INSERT INTO susecontentfilter (id, org_id, type, rule, name, matches, field, value) VALUES (1, 1, 'package', 'deny', 'no-vi', 'contains', 'name', 'vi')`,
      );
      expect(await readRows(session, 10)).toMatchObject([
        { kind: 'filter', entries: null, count: null, why: expect.stringContaining('matcher') },
      ]);
    } finally {
      await sql('ALTER TABLE susecontentfilter RENAME COLUMN matches TO matcher');
    }
    await emptied();
    await sql('TRUNCATE suseimageinfo');
    expect(await readRows(session, 10)).toMatchObject([{ kind: 'image', op: 'truncate', entries: null, why: 'the table was emptied' }]);
  });

  it('is written by who has no right to it', async () => {
    await sql('GRANT SELECT, UPDATE ON rhnserver TO PUBLIC');
    const root = new Client(server.postgres.reach('susemanager'));
    await root.connect();
    await root.query('CREATE ROLE reporter');
    await root.query('SET ROLE reporter');
    await root.query(`UPDATE rhnserver SET description = 'by a reporter' WHERE id = ${sid}`);
    await root.query('RESET ROLE; REVOKE ALL ON rhnserver FROM PUBLIC; DROP ROLE reporter');
    await root.end();
    expect(await shown(session)).toMatchObject([{ kind: 'system', entries: [[sid]] }]);
  });

  it('stops at its bound, and is cut down to “look at everything”', async () => {
    const other = await sessionWith(server);
    await session.rows(`DROP SCHEMA muster CASCADE; ${installationSql({ bytesMax: 64 * 1024 })}`);
    for (let n = 0; n < 1_200; n++) await other.rows('UPDATE rhnserver SET description = $2 WHERE id = $1', [sid, String(n)]);
    const before = await fillOf(session);
    expect(before).toMatchObject({ isFull: true });
    expect(before.rows).toBeLessThan(1_100);
    // A transaction that left its row out, and commits after the outbox was emptied, is looked at all the same.
    await other.rows('BEGIN');
    await other.rows('UPDATE rhnserver SET description = $2 WHERE id = $1', [sid, 'left out']);
    await lookAtEverything(session, 'full');
    expect(await isFull(session)).toBe(false);
    expect(await readRows(session, 10)).toEqual([]);
    await other.rows('COMMIT');
    expect(await readRows(session, 10)).toMatchObject([{ kind: 'everything', why: 'full' }]);
    await admin('system.addNote', sid, 'After', '');
    expect(await shown(session)).toHaveLength(2);
    await other.close();
  });

  it('watches each table for each kind of change', async () => {
    const rows = await session.rows(
      `SELECT c.relname AS table, count(*) AS n FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE t.tgname LIKE 'muster_%' GROUP BY 1`,
    );
    const wanted = Map.groupBy(watched, ({ table }) => table);
    expect(new Map((rows as { table: string; n: number }[]).map(({ table, n }) => [table, n]))).toEqual(
      new Map([...wanted].map(([table, watches]) => [table, 4 * watches.length])),
    );
  });
});
