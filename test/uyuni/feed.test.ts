import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { install } from '../../programs/agent/uyuni/install.ts';
import { fillOf } from '../../programs/agent/uyuni/outbox.ts';
import type { Session } from '../../programs/agent/uyuni/session.ts';
import { type PlayedServer, startServer } from '../../tools/support/uyuni/played-server.ts';
import { aFeed, sessionWith, aSource as source } from '../support/a-uyuni-outbox.ts';
import { describeWithPostgres } from '../support/with-postgres.ts';

describeWithPostgres('the feed of a Uyuni server', () => {
  let server: PlayedServer;
  let session: Session;
  let home: string;
  const sid = 1_000_010_000;
  const describe = (id: number, text: string) => server.database.rows('UPDATE rhnserver SET description = $2 WHERE id = $1', [id, text]);
  const seen = () => aFeed(server, home);
  /** One of the first systems, by its number and the id of its minion. */
  const system = (n: number) => [sid + n, `uyuni1-${String(n + 1).padStart(5, '0')}.acme.test`];

  beforeAll(async () => {
    server = await startServer({ systems: 20 });
  });
  afterAll(() => server?.stop());
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'muster-feed-'));
    session = await sessionWith(server);
    await install(session);
    await session.rows('DELETE FROM muster.outbox');
  });
  afterEach(async () => {
    if (session.isOpen()) await session.close();
    rmSync(home, { recursive: true });
  });

  it('reports each thing once, however often it was changed, and deletes what was taken', async () => {
    const { feed, sent } = seen();
    for (const text of ['one', 'two', 'three']) await describe(sid, text);
    await describe(sid + 1, 'one');
    expect(await feed.pass()).toBe(4);
    expect(sent).toEqual([{ source, seq: 1, changes: [{ kind: 'system', things: [system(0), system(1)] }] }]);
    expect(await fillOf(session)).toMatchObject({ rows: 0 });
    expect(await feed.pass()).toBe(0);
    await feed.close();
  });

  it('is woken by a change, and not by what does not count', async () => {
    const { feed } = seen();
    await feed.pass();
    const woken = Promise.withResolvers<void>();
    feed.onChange(woken.resolve);
    await server.database.rows('UPDATE rhnserverinfo SET checkin = current_timestamp');
    await describe(sid, 'woken');
    await woken.promise;
    await feed.close();
  });

  it('keeps an hour without a way to Muster, and then reports all of it in order', async () => {
    const { feed, sent, answers } = seen();
    answers.push({ is: 'later' }, { is: 'later' });
    await describe(sid, 'first');
    expect(await feed.pass()).toBe(0);
    for (let n = 1; n < 10; n++) await describe(sid + n, 'meanwhile');
    expect(await feed.pass()).toBe(0);
    expect(await feed.pass()).toBe(10);
    expect(sent.map(({ seq }) => seq)).toEqual([1, 1, 1, 2]);
    expect(sent.slice(2).flatMap(({ changes }) => changes.flatMap(({ things }) => things))).toEqual(
      Array.from({ length: 10 }, (_, n) => system(n)),
    );
    await feed.close();
  });

  it('leaves the folder and the outbox as they are when it was stopped while a report was under way', async () => {
    const stopped = seen();
    stopped.onSent = () => stopped.feed.stop();
    await describe(sid, 'under way');
    expect(await stopped.feed.pass()).toBe(0);
    await stopped.feed.close();
    await describe(sid + 1, 'after the stop');
    // The agent that comes next sends the same under the same number, and only then the rest.
    const next = seen();
    expect(await next.feed.pass()).toBe(2);
    expect(next.sent.map(({ seq, changes }) => [seq, changes[0]?.things])).toEqual([
      [1, [system(0)]],
      [2, [system(1)]],
    ]);
    expect(stopped.sent).toEqual(next.sent.slice(0, 1));
    await next.feed.close();
  });

  it('sends a report again as it was after a crash, whether or not it was taken, and doubles nothing', async () => {
    const first = seen();
    await describe(sid, 'before the crash');
    first.answers.push({ is: 'later' });
    await first.feed.pass();
    await first.feed.close();
    // Another change comes before the agent is back, and must not change the report that may have been taken.
    await describe(sid + 1, 'after the crash');
    const second = seen();
    expect(await second.feed.pass()).toBe(2);
    expect(second.sent).toEqual([
      { source, seq: 1, changes: [{ kind: 'system', things: [system(0)] }] },
      { source, seq: 2, changes: [{ kind: 'system', things: [system(1)] }] },
    ]);
    await second.feed.close();
  });

  it('has everything looked at in the place of a report that is refused for good', async () => {
    const { feed, sent, answers, lines } = seen();
    answers.push({ is: 'refused', why: 'validation' });
    await describe(sid, 'poison');
    expect(await feed.pass()).toBe(1);
    expect(sent[1]).toMatchObject({ seq: 2, changes: [{ kind: 'everything' }] });
    answers.push({ is: 'refused', why: 'validation' }, { is: 'refused', why: 'validation' });
    await describe(sid, 'poison again');
    expect(await feed.pass()).toBe(0);
    expect(lines.at(-1)).toContain('although it says no more than “everything”');
    expect(await fillOf(session)).toMatchObject({ rows: 1 });
    await feed.close();
  });

  it('empties the outbox of another database, and has everything looked at', async () => {
    const { feed, sent } = seen();
    await describe(sid, 'in the database before');
    await session.rows(`UPDATE muster.installation SET system_identifier = '7'`);
    expect(await feed.pass()).toBe(1);
    expect(sent).toMatchObject([{ changes: [{ kind: 'everything', why: 'this database is a copy, or was restored' }] }]);
    await describe(sid, 'in this one');
    expect(await feed.pass()).toBe(1);
    expect(sent[1]).toMatchObject({ changes: [{ kind: 'system' }] });
    await feed.close();
  });

  it('empties the outbox of a database that was set back to an earlier time', async () => {
    const first = seen();
    await describe(sid, 'then');
    await first.feed.pass();
    await first.feed.close();
    const memory = JSON.parse(readFileSync(join(home, 'uyuni.json'), 'utf8'));
    writeFileSync(join(home, 'uyuni.json'), JSON.stringify({ ...memory, xid: '900000000000' }));
    const second = seen();
    expect(await second.feed.pass()).toBe(1);
    expect(second.sent).toMatchObject([{ changes: [{ kind: 'everything', why: 'this database is older than what was read from it' }] }]);
    await second.feed.close();
  });

  it('looks at everything where nothing is remembered, and again if it ended before that was done', async () => {
    await describe(sid, 'who knows');
    writeFileSync(join(home, 'uyuni.json'), 'not what was written', { mode: 0o600 });
    const { feed, sent } = seen();
    expect(await feed.pass()).toBe(1);
    expect(sent).toMatchObject([{ seq: 1, changes: [{ kind: 'everything', why: 'nothing is remembered of what was read before' }] }]);
    await feed.close();
    // It ended after `overflow` was taken back and before the row was written that says so.
    writeFileSync(join(home, 'uyuni.json'), JSON.stringify({ version: 1, source, seq: 1, emptying: 'full' }));
    const second = seen();
    expect(await second.feed.pass()).toBe(1);
    expect(second.sent).toMatchObject([{ seq: 2, changes: [{ kind: 'everything', why: 'full' }] }]);
    expect(await second.feed.pass()).toBe(0);
    await second.feed.close();
  });

  it('says once that the database is away, waits for it, and loses nothing', async () => {
    const { feed, sent, lines } = seen();
    await describe(sid, 'before');
    await server.postgres.end('fast');
    expect([await feed.pass(), await feed.pass()]).toEqual([0, 0]);
    await server.postgres.start();
    expect(await feed.pass()).toBe(1);
    expect(lines).toEqual([expect.stringMatching(/does not answer .*; trying again$/), 'the agent reads the changes of this server again']);
    expect(sent).toHaveLength(1);
    await server.postgres.end('kill');
    expect(await feed.pass()).toBe(0);
    await server.postgres.start();
    await describe(sid, 'after');
    expect(await feed.pass()).toBe(1);
    await feed.close();
    session = await sessionWith(server);
  });

  it('says once that the password is wrong, or that nothing is installed', async () => {
    const wrong = aFeed(server, home, { password: 'wrong' });
    await wrong.feed.pass();
    await wrong.feed.pass();
    expect(wrong.lines).toEqual([expect.stringContaining('refuses the password of spacewalk')]);
    await session.rows('DROP SCHEMA muster CASCADE');
    const bare = seen();
    await bare.feed.pass();
    await bare.feed.pass();
    expect(bare.lines).toEqual(['the outbox is not installed in this database: run muster-agent uyuni install; trying again']);
    await bare.feed.close();
  });

  it('stands a full disk as the server does: the statement fails, and nothing of it is reported', async () => {
    await session.rows(`CREATE FUNCTION pg_temp.full_disk() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION USING ERRCODE = '53100', MESSAGE = 'could not extend file: No space left on device'; END $$`);
    await session.rows('CREATE TRIGGER full_disk BEFORE INSERT ON muster.outbox FOR EACH STATEMENT EXECUTE FUNCTION pg_temp.full_disk()');
    await expect(describe(sid, 'too much')).rejects.toThrow('No space left on device');
    await session.rows('DROP TRIGGER full_disk ON muster.outbox');
    await describe(sid, 'there is room again');
    const { feed, sent } = seen();
    expect(await feed.pass()).toBe(1);
    expect(sent).toHaveLength(1);
    await feed.close();
  });

  it('folds thousands of rows into reports of a bounded size', async () => {
    await server.database.rows(
      `INSERT INTO rhnserver (id, org_id, digital_server_id, server_arch_id, os, release, name, secret)
       SELECT 2000000 + n, 1, 'x' || n, 1, 'Leap', '15', 'x' || n, '' FROM generate_series(1, 3000) n`,
    );
    await session.rows('DELETE FROM muster.outbox');
    await server.database.rows(
      `DO $$ BEGIN FOR n IN 1..3000 LOOP UPDATE rhnserver SET description = 'x' WHERE id = 2000000 + n; END LOOP; END $$`,
    );
    const { feed, sent } = seen();
    expect(await feed.pass()).toBe(3_000);
    expect(sent).toHaveLength(6);
    expect(sent.flatMap(({ changes }) => changes.flatMap(({ things }) => things ?? []))).toHaveLength(3_000);
    await feed.close();
  });
});
