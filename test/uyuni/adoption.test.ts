import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiClient } from '../../lib/api/client.ts';
import type { ReplyOf } from '../../lib/api/route.ts';
import { contract } from '../../lib/contract.ts';
import { minionFingerprintOf } from '../../lib/identity/fingerprint.ts';
import { freePorts } from '../../tools/demo/ports.ts';
import { aHost, eventually, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { type PlayedServer, startServer } from '../../tools/support/uyuni/played-server.ts';
import { aProgram, type Program } from '../support/program.ts';
import { describeWithPostgres } from '../support/with-postgres.ts';

const fqdn = 'node1.acme.test';
const systems = 130;

describeWithPostgres('the systems of a server that becomes a node', () => {
  let server: PlayedServer;
  let host: TestHost;
  let operator: ApiClient;
  let home: string;
  let agent: Program;
  let port: number;

  beforeAll(async () => {
    server = await startServer({ fqdn, systems });
    host = await aHost();
    operator = apiAt(host.url);
    home = mkdtempSync(join(tmpdir(), 'muster-adoption-'));
    await operator(contract.addAdmissionRule, { body: { name: 'servers', nodes: '*.acme.test' } });
    [port = 0] = await freePorts(1);
    agent = starts();
    await agent.says('acknowledged: incarnation 1');
    await eventually('the node is up', async () => (await ok(operator(contract.getNode, { params: { id: fqdn } }))).status === 'up');
  });
  afterAll(async () => {
    agent?.child.kill('SIGKILL');
    await agent?.ended;
    await host?.stop();
    await server?.stop();
    rmSync(home, { recursive: true, force: true });
  });

  const starts = () =>
    aProgram('programs/agent/main.ts', [
      ...['--endpoint', host.url, '--fqdn', fqdn, '--home', home, '--watch', `127.0.0.1:${port}`],
      ...['--watch-source', `salt-master:${server.root}`, '--report-changes', join(server.root, 'etc/rhn/rhn.conf')],
    ]);
  const ok = async <T>(asked: Promise<{ ok: true; body: T } | { ok: false; problem: { detail?: string | undefined } }>): Promise<T> => {
    const answer = await asked;
    if (!answer.ok) throw new Error(answer.problem.detail);
    return answer.body;
  };
  const order = (body: { dryRun?: boolean; duplicates?: boolean } = {}) =>
    ok(operator(contract.adoptSystems, { params: { id: fqdn }, body }));
  const adoption = () => ok(operator(contract.adoption, { params: { id: fqdn } }));
  const ended = async (): Promise<ReplyOf<typeof contract.adoption>> => {
    await eventually('the adoption ends', async () => (await adoption()).state === 'done');
    return adoption();
  };
  const known = async () => {
    const items = [];
    for (let cursor: string | undefined; ; ) {
      const page = await ok(operator(contract.listSystems, { query: { limit: 200, ...(cursor !== undefined && { cursor }) } }));
      items.push(...page.items);
      if (page.next === undefined) return items;
      cursor = page.next;
    }
  };

  it('are counted by a dry run, which adopts none', async () => {
    await order({ dryRun: true });
    expect(await ended()).toMatchObject({ dryRun: true, total: systems, adopted: systems, known: 0, left: 0 });
    expect(await known()).toEqual([]);
  });

  it('are adopted where they are, and by an agent that is killed in between all the same', async () => {
    await order();
    await eventually('some are adopted', async () => (await adoption()).adopted > 0);
    agent.child.kill('SIGKILL');
    await agent.ended;
    agent = starts();
    expect(await ended()).toMatchObject({ total: systems, adopted: systems, known: 0, left: 0 });
    const all = await known();
    expect(all).toHaveLength(systems);
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['onboarded']));
    expect(new Set(all.map(({ node }) => node?.fqdn))).toEqual(new Set([fqdn]));
    const [minion = ''] = server.keys.list('accepted');
    const fp = minionFingerprintOf(server.keys.read('accepted', minion) ?? '');
    expect(await ok(operator(contract.getSystem, { params: { fp } }))).toMatchObject({ fqdn: minion, pin: { hard: false } });
  });

  it('are known when they are adopted again', async () => {
    await order();
    expect(await ended()).toMatchObject({ total: systems, adopted: 0, known: systems, left: 0 });
  });
});
