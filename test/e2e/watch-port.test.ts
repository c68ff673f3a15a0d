import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { contract } from '../../lib/contract.ts';
import { isHeard } from '../../programs/client/watch.ts';
import { freePorts } from '../../tools/demo/ports.ts';
import { nodeFqdn } from '../../tools/support/builders.ts';
import { aHost, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { aProgram, type Program } from '../support/program.ts';

let host: TestHost;
let home: string;
let agent: Program | undefined;
beforeEach(async () => {
  host = await aHost({ admits: 'nobody', beatMinMs: 300 });
  home = mkdtempSync(join(tmpdir(), 'muster-watch-'));
});
afterEach(async () => {
  agent?.child.kill('SIGKILL');
  await agent?.ended;
  await host.stop();
  rmSync(home, { recursive: true });
});

it('the watch port of a host is answered once it is a node: before, stations would take it for one of its name', async () => {
  const [port] = await freePorts(1);
  const watch = { host: '127.0.0.1', port: port!, everyMs: 1_000 };
  const options = ['--home', home, '--endpoint', host.url, '--fqdn', nodeFqdn(1), '--watch', `127.0.0.1:${port}`];
  agent = aProgram('programs/agent/main.ts', options);
  await agent.says('this host waits for admission');
  expect(await isHeard(watch)).toBe(false);

  await apiAt(host.url)(contract.admitHosts, { body: { hosts: [nodeFqdn(1)] } });
  for (const start of ['that joins', 'that was a node before']) {
    agent.child.kill('SIGTERM');
    expect(await agent.ended).toBe(0);
    agent = aProgram('programs/agent/main.ts', options);
    await agent.says('acknowledged');
    expect([start, await isHeard(watch)]).toEqual([start, true]);
  }
}, 120_000);
