import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contract } from '../../lib/contract.ts';
import type { ZoneName } from '../../lib/core/ids.ts';
import { freePorts } from '../../tools/demo/ports.ts';
import { nodeFqdn } from '../../tools/support/builders.ts';
import { aHost, eventually, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { aProgram, type Program } from '../support/program.ts';

/*
 * Stations with agents as programs: a host that hangs, of which the kernel takes connections still.
 */

const zone = 'default' as ZoneName;
const hosts = [nodeFqdn(1), nodeFqdn(2), nodeFqdn(3)];
const hung = hosts[2]!;

let host: TestHost;
let place: string;
let agents: Program[];
beforeEach(async () => {
  host = await aHost({ beatMinMs: 300, sweepPeriodMs: 300 });
  place = mkdtempSync(join(tmpdir(), 'muster-stations-'));
  agents = [];
});
afterEach(async () => {
  for (const { child } of agents) child.kill('SIGKILL');
  await Promise.all(agents.map(({ ended }) => ended));
  await host.stop();
  rmSync(place, { recursive: true });
});

const api = () => apiAt(host.url);
async function anAgent(node: string, port: number): Promise<void> {
  const where = ['--home', join(place, node), '--endpoint', host.url, '--fqdn', node, '--watch', `127.0.0.1:${port}`];
  const program = aProgram('programs/agent/main.ts', where);
  agents.push(program);
  await program.says('acknowledged');
}
const hearEachOther = async (): Promise<boolean> => {
  const answer = await api()(contract.getStations, { params: { zone } });
  return answer.ok && answer.body.stations.every(({ heard, hears }) => heard && hears?.nodes === hosts.length);
};
const becomes = (status: string): Promise<unknown> =>
  eventually(
    `${hung} is ${status}`,
    async () => {
      const answer = await api()(contract.listNodes, { query: {} });
      return answer.ok && answer.body.items.some((node) => node.fqdn === hung && node.status === status);
    },
    90_000,
  );

describe('the stations of a zone', () => {
  it('do not hear a host that hangs, which is given up although it is one of them, and is heard once it goes on', async () => {
    const ports = await freePorts(hosts.length);
    for (const [n, name] of hosts.entries()) await anAgent(name, ports[n]!);
    const named = await api()(contract.putStations, { params: { zone }, body: { hosts } });
    expect(named.ok).toBe(true);
    await eventually('all hear each other', hearEachOther, 60_000);

    agents[2]!.child.kill('SIGSTOP');
    await becomes('down');
    agents[2]!.child.kill('SIGCONT');
    await becomes('up');
    await eventually('all hear each other again', hearEachOther, 60_000);
  }, 240_000);
});
