import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../lib/api/client.ts';
import { contract } from '../../lib/contract.ts';
import type { Fingerprint, Fqdn } from '../../lib/core/ids.ts';
import { fingerprintOf } from '../../lib/identity/fingerprint.ts';
import { defaultZone } from '../../lib/zones/zone.ts';
import type { Host } from '../../programs/local/host.ts';
import { freePorts } from '../../tools/demo/ports.ts';
import { aHost, eventually } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { aProgram, type Program } from '../support/program.ts';

let host: Host;
let api: ApiClient;
let folder: string;
let ports: number[];
const programs: Program[] = [];
beforeAll(async () => {
  host = await aHost({ beatMinMs: 300 });
  api = apiAt(host.url);
  folder = mkdtempSync(join(tmpdir(), 'muster-programs-'));
  ports = await freePorts(2);
});
afterAll(async () => {
  for (const { child } of programs) child.kill('SIGKILL');
  await Promise.all(programs.map(({ ended }) => ended));
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

const started = (program: Program): Program => {
  programs.push(program);
  return program;
};
const homeOf = (name: string): string => join(folder, name);
/** Whoever is released there is written down and told to knock. */
const anAgent = (n: 1 | 2): Program => {
  const hook = `cat >> '${homeOf(`released${n}`)}'; kill -HUP $(cat '${homeOf('web1.pid')}'); true`;
  const self = [
    '--endpoint',
    host.url,
    '--fqdn',
    `node${n}.acme.test`,
    '--watch',
    `127.0.0.1:${ports[n - 1]}`,
    '--home',
    homeOf(`node${n}`),
  ];
  return started(aProgram('programs/agent/main.ts', [...self, '--systems-seen', homeOf(`seen${n}`), '--release-hook', hook]));
};
const aClient = (): Program =>
  started(
    aProgram('programs/client/main.ts', [
      '--endpoint',
      host.url,
      '--fqdn',
      'web1.acme.test',
      '--home',
      homeOf('web1'),
      '--drive',
      `echo >> '${homeOf('driven')}'`,
    ]),
  );
const driven = (): string[] => readFileSync(homeOf('driven'), 'utf8').trim().split('\n');
const statusOf = async (n: number) => {
  const read = await api(contract.getNode, { params: { id: `node${n}.acme.test` } });
  return read.ok ? read.body : undefined;
};
const isNode = (n: number, status: string) =>
  eventually(`node${n} is ${status}`, async () => (await statusOf(n))?.status === status, 20_000);

describe('the programs against a real Muster', () => {
  let fp: Fingerprint;
  let client: Program;
  let agent1: Program;
  let left: 1 | 2;

  it('make a host a node and a machine its client system', async () => {
    agent1 = anAgent(1);
    await isNode(1, 'up');
    expect((await statusOf(1))?.host).toMatchObject({ fqdn: 'node1.acme.test' });

    client = aClient();
    writeFileSync(homeOf('web1.pid'), String(client.child.pid));
    await client.says('new: waiting to be accepted');
    fp = fingerprintOf(JSON.parse(readFileSync(homeOf('web1/identity.json'), 'utf8')).publicKey);
    expect(await api(contract.accept, { body: { systems: [fp] } })).toMatchObject({ ok: true, body: { results: [{ done: true }] } });
    client.child.kill('SIGHUP');
    await client.says('onboarded on node1.acme.test');
    expect(driven()).toEqual(['start node1.acme.test']);
  }, 60_000);

  it('show Muster whom a node sees', async () => {
    writeFileSync(homeOf('seen1'), `${fp}\n`);
    await eventually('the load counts it', async () => (await statusOf(1))?.load?.systems === 1, 20_000);
  }, 60_000);

  it('keep a folder to one agent, and a ledger to one name', async () => {
    expect(await anAgent(1).ended).toBe(75);
    const other = started(
      aProgram('programs/agent/main.ts', ['--endpoint', host.url, '--fqdn', 'node9.acme.test', '--home', homeOf('node1')]),
    );
    expect(await other.ended).toBe(2);
    expect(other.said()).toContain('belongs to node1.acme.test');
  }, 60_000);

  it('start again under the same name, which moves nobody', async () => {
    agent1.child.kill('SIGTERM');
    expect(await agent1.ended).toBe(0);
    agent1 = anAgent(1);
    await agent1.says('acknowledged: incarnation 2, generation 1');

    expect(await placeOf(fp)).toEqual(['onboarded', 'node1.acme.test']);
    expect(driven()).toEqual(['start node1.acme.test']);
  }, 60_000);

  it('let a node go on purpose: its client systems move when they are released, and its agent ends', async () => {
    const agent2 = anAgent(2);
    await agent1.says('released ');
    // Half of the slots go to the new node, in one step or several; the key of the client system is chance, and with it
    // whether its slot does.
    await eventually('the new node has its half', async () => ((await statusOf(2))?.slots ?? 0) >= 500, 20_000);
    const place = await eventually('its client system is onboarded', async () => {
      const [status, name] = await placeOf(fp);
      return status === 'onboarded' && name;
    });
    left = place === 'node2.acme.test' ? 2 : 1;
    if (left === 2) await client.says('onboarded on node2.acme.test');
    const stays = left === 1 ? 2 : 1;
    writeFileSync(homeOf(`released${left}`), '');

    const leave = started(aProgram('programs/agent/main.ts', ['leave', '--endpoint', host.url, '--home', homeOf(`node${left}`)]));
    expect(await leave.ended).toBe(0);
    const agent = left === 1 ? agent1 : agent2;
    expect(await agent.ended).toBe(0);
    expect(agent.said()).toContain('has left as announced');
    // Once when its slot moves, and again where the next list shows that it is there still, which the end of the agent
    // does not wait for.
    const released = () => [
      ...new Set(
        readFileSync(homeOf(`released${left}`), 'utf8')
          .split('\n')
          .filter(Boolean),
      ),
    ];
    await eventually('it was made to knock, and nobody else', async () => released().join() === fp);
    await eventually('its client system is elsewhere', async () => (await placeOf(fp)).join() === `onboarded,node${stays}.acme.test`);
    expect(driven().slice(-2)).toEqual(['stop', `start node${stays}.acme.test`]);
  }, 60_000);

  it('bring a node that has left back as new once it is admitted, and by itself where its zone says so when an operator has given it up', async () => {
    expect(await api(contract.admitHosts, { body: { hosts: [`node${left}.acme.test` as Fqdn] } })).toMatchObject({ ok: true });
    const agent = anAgent(left);
    await agent.says('generation 2');
    await isNode(left, 'up');

    await api(contract.editZone, { params: { zone: defaultZone }, body: { readmit: 'auto' } });
    expect(await api(contract.dropNode, { params: { id: `node${left}.acme.test` } })).toMatchObject({ ok: true });
    await agent.says('generation 3');
    await isNode(left, 'up');
  }, 60_000);

  it('end on a machine that is banned, with nothing running', async () => {
    await api(contract.ban, { body: { systems: [fp] } });
    client.child.kill('SIGHUP');
    expect(await client.ended).toBe(1);
    expect(driven().at(-1)).toBe('stop');
  }, 60_000);
});

async function placeOf(fp: Fingerprint): Promise<(string | undefined)[]> {
  const read = await api(contract.getSystem, { params: { fp } });
  return read.ok ? [read.body.status, read.body.node?.fqdn] : [];
}
