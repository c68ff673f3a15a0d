import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../../lib/contract.ts';
import type { ZoneName } from '../../../lib/core/ids.ts';
import { freePorts } from '../../../tools/demo/ports.ts';
import { eventually } from '../../../tools/support/host.ts';
import { apiAt } from '../../../tools/support/operator.ts';
import { storedIn } from '../../../tools/support/state.ts';
import { aProgram, type Program } from '../../support/program.ts';
import { aStronghold, type Stronghold, told } from './stronghold.ts';

/*
 * What an administrator of a zone reaches by orders on its site: an embedded host, and one station with the agent as a
 * program, whose own power program prints the password that it is given.
 */

const zone = 'default' as ZoneName;
const node = 'node1.acme.org';
const dead = 'ssu9.acme.org';
const password = 'hunter2-of-ssu9';
const forms = [password, Buffer.from(`${password}\n`).toString('base64')];
const power = `/api/v1/zones/${zone}/stations/power`;

let host: Stronghold;
let place: string;
let agent: Program;
let key: string;

beforeAll(async () => {
  host = await aStronghold({ beatMinMs: 300, sweepPeriodMs: 300 });
  place = mkdtempSync(join(tmpdir(), 'muster-attacked-'));
  const api = apiAt(host.url);
  const [port] = await freePorts(1);
  const minted = await api(contract.createNodeToken, { body: { nodes: node, kind: 'uyuni', zone } });
  const made = await api(contract.createKey, { body: { name: 'of the zone', scopes: ['admin'], zones: [zone] } });
  if (!minted.ok || !made.ok) throw new Error('the host gives no token');
  key = made.body.secret;
  writeFileSync(join(place, 'secrets'), JSON.stringify({ [`bmc/${dead}`]: password }), { mode: 0o600 });
  writeFileSync(join(place, 'power.sh'), `cat "$2"; base64 "$2"; base64 "$2" > '${place}/ran'; exit 3`);
  const site = [`secrets = ${place}/secrets`, `power-command = /bin/sh ${place}/power.sh {host} {passwordFile}`];
  writeFileSync(join(place, 'agent.conf'), `${site.join('\n')}\n`);
  const who = ['--home', join(place, 'agent'), '--endpoint', host.url, '--fqdn', node, '--watch', `127.0.0.1:${port}`];
  agent = aProgram('programs/agent/main.ts', [...who, '--config', join(place, 'agent.conf')], { MUSTER_JOIN_TOKEN: minted.body.secret });
  await agent.says('acknowledged');
  expect((await api(contract.putStations, { params: { zone }, body: { hosts: [node] } })).ok).toBe(true);
  await eventually('it coordinates', async () => {
    const services = await api(contract.listServices, { params: { zone }, query: {} });
    return services.ok && services.body.items.some(({ type, state }) => type === 'recovery-coordinator' && state === 'online');
  });
});
afterAll(async () => {
  agent.child.kill('SIGKILL');
  await agent.ended;
  await host.stop();
  rmSync(place, { recursive: true });
});

/** A call of an administrator of the zone. */
const asked = (method: string, path: string, body?: object) =>
  host.attack({ method, path, ...(body && { body }), headers: { authorization: `Bearer ${key}` } });
const bmcAt = (address: string, user = 'admin') => ({ host: dead, address, user, secret: `bmc/${dead}` });

describe('attack 61', () => {
  it('attack 61: an administrator of a zone names no program that a station runs', async () => {
    const command = ['base64', '{passwordFile}', '{host}'];
    const answer = await asked('PATCH', power, { command, bmcs: [bmcAt('192.0.2.9')] });
    expect(told(answer)).toEqual([409, 'refused']);
    expect(answer.text).toContain('each station does, by power-command');
    expect(JSON.stringify(storedIn(host.home))).not.toContain('base64');
  });

  it('attack 61: what a station’s own program prints of a password comes to nobody', async () => {
    expect((await asked('PATCH', power, { bmcs: [bmcAt('192.0.2.9')] })).status).toBe(200);
    expect((await asked('POST', `/api/v1/zones/${zone}/stations/orders`, { host: dead })).status).toBe(202);
    const over = await eventually('it is over', async () => {
      const { text } = await asked('GET', `/api/v1/zones/${zone}/stations/orders`);
      return text.includes('"done"') && text;
    });
    expect(readFileSync(join(place, 'ran'), 'utf8').trim()).toBe(forms[1]);
    expect(JSON.parse(over).items).toMatchObject([{ exit: 3, says: expect.stringContaining('its output is not reported') }]);
    const history = () => Object.entries(storedIn(host.home)).filter(([key]) => key.startsWith('history'));
    await eventually('it is in the history', async () => history().some(([, row]) => row.includes('site-order.done')));
    for (const form of forms) expect(over + JSON.stringify(storedIn(host.home)) + agent.said()).not.toContain(form);
  });
});

describe('attack 62', () => {
  it.each(['-f/etc/shadow', '{passwordFile}', '$(id)', '`id`', 'a;id', 'a b'])(
    'attack 62: %s is no address and no user of a BMC',
    async (word) => {
      const address = await asked('PATCH', power, { bmcs: [bmcAt(word)] });
      expect(told(address)).toEqual([422, 'invalid', '/bmcs/0/address']);
      const user = await asked('PATCH', power, { bmcs: [bmcAt('192.0.2.9', word)] });
      expect(told(user)).toEqual([422, 'invalid', '/bmcs/0/user']);
    },
  );
});
