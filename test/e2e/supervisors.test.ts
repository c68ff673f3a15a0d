import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contract } from '../../lib/contract.ts';
import type { ServiceTypeName, ZoneName } from '../../lib/core/ids.ts';
import type { ServiceView } from '../../lib/services/view-routes.ts';
import { freePorts } from '../../tools/demo/ports.ts';
import { nodeFqdn } from '../../tools/support/builders.ts';
import { aHost, eventually, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { aProgram, type Program } from '../support/program.ts';

/*
 * Supervisors from an operator's order down to what they ask: an embedded host, and agents as programs on ports of
 * their own.
 */

const zone = 'default' as ZoneName;
const [statistics, supervisor] = ['statistics', 'supervisor'] as ServiceTypeName[] as [ServiceTypeName, ServiceTypeName];
const [one, two] = [nodeFqdn(1), nodeFqdn(2)];

let host: TestHost;
let place: string;
let agents: Program[];
beforeEach(async () => {
  host = await aHost({ beatMinMs: 300, sweepPeriodMs: 300 });
  place = mkdtempSync(join(tmpdir(), 'muster-supervisors-'));
  agents = [];
});
afterEach(async () => {
  for (const { child } of agents) child.kill('SIGKILL');
  await Promise.all(agents.map(({ ended }) => ended));
  await host.stop();
  rmSync(place, { recursive: true });
});

const api = () => apiAt(host.url);
async function anAgent(node: typeof one, port: number): Promise<Program> {
  const minted = await api()(contract.createNodeToken, { body: { nodes: node, kind: 'uyuni', zone } });
  if (!minted.ok) throw new Error(minted.problem.detail);
  const where = ['--home', join(place, node), '--endpoint', host.url, '--fqdn', node, '--watch', `127.0.0.1:${port}`];
  const program = aProgram('programs/agent/main.ts', where, { MUSTER_JOIN_TOKEN: minted.body.secret });
  agents.push(program);
  await program.says('acknowledged');
  return program;
}
async function started(type: ServiceTypeName, node: string): Promise<void> {
  const answer = await api()(contract.startService, { params: { zone, type }, body: { node } });
  if (!answer.ok) throw new Error(answer.problem.detail);
  await shows(`${type} of ${node} is online`, type, node, ({ state }) => state === 'online');
}
const shows = (what: string, type: ServiceTypeName, node: string, is: (service: ServiceView) => boolean): Promise<ServiceView> =>
  eventually(
    what,
    async () => {
      const answer = await api()(contract.getService, { params: { zone, type, node } });
      return answer.ok && is(answer.body) && answer.body;
    },
    40_000,
  );
const statusOf = async (node: string): Promise<string> => {
  const asked = await api()(contract.statusService, { params: { zone, type: supervisor }, body: { node } });
  if (!asked.ok) throw new Error(asked.problem.detail);
  const { results } = await shows('it answers', supervisor, node, (now) => now.results.some(({ ask }) => ask === asked.body.ask));
  return results.find(({ ask }) => ask === asked.body.ask)!.says;
};

describe('a supervisor', () => {
  it('says whom it watches, and misses a host whose agent hangs, until that goes on', { timeout: 120_000 }, async () => {
    const [first, second] = (await freePorts(2)) as [number, number];
    await anAgent(one, first);
    const other = await anAgent(two, second);
    await started(statistics, one);
    await started(statistics, two);
    await started(supervisor, one);
    await shows('it is watched', statistics, two, (now) => now.supervisor?.host === one);
    await eventually('it has looked', async () => (await statusOf(one)).includes('misses'), 40_000);
    expect(await statusOf(one)).toBe(`watches the services of this host, ${two}\nwatches the supervisors of no host\nmisses nothing`);
    // Its kernel takes connections still.
    other.child.kill('SIGSTOP');
    await shows('it is missed', statistics, two, (now) => now.supervisor?.missedSince !== undefined);
    expect(await statusOf(one)).toContain(`misses ${two}`);
    other.child.kill('SIGCONT');
    await shows('it is heard', statistics, two, (now) => now.supervisor !== undefined && now.supervisor.missedSince === undefined);
  });
});
