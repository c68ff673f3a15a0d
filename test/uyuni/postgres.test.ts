import { existsSync, readFileSync } from 'node:fs';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { eventually } from '../../tools/support/host.ts';
import { startPostgres } from '../../tools/support/uyuni/postgres/postgres.ts';
import { aProgram } from '../support/program.ts';
import { describeWithPostgres } from '../support/with-postgres.ts';

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describeWithPostgres('a PostgreSQL of our own', () => {
  it('listens on a socket in its folder alone, keeps rows over its own death, and goes with its folder', async () => {
    const postgres = await startPostgres();
    const ask = async (sql: string) => {
      const client = new Client(postgres.reach());
      client.on('error', () => undefined);
      await client.connect();
      try {
        return (await client.query(sql)).rows;
      } finally {
        await client.end();
      }
    };
    expect(await ask('SHOW listen_addresses')).toEqual([{ listen_addresses: '' }]);
    await ask('CREATE TABLE kept AS SELECT 1 AS n');
    await postgres.end('kill');
    await expect(ask('SELECT 1')).rejects.toThrow();
    await postgres.start();
    expect(await ask('SELECT n FROM kept')).toEqual([{ n: 1 }]);
    await postgres.remove();
    expect(existsSync(postgres.folder)).toBe(false);
  });

  it('ends and is removed with the program that started it, even when that is killed', async () => {
    const server = aProgram('tools/support/uyuni/main.ts', ['--fqdn', 'node9.acme.test'], {});
    await server.says('"administrator"', 50_000);
    const { root, database } = JSON.parse(server.said().split('\n')[0]!) as { root: string; database: string };
    const pid = Number(readFileSync(`${database}/data/postmaster.pid`, 'utf8').split('\n')[0]);
    expect([existsSync(root), existsSync(database), isAlive(pid)]).toEqual([true, true, true]);
    server.child.kill('SIGKILL');
    await eventually('everything of the server is gone', async () => !existsSync(root) && !existsSync(database) && !isAlive(pid), 30_000);
  });
});
