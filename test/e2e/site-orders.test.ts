import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contract } from '../../lib/contract.ts';
import type { Fqdn, ZoneName } from '../../lib/core/ids.ts';
import { freePorts } from '../../tools/demo/ports.ts';
import { nodeFqdn } from '../../tools/support/builders.ts';
import { aHost, eventually, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { storedIn } from '../../tools/support/state.ts';
import { readEvents } from '../support/event-stream.ts';
import { aProgram, type Program } from '../support/program.ts';
import { ran as typed } from '../unit/programs/cli/a-terminal.ts';

/*
 * An order on site from an operator's command down to what is run: an embedded host, three stations' agents as
 * programs, and a script in the place of ipmitool.
 */

const zone = 'default' as ZoneName;
const stations = [nodeFqdn(1), nodeFqdn(2), nodeFqdn(3)];
const dead = 'ssu9.acme.org';
const password = 'hunter2-of-ssu9';

let host: TestHost;
let place: string;
let agents: { readonly node: Fqdn; readonly program: Program }[];
beforeEach(async () => {
  host = await aHost({ beatMinMs: 300, sweepPeriodMs: 300 });
  place = mkdtempSync(join(tmpdir(), 'muster-site-'));
  agents = [];
});
afterEach(async () => {
  for (const { program } of agents) program.child.kill('SIGKILL');
  await Promise.all(agents.map(({ program }) => program.ended));
  await host.stop();
  rmSync(place, { recursive: true });
});

const at = (name: string): string => join(place, name);
const ran = (): string[] => (existsSync(at('ran')) ? readFileSync(at('ran'), 'utf8').trimEnd().split('\n') : []);

/**
 * What is run in the place of ipmitool: it notes who ran it and what it was told, and says the password aloud, in two
 * forms.
 */
const script = `
printf '%s|%s|%s|%s|%s|%s|%s\\n' "$5" "$1" "$2" "$3" "$(cat "$4")" "$(stat -c %a "$4")" "\${MUSTER_JOIN_TOKEN:-no token}" >> '${'PLACE'}/ran'
echo "signed in as $3 with $(cat "$4"): chassis power cycle"
base64 "$4"`;
const encoded = Buffer.from(`${password}\n`).toString('base64');

async function anAgent(node: Fqdn, port: number): Promise<void> {
  const minted = await apiAt(host.url)(contract.createNodeToken, { body: { nodes: node, kind: 'uyuni', zone } });
  if (!minted.ok) throw new Error(minted.problem.detail);
  const configuration = [
    `secrets = ${at('secrets')}`,
    `power-command = /bin/sh ${at('power.sh')} {host} {bmc} {user} {passwordFile} ${node}`,
  ];
  writeFileSync(at(`${node}.conf`), `${configuration.join('\n')}\n`);
  const who = ['--home', at(node), '--endpoint', host.url, '--fqdn', node, '--watch', `127.0.0.1:${port}`];
  const words = [...who, '--config', at(`${node}.conf`)];
  const program = aProgram('programs/agent/main.ts', words, { MUSTER_JOIN_TOKEN: minted.body.secret });
  agents.push({ node, program });
  await program.says('acknowledged');
}

/** `muster …` as an operator types it, in this process: all that it says, and its exit code. */
async function muster(...words: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
  const env = { MUSTER_ENDPOINT: host.url, MUSTER_TOKEN: host.operator! };
  const { code, out, err } = await typed(words, { env, sleep: async (ms) => void (await setTimeout(ms)), now: Date.now });
  return { code, said: out + err };
}

const coordinator = (): Promise<Fqdn> =>
  eventually('somebody acts', async () => {
    const services = await apiAt(host.url)(contract.listServices, { params: { zone }, query: {} });
    return services.ok && services.body.items.find(({ type, state }) => type === 'recovery-coordinator' && state === 'online')?.host;
  });

/** All that lies in a folder and those in it, as text. */
const textIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
    .join('\n');

describe('an order on site', () => {
  it('is carried out once, by the station that coordinates, with a password that nobody else ever sees', { timeout: 60_000 }, async () => {
    writeFileSync(at('power.sh'), script.replace('PLACE', place));
    writeFileSync(at('secrets'), JSON.stringify({ [`bmc/${dead}`]: password }), { mode: 0o600 });
    const events = await readEvents(host.url);
    const ports = await freePorts(stations.length);
    await Promise.all(stations.map((node, n) => anAgent(node, ports[n]!)));
    expect(await muster('halon', 'node', 'power-cycle', dead)).toMatchObject({
      code: 1,
      said: expect.stringContaining('power cycles of the zone are not configured'),
    });
    expect(await muster('halon', 'station', ...stations)).toMatchObject({ code: 0 });
    const acts = await coordinator();

    const how = await muster('halon', 'station', 'power', '--bmc', `${dead}=admin@192.0.2.9`);
    expect(how).toMatchObject({ code: 0, said: expect.stringContaining(`admin at 192.0.2.9, password bmc/${dead}`) });
    const dry = await muster('halon', 'node', 'power-cycle', dead, '--dry-run');
    expect(dry).toMatchObject({
      code: 0,
      said: expect.stringContaining(`would run sh for ${dead}: BMC 192.0.2.9, user admin, password bmc/${dead}`),
    });
    expect(ran()).toEqual([]);

    const done = await muster('halon', 'node', 'power-cycle', dead);
    expect(done).toMatchObject({
      code: 0,
      said: expect.stringContaining(`order 2, power cycle of ${dead}: exit 0: the power program succeeded`),
    });
    expect(ran()).toEqual([`${acts}|${dead}|192.0.2.9|admin|${password}|600|no token`]);
    expect(await muster('halon', 'node', 'power-cycle', dead)).toMatchObject({ code: 75, said: expect.stringContaining('once in 10 min') });
    expect(await muster('halon', 'node', 'power-cycle', stations[0]!)).toMatchObject({ code: 1, said: expect.stringContaining('--force') });

    // The agent that carried it out is killed, and carries nothing out again when it acts once more.
    const { program } = agents.find(({ node }) => node === acts)!;
    program.child.kill('SIGKILL');
    await program.ended;
    await anAgent(acts, ports[stations.indexOf(acts)]!);
    const again = ['halon', 'service', 'recovery-coordinator', 'check', '-n', acts];
    await eventually('it acts again', async () => (await muster(...again)).said.includes('acts under epoch 1'), 20_000);
    expect(ran()).toHaveLength(1);
    const ofOrders = () => events.received.filter(({ type }) => type.startsWith('site-order.'));
    await eventually('both are over, as events tell', async () => ofOrders().length >= 4);
    const told = ofOrders().map(({ type, event }) => [type, event.data]);
    events.close();
    expect(told).toMatchObject([
      ['site-order.ordered', { order: 1, dryRun: true }],
      ['site-order.done', { order: 1, exit: 0, known: true }],
      ['site-order.ordered', { order: 2, dryRun: false, host: dead, by: 'operator', epoch: 1 }],
      ['site-order.done', { order: 2, exit: 0, known: true, says: 'the power program succeeded' }],
    ]);
    const kept = Object.entries(storedIn(host.home)).filter(([key]) => key.startsWith('history'));
    expect(kept.filter(([, row]) => row.includes('site-order.done'))).toHaveLength(2);

    for (const form of [password, encoded]) {
      expect(JSON.stringify(storedIn(host.home))).not.toContain(form);
      expect(textIn(host.home)).not.toContain(form);
      for (const { node, program } of agents) expect(textIn(at(node)) + program.said(), node).not.toContain(form);
    }
    expect(statSync(at('secrets')).mode & 0o777).toBe(0o600);
  });
});
