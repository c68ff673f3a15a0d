import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contract } from '../../../lib/contract.ts';
import type { ServiceTypeName, ZoneName } from '../../../lib/core/ids.ts';
import { freePorts } from '../../../tools/demo/ports.ts';
import { aHost, eventually, type TestHost } from '../../../tools/support/host.ts';
import { apiAt } from '../../../tools/support/operator.ts';
import { aProgram, type Program } from '../../support/program.ts';

/*
 * What somebody who may have anything run reaches on a host: an embedded host, whose operator it is, and the agent as a
 * program.
 */

const zone = 'default' as ZoneName;
const node = 'node1.acme.org';

let host: TestHost;
let place: string;
let agent: Program;
beforeEach(async () => {
  host = await aHost({ beatMinMs: 300 });
  place = mkdtempSync(join(tmpdir(), 'muster-attacked-'));
});
afterEach(async () => {
  agent.child.kill('SIGKILL');
  await agent.ended;
  await host.stop();
  rmSync(place, { recursive: true });
});

/** The agent of the host, with what its owner says besides. */
async function anAgent(...words: string[]): Promise<void> {
  const [port] = await freePorts(1);
  const minted = await apiAt(host.url)(contract.createNodeToken, { body: { nodes: node, kind: 'uyuni', zone } });
  if (!minted.ok) throw new Error(minted.problem.detail);
  const who = ['--home', join(place, 'agent'), '--endpoint', host.url, '--fqdn', node, '--watch', `127.0.0.1:${port}`];
  agent = aProgram('programs/agent/main.ts', [...who, ...words], { MUSTER_JOIN_TOKEN: minted.body.secret });
  await agent.says('acknowledged');
}
const asked = (type: string, configuration: Record<string, unknown>) =>
  apiAt(host.url)(contract.startService, { params: { zone, type: type as ServiceTypeName }, body: { node, configuration } });
const seen = async (type: string) => {
  const answer = await apiAt(host.url)(contract.getService, { params: { zone, type: type as ServiceTypeName, node } });
  return answer.ok ? answer.body : undefined;
};

describe('attack 42', () => {
  it('attack 42: an agent whose host does not allow a type runs nothing of it, says why, and is not asked again', async () => {
    await anAgent();
    expect((await asked('process', { command: ['/bin/sh', '-c', `touch ${join(place, 'ran')}; sleep 60`] })).ok).toBe(true);
    const failed = await eventually('it has failed', async () => {
      const now = await seen('process');
      return now?.state === 'failed' && now;
    });
    expect(failed.reason).toContain('this host does not run services of type process');
    expect(failed.reason).toContain('allow-service');
    expect([failed.retryAt, failed.attempts]).toEqual([undefined, undefined]);
    await agent.says('this host does not run services of type process');
    expect(existsSync(join(place, 'ran'))).toBe(false);
  });

  it('attack 42: a type of one’s own is no way around it, whatever it is called', async () => {
    await anAgent('--allow-service', 'built-in,greeter');
    const start = ['/bin/sh', '-c', `touch ${join(place, 'ran')}; sleep 60`];
    const put = (type: string) =>
      apiAt(host.url)(contract.putServiceType, { params: { zone, type: type as ServiceTypeName }, body: { start } });
    expect((await put('statistics')).ok).toBe(false);
    expect((await put('farewell')).ok).toBe(true);
    await asked('farewell', {});
    expect(await eventually('it has failed', async () => (await seen('farewell'))?.reason)).toContain('services of type farewell');
    expect(existsSync(join(place, 'ran'))).toBe(false);
  });
});

describe('attack 43', () => {
  it.runIf(process.getuid?.() === 0)('attack 43: a command that somebody has run reads no key, and is not root', async () => {
    await anAgent('--allow-service', 'built-in,process', '--service-user', 'nobody');
    const script = `id -u; cat ${place}/agent/ledger.json ${place}/agent/*.json; ls ${place}/agent; cat /proc/$PPID/environ; sleep 600`;
    await asked('process', { command: ['/bin/sh', '-c', script], check: ['/bin/sh', '-c', 'id -u; cat "$MUSTER_SERVICE_CONFIGURATION"'] });
    const online = await eventually('it runs', async () => {
      const now = await seen('process');
      return now?.state === 'online' && now;
    });
    const log = readFileSync(join(place, 'agent/services/process.log'), 'utf8');
    expect(log).toMatch(/^65534\n/);
    expect(log.match(/Permission denied/g)!.length).toBeGreaterThan(3);
    expect(log).not.toContain('privateKey');
    expect(log).not.toContain('mjt_');

    // An agent that was killed finds it again, asks it, and ends it.
    agent.child.kill('SIGKILL');
    await agent.ended;
    await anAgent('--allow-service', 'built-in,process', '--service-user', 'nobody');
    const of = { params: { zone, type: 'process' as ServiceTypeName }, body: { node } };
    await apiAt(host.url)(contract.checkService, of);
    const result = await eventually('it is asked', async () => (await seen('process'))?.results.findLast(({ ask }) => ask !== undefined));
    expect(result).toMatchObject({ exit: 0, says: expect.stringMatching(/^65534\n\{"command"/) });
    expect((await seen('process'))?.pid).toBe(online.pid);
    await apiAt(host.url)(contract.stopService, of);
    await eventually('it has ended', async () => (await seen('process')) === undefined);
  });

  it.runIf(process.getuid?.() === 0)('attack 43: an agent that is root runs nothing of which nobody says as whom', async () => {
    await anAgent('--allow-service', 'built-in,process');
    await asked('process', { command: ['/bin/sh', '-c', `touch ${place}/ran`] });
    const failed = await eventually('it has failed', async () => {
      const now = await seen('process');
      return now?.state === 'failed' && now;
    });
    expect(failed.reason).toContain('service-user = process=USER');
    expect([failed.retryAt, existsSync(join(place, 'ran'))]).toEqual([undefined, false]);
  });
});
