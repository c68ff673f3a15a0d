import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../../lib/api/client.ts';
import { contract } from '../../lib/contract.ts';
import { install } from '../../programs/agent/uyuni/install.ts';
import { freePorts } from '../../tools/demo/ports.ts';
import { aHost, eventually, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { type PlayedServer, startServer } from '../../tools/support/uyuni/played-server.ts';
import { sessionWith } from '../support/a-uyuni-outbox.ts';
import { aProgram, type Program } from '../support/program.ts';
import { describeWithPostgres } from '../support/with-postgres.ts';

const fqdn = 'node1.acme.test';
const sid = 1_000_010_000;

describeWithPostgres('an agent that reports what changes on its server', () => {
  let server: PlayedServer;
  let host: TestHost;
  let operator: ApiClient;
  let home: string;
  let agent: Program;
  let port: number;
  let target: Server;
  /** The events that a webhook was sent. */
  const sent: { readonly type: string; readonly data: object }[] = [];

  beforeAll(async () => {
    server = await startServer({ fqdn, systems: 20 });
    const session = await sessionWith(server);
    await install(session);
    await session.close();
    host = await aHost({ webhooksToLoopback: true });
    operator = apiAt(host.url);
    home = mkdtempSync(join(tmpdir(), 'muster-reporting-'));
    await operator(contract.addAdmissionRule, { body: { name: 'servers', nodes: fqdn } });
    target = createServer(async (request, response) => {
      sent.push(JSON.parse(Buffer.concat(await request.toArray()).toString()));
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}/hook`;
    const added = await operator(contract.addWebhook, { body: { url, types: ['system.changed', 'content.changed'] } });
    if (!added.ok) throw new Error(added.problem.detail);
    [port = 0] = await freePorts(1);
    agent = starts();
    await agent.says('acknowledged: incarnation 1');
  });
  afterAll(async () => {
    agent?.child.kill('SIGKILL');
    await agent?.ended;
    await host?.stop();
    target?.closeAllConnections();
    await new Promise((resolve) => (target ? target.close(resolve) : resolve(undefined)));
    await server?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  const starts = () =>
    aProgram('programs/agent/main.ts', [
      ...['--endpoint', host.url, '--fqdn', fqdn, '--home', home, '--watch', `127.0.0.1:${port}`],
      ...['--report-changes', join(server.root, 'etc/rhn/rhn.conf')],
    ]);
  const describe = (id: number, text: string) => server.database.rows('UPDATE rhnserver SET description = $2 WHERE id = $1', [id, text]);
  /** The events of a type since the beginning, oldest first. */
  const heard = async (type: string) => {
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const answer = await operator(contract.listChanges, { query: { since, type, limit: 200 } });
    if (!answer.ok) throw new Error(answer.problem.detail);
    return answer.body.items.map(({ data, id }) => ({
      id,
      ...(data as { systems?: object[]; things?: object[]; kind?: string; why?: string }),
    }));
  };
  const numbersIn = async () =>
    (await heard('system.changed')).flatMap(({ systems = [] }) => systems.map((one) => (one as { number: number }).number));

  it('is heard first that anything may have changed, and then of each change once, by name', async () => {
    const why = 'nothing is remembered of what was read before';
    await eventually('everything is looked at', async () => (await heard('content.changed')).length > 0);
    expect(await heard('system.changed')).toEqual([expect.objectContaining({ why, fqdn })]);
    const [{ name }] = (await server.database.rows('SELECT minion_id AS name FROM suseminioninfo WHERE server_id = $1', [sid])) as [
      { name: string },
    ];
    await describe(sid, 'changed');
    await server.database.rows(`UPDATE web_customer SET name = 'Acme and daughters'`);
    await eventually('both are published', async () => (await numbersIn()).length > 0 && (await heard('content.changed')).length > 1);
    expect((await heard('system.changed')).at(-1)).toMatchObject({ systems: [{ number: sid, name }] });
    expect((await heard('content.changed')).at(-1)).toMatchObject({
      kind: 'organisation',
      things: [
        { number: 1, name: 'Acme' },
        { number: 1, name: 'Acme and daughters' },
      ],
    });
  });

  it('is heard by a webhook of these events, and of no others', async () => {
    await describe(sid + 1, 'for the webhook');
    const mine = await eventually('the webhook is sent it', async () =>
      sent.find(({ data }) => (data as { systems?: { number: number }[] }).systems?.some(({ number }) => number === sid + 1)),
    );
    expect(mine).toMatchObject({ type: 'system.changed', data: { fqdn, zone: 'default' } });
    expect(new Set(sent.map(({ type }) => type))).toEqual(new Set(['system.changed', 'content.changed']));
  });

  it('loses and doubles nothing when it is killed again and again in the middle of its work', { timeout: 120_000 }, async () => {
    const before = (await numbersIn()).length;
    for (let n = 1; n < 20; n++) {
      await describe(sid + n, `change ${n}`);
      if (n % 4 > 0) continue;
      agent.child.kill('SIGKILL');
      await agent.ended;
      agent = starts();
    }
    await eventually('all are published', async () => (await numbersIn()).length >= before + 19, 60_000);
    expect((await numbersIn()).slice(before).toSorted()).toEqual(Array.from({ length: 19 }, (_, n) => sid + n + 1));
  });

  it('waits for a database that is away, and for Muster, and then reports all of it', async () => {
    const before = (await numbersIn()).length;
    await server.postgres.end('kill');
    await agent.says('does not answer');
    await server.postgres.start();
    await describe(sid, 'while nobody was connected');
    await eventually('it is published', async () => (await numbersIn()).length > before, 30_000);
    expect((await numbersIn()).slice(before)).toEqual([sid]);
    await agent.says('the agent reads the changes of this server again');
  });
});
