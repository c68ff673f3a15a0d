import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../lib/api/client.ts';
import { contract } from '../../lib/contract.ts';
import { freePorts } from '../../tools/demo/ports.ts';
import { aHost, eventually, type TestHost } from '../../tools/support/host.ts';
import { apiAt } from '../../tools/support/operator.ts';
import { aProgram, type Program } from '../support/program.ts';

/*
 * What many sites have: an image from which hosts boot that nobody has named one by one. It carries two small files in
 * the agent's folder and no key; what boots from it is a node, and nobody types a command for any one host.
 */

let host: TestHost;
let api: ApiClient;
let place: string;
let image: string;
let booted: Program[];
beforeEach(async () => {
  host = await aHost({ beatMinMs: 300, admits: 'nobody' });
  api = apiAt(host.url);
  place = mkdtempSync(join(tmpdir(), 'muster-image-'));
  image = join(place, 'image');
  mkdirSync(image, { mode: 0o700 });
  writeFileSync(join(image, 'endpoint'), `${host.url}\n`);
  booted = [];
});
afterEach(async () => {
  for (const { child } of booted) child.kill('SIGKILL');
  await Promise.all(booted.map(({ ended }) => ended));
  await host.stop();
  rmSync(place, { recursive: true });
});

const names = ['ssu1.acme.test', 'ssu2.acme.test', 'ssu3.acme.test'];
const folderOf = (name: string): string => join(place, name);

/**
 * A host boots from a copy of the image: the agent is started as a service of the image starts it, with nothing that is
 * this host's own but its name.
 */
async function boots(name: string, args: readonly string[] = [], more: Record<string, string> = {}): Promise<Program> {
  if (!existsSync(folderOf(name))) cpSync(image, folderOf(name), { recursive: true });
  const [port] = await freePorts(1);
  const own = { MUSTER_FQDN: name, ...more };
  const program = aProgram('programs/agent/main.ts', ['--home', folderOf(name), '--watch', `127.0.0.1:${port}`, ...args], own);
  booted.push(program);
  return program;
}

const secretFor = async (nodes: string, uses: number): Promise<string> => {
  const made = await api(contract.createNodeToken, { body: { nodes, uses } });
  if (!made.ok) throw new Error(made.problem.detail);
  return made.body.secret;
};
const nodesUp = async (): Promise<string[]> => {
  const listed = await api(contract.listNodes, { query: {} });
  return listed.ok
    ? listed.body.items
        .filter(({ status }) => status === 'up')
        .map(({ fqdn }) => fqdn as string)
        .sort()
    : [];
};
const areUp = (wanted: readonly string[]) =>
  eventually(`${wanted.join(' ')} are up`, async () => (await nodesUp()).join() === wanted.join(), 25_000);
const poolNow = async () => {
  const listed = await api(contract.listNodePool, { query: {} });
  return listed.ok ? listed.body.items : [];
};
type Key = { publicKey: string; privateKey: string };
const ledgerOf = (name: string): Key & Record<string, unknown> =>
  JSON.parse(readFileSync(join(folderOf(name), 'ledger.json'), 'utf8')) as Key & Record<string, unknown>;

/**
 * Each host made a key of its own, readable by nobody else; the image has none, and the token is written nowhere else.
 */
function expectOwnKeys(secret?: string): void {
  const ledgers = names.map(ledgerOf);
  expect(new Set(ledgers.map(({ publicKey }) => publicKey)).size).toBe(names.length);
  for (const name of names) expect(statSync(join(folderOf(name), 'ledger.json')).mode & 0o777).toBe(0o600);
  expect(existsSync(join(image, 'ledger.json'))).toBe(false);
  if (secret !== undefined) expect(JSON.stringify(ledgers)).not.toContain(secret.split('_').slice(2).join('_'));
}

describe('an image of a host', () => {
  it('with a token for a set of names: whatever boots from it under one of them is a node, and no host more', async () => {
    const secret = await secretFor('ssu[1-3].acme.test', 3);
    writeFileSync(join(image, 'token'), `${secret}\n`, { mode: 0o600 });

    for (const name of names) await boots(name);
    await areUp(names);
    expectOwnKeys(secret);
    expect(await poolNow()).toEqual([]);

    const stranger = await boots('web1.acme.test');
    await stranger.says('the token admits no node here');
    expect(await nodesUp()).toEqual(names);
  });

  it('with an admission rule and no token: whoever the rule means is a node, anybody else waits', async () => {
    await api(contract.addAdmissionRule, { body: { name: 'racks', nodes: 'ssu[1-40].acme.test', cidr: '127.0.0.0/8', left: 40 } });

    for (const name of names) await boots(name);
    await areUp(names);
    expectOwnKeys();
    expect(await api(contract.listAdmissionRules)).toMatchObject({ body: { rules: [{ left: 37 }] } });

    const stranger = await boots('web1.acme.test');
    await stranger.says('this host waits for admission');
    expect((await poolNow()).map(({ fqdn }) => fqdn)).toEqual(['web1.acme.test']);
  });

  it('goes on with the same key after a reboot, when its token has ended', async () => {
    writeFileSync(join(image, 'token'), await secretFor('ssu[1-3].acme.test', 1));
    const first = await boots(names[0]!);
    await areUp([names[0]!]);
    const { publicKey } = ledgerOf(names[0]!);
    first.child.kill('SIGKILL');
    await first.ended;

    const again = await boots(names[0]!);
    await again.says('acknowledged: incarnation 2');
    expect(ledgerOf(names[0]!).publicKey).toBe(publicKey);
  });
});

describe('a host that waits', () => {
  it('says once, in plain words, what its administrator types, and that lets it in', async () => {
    const waiting = await boots('node1.acme.test');
    await waiting.says('muster node admit ');
    const [, fingerprint, typed] = /fingerprint is (\S+)\. .* muster node admit (\S+)/.exec(waiting.said())!;
    expect((await poolNow()).map((one) => one.fingerprint)).toEqual([fingerprint]);
    expect(fingerprint!.replaceAll(':', '').startsWith(typed!)).toBe(true);

    const admitted = await api(contract.admitHosts, { body: { hosts: [fingerprint!] } });
    expect(admitted).toMatchObject({ body: { results: [{ done: true }] } });
    // It would ask again within the minute; a restart asks at once.
    waiting.child.kill('SIGTERM');
    await waiting.ended;
    await (await boots('node1.acme.test')).says('joined as ');
  });

  it('shows the fingerprint of its key, which it makes if need be', async () => {
    const shown = aProgram('programs/agent/main.ts', ['--home', folderOf('node1.acme.test'), '--fqdn', 'node1.acme.test', 'fingerprint']);
    booted.push(shown);
    expect(await shown.ended).toBe(0);
    expect(shown.said().trim()).toMatch(/^([0-9a-f]{2}:){31}[0-9a-f]{2}$/);
    const waiting = await boots('node1.acme.test', ['--endpoint', host.url]);
    await waiting.says(shown.said().trim());
  });
});

describe('what is not a token', () => {
  it('is told before anybody is asked, and is not repeated', async () => {
    const secret = (await secretFor('ssu1.acme.test', 1)).replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    writeFileSync(join(image, 'token'), secret);
    const wrong = await boots('ssu1.acme.test');
    expect(await wrong.ended).toBe(74);
    expect(wrong.said()).toContain('token is a mistyped join token: a letter is wrong or missing');
    expect(wrong.said()).not.toContain(secret);
  });

  it('and a file that cannot be read is told by its name', async () => {
    const wrong = await boots('ssu1.acme.test', ['--token-file', join(place, 'nothing')]);
    expect(await wrong.ended).toBe(74);
    expect(wrong.said()).toContain(join(place, 'nothing'));
  });
});

describe('a node that an operator removes', () => {
  it('ends, stays out when it is started again, and is let in by its name', async () => {
    writeFileSync(join(image, 'token'), await secretFor('ssu[1-3].acme.test', 3));
    chmodSync(join(image, 'token'), 0o600);
    const name = names[0]!;
    const node = await boots(name);
    await areUp([name]);

    await api(contract.removeNode, { params: { id: ledgerOf(name)['node'] as never }, body: {} });
    expect(await node.ended).toBe(1);
    expect(node.said()).toContain(`muster node admit ${name}`);
    expect(await (await boots(name)).ended).toBe(1);

    expect(await api(contract.admitHosts, { body: { hosts: [name] } })).toMatchObject({ body: { results: [{ done: true }] } });
    await boots(name);
    await areUp([name]);
  });

  it.each(['--token', '--token-file', 'MUSTER_JOIN_TOKEN', 'the file token'])(
    'is let in again by a new token, given by %s, and by no older one',
    async (by) => {
      const older = await secretFor('ssu[1-3].acme.test', 3);
      writeFileSync(join(image, 'token'), older, { mode: 0o600 });
      const name = names[0]!;
      const node = await boots(name);
      await areUp([name]);
      const { node: id, publicKey } = ledgerOf(name);
      await api(contract.removeNode, { params: { id: id as never }, body: {} });
      expect(await node.ended).toBe(1);

      const refused = await boots(name);
      expect(await refused.ended).toBe(1);
      expect(refused.said()).toContain('the token admits no node here');
      rmSync(join(folderOf(name), 'token'));
      const without = await boots(name);
      expect(await without.ended).toBe(1);
      expect(without.said()).toContain('or give it a new token');

      const again = await bootsBy(by, name, await secretFor('ssu[1-3].acme.test', 1));
      await again.says('generation 2');
      await areUp([name]);
      expect(ledgerOf(name)).toMatchObject({ node: id, publicKey });
    },
  );
});

/** Boots with a token that its operator hands in, in one of the ways there are. */
async function bootsBy(way: string, name: string, secret: string): Promise<Program> {
  const file = way === '--token-file' ? join(place, 'handed-in') : join(folderOf(name), 'token');
  if (way === '--token') return boots(name, [way, secret]);
  if (way === 'MUSTER_JOIN_TOKEN') return boots(name, [], { [way]: secret });
  writeFileSync(file, secret, { mode: 0o600 });
  return boots(name, way === '--token-file' ? [way, file] : []);
}
