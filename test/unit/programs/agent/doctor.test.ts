import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apiClient, type Fetching } from '../../../../lib/api/client.ts';
import { type ProblemType, problemOf, Refusal } from '../../../../lib/api/problem.ts';
import { musterVersion } from '../../../../lib/api/version.ts';
import { Fqdn, NodeId } from '../../../../lib/core/ids.ts';
import { mintSecret } from '../../../../lib/identity/secret-text.ts';
import { folderAt } from '../../../../lib/machine/folder.ts';
import packageJson from '../../../../package.json' with { type: 'json' };
import { type Check, checkLines, missing, well } from '../../../../programs/agent/doctor/check.ts';
import { examine, type Patient } from '../../../../programs/agent/doctor/doctor.ts';
import { serviceChecks } from '../../../../programs/agent/doctor/services.ts';
import { siteChecks } from '../../../../programs/agent/doctor/site.ts';
import type { GivenSettings } from '../../../../programs/agent/doctor/told.ts';
import { type Ledger, newLedger, writeLedger } from '../../../../programs/agent/ledger.ts';
import type { AgentOptionsGiven } from '../../../../programs/agent/options.ts';

const at = Date.parse('2031-05-01T12:00:00Z');
const node = NodeId.parse('n0123456789abcdef');
let place: string;
let home: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'muster-doctor-'));
  home = join(place, 'home');
});
afterEach(() => rmSync(place, { recursive: true }));

/** How Muster answers a node that it knows, by its own clock and version. */
const answering =
  ({ date = at, version = '1.0.0', status = 200, body = { release: [] } as unknown } = {}): Fetching =>
  async () =>
    new Response(JSON.stringify(body), { status, headers: { date: new Date(date).toUTCString(), 'muster-version': version, etag: '"1"' } });
/** How a network fails, as fetch says it. */
const failing =
  (code: string): Fetching =>
  async () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
  };
const problem = (type: ProblemType, detail: string): Fetching => {
  const body = problemOf(new Refusal(type, detail), '/nodes');
  return answering({ status: body.status, body });
};

const told: GivenSettings = { values: [] };
const examined = (
  given: Partial<AgentOptionsGiven> = {},
  { fetching = answering(), ...more }: Partial<Patient> & { fetching?: Fetching } = {},
  heard = told,
) =>
  examine({ kind: 'uyuni', home, ...given }, heard, {
    hostname: 'node1.acme.test',
    path: place,
    version: '1.0.0',
    builtInEndpoint: 'https://muster.acme.test',
    now: () => at + 500,
    connect: (endpoint) => apiClient(endpoint, { fetching }),
    ...more,
  });
const one = (checks: readonly Check[], name: string): Check => checks.find(({ check }) => check === name)!;
const missed = (checks: readonly Check[]): string[] => checks.filter(({ is }) => is === 'missing').map(({ check }) => check);

/** A host that has joined. */
function joined(more: Partial<Ledger> = {}): Ledger {
  const ledger = { ...newLedger(Fqdn.parse('node1.acme.test')), node, ...more };
  writeLedger(folderAt(home), ledger);
  return ledger;
}
/** Everything below the folder as it is now, and when it was last touched. */
const everything = () =>
  readdirSync(place, { recursive: true, encoding: 'utf8' }).map((path) => [
    path,
    statSync(join(place, path)).mtimeMs,
    statSync(join(place, path)).mode,
  ]);

describe('the doctor', () => {
  it('finds nothing missing on a host that has joined, and changes nothing', async () => {
    joined();
    const before = everything();
    const checks = await examined(
      {},
      {},
      { file: '/etc/muster/agent.conf', values: [{ name: 'zone', value: 'berlin', by: 'the file /etc/muster/agent.conf' }] },
    );
    expect(everything()).toEqual(before);
    expect(
      checkLines(checks)
        .replace(/([0-9a-f]{2}:){31}[0-9a-f]{2}/, 'FF')
        .replaceAll(place, ''),
    ).toBe(
      [
        'well     configuration  the file /etc/muster/agent.conf',
        'well     configuration  zone = berlin, by the file /etc/muster/agent.conf',
        'well     folder         only the agent can read /home',
        'well     key            fingerprint FF',
        'well     name           node1.acme.test',
        'well     way in         has joined zone default as n0123456789abcdef',
        'well     endpoint       https://muster.acme.test, built into this executable',
        'well     reachable      Muster answers at https://muster.acme.test within 0 ms',
        'well     clock          0 s ahead of Muster’s',
        'well     node           Muster knows n0123456789abcdef by its key',
        'well     version        1.0.0, the same as Muster’s',
        'well     runner         this host runs no processes',
        'well     services       this host runs these types: m0d, recovery-coordinator, recovery-supervisor, statistics, supervisor',
        'well     power program  none: as a station this host refuses to power-cycle others',
        '',
      ].join('\n'),
    );
  });

  it('makes no folder on a host where no agent has run, and says how it is let in', async () => {
    const checks = await examined({}, { fetching: problem('signature-missing', 'the call is not signed') });
    expect(readdirSync(place)).toEqual([]);
    expect(missed(checks)).toEqual(['way in']);
    expect(one(checks, 'folder')).toEqual(well('folder', `${home} does not exist yet: the agent makes it`));
    expect(one(checks, 'way in').mend).toContain('muster node admit');
    expect(one(checks, 'node')).toMatchObject({ is: 'unknown' });
  });

  it('names what an administrator types for a key that waits', async () => {
    const { publicKey } = joined({ node: undefined as never });
    expect(publicKey).toBeTruthy();
    expect(one(await examined(), 'way in')).toMatchObject({
      is: 'missing',
      mend: expect.stringMatching(/muster node admit [0-9a-f]{16}$/),
    });
  });

  it('takes a token for a way in, and a mistyped one for none; it repeats neither', async () => {
    const { text } = mintSecret('mjt', (bytes) => Buffer.alloc(bytes, 7));
    expect(one(await examined({ token: text }), 'way in')).toEqual(well('way in', 'has a token, and has not joined yet'));
    const wrong = await examined({ token: text.slice(0, -1) });
    expect(one(wrong, 'way in')).toMatchObject({ is: 'missing' });
    expect(checkLines(wrong)).not.toContain(text.slice(4, -1));
    expect(one(await examined({ tokenFile: join(place, 'none') }), 'way in')).toMatchObject({
      is: 'missing',
      says: expect.stringContaining('ENOENT'),
    });
  });
});

describe('the folder', () => {
  it.each([
    ['is open to its group', () => chmodSync(home, 0o750), 'can be entered by other users', 'chmod 0700'],
    [
      'has a key that others read',
      () => chmodSync(join(home, 'ledger.json'), 0o644),
      'ledger.json can be read by other users',
      'chmod 0600',
    ],
    [
      'has a token that others read',
      () => writeFileSync(join(home, 'token'), 'x', { mode: 0o640 }),
      'token can be read by other users',
      'chmod 0600',
    ],
  ])('that %s is not the agent’s alone', async (_is, make, says, mend) => {
    joined();
    make();
    expect(one(await examined(), 'folder')).toEqual(missing('folder', expect.stringContaining(says), expect.stringContaining(mend)));
  });

  it('that is a file, or lies below one, is none', async () => {
    writeFileSync(home, '');
    expect(one(await examined(), 'folder')).toMatchObject({ is: 'missing', says: `${home} is not a folder` });
    expect(missed(await examined({ home: join(home, 'below') }))).toContain('folder');
  });

  it.each(['', '{', '[]', '{"version":1}', '\0\0'])('whose ledger holds %j is damaged, and the way in is not guessed at', async (text) => {
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, 'ledger.json'), text, { mode: 0o600 });
    const checks = await examined();
    expect(one(checks, 'key')).toMatchObject({ is: 'missing', says: expect.stringContaining('ledger.json is damaged') });
    expect(one(checks, 'way in').is).toBe('unknown');
  });

  it('of another name is not this node’s', async () => {
    joined();
    expect(one(await examined({ fqdn: Fqdn.parse('node2.acme.test') }), 'name')).toMatchObject({
      is: 'missing',
      says: expect.stringContaining('belongs to node1.acme.test'),
    });
    rmSync(home, { recursive: true });
    expect(one(await examined({}, { hostname: 'node1' }), 'name')).toMatchObject({
      is: 'missing',
      mend: expect.stringContaining('fqdn ='),
    });
    expect(one(await examined({ kind: 'storage' }, { hostname: 'node1' }), 'name')).toMatchObject({ is: 'well', says: 'node1' });
  });
});

describe('the way to Muster', () => {
  it.each([
    ['ENOTFOUND', 'the name muster.acme.test does not resolve'],
    ['EAI_AGAIN', 'the name muster.acme.test does not resolve'],
    ['ECONNREFUSED', 'nothing listens at muster.acme.test'],
    ['EHOSTUNREACH', 'does not answer (EHOSTUNREACH)'],
    ['UND_ERR_CONNECT_TIMEOUT', 'does not answer (UND_ERR_CONNECT_TIMEOUT)'],
    ['CERT_HAS_EXPIRED', 'is not valid now'],
    ['CERT_NOT_YET_VALID', 'is not valid now'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'is for another name'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'is not trusted'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'is not trusted'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'is not trusted'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'is not trusted'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'does not speak TLS'],
    ['EPROTO', 'does not speak TLS'],
  ])('that ends in %s is said as: %s', async (code, says) => {
    joined();
    const checks = await examined({}, { fetching: failing(code) });
    expect(one(checks, 'reachable')).toMatchObject({ is: 'missing', says: expect.stringContaining(says), mend: expect.any(String) });
    expect(['clock', 'node', 'version'].map((name) => one(checks, name).is)).toEqual(['unknown', 'unknown', 'unknown']);
  });

  it('that leads to something else is none', async () => {
    joined();
    const checks = await examined({}, { fetching: async () => new Response('<html>', { status: 200 }) });
    expect(one(checks, 'reachable')).toMatchObject({ is: 'missing', says: expect.stringContaining('not as Muster does') });
  });

  it('is not gone where anybody on it could answer', async () => {
    let calls = 0;
    const fetching: Fetching = (...args) => {
      calls += 1;
      return answering()(...args);
    };
    const refused = await examined({ endpoint: 'http://muster.acme.test' }, { fetching });
    expect([one(refused, 'endpoint').is, one(refused, 'reachable').is, calls]).toEqual(['missing', 'unknown', 0]);
    expect(one(await examined({ endpoint: 'http://muster.acme.test', insecure: true }, { fetching }), 'endpoint').is).toBe('well');
    expect(calls).toBe(1);
  });

  it('is named by the folder of an image, or not at all', async () => {
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, 'endpoint'), 'https://image.acme.test\n');
    expect(one(await examined(), 'endpoint').says).toBe('https://image.acme.test, from the file endpoint in the folder');
    writeFileSync(join(home, 'endpoint'), 'nonsense');
    expect(one(await examined(), 'endpoint')).toMatchObject({ is: 'missing', says: expect.stringContaining('does not hold an address') });
  });
});

describe('what Muster says', () => {
  it.each([
    [-6 * 60_000, 'missing', '360 s ahead of Muster’s'],
    [6 * 60_000, 'missing', '360 s behind Muster’s'],
    [4 * 60_000, 'well', '240 s behind Muster’s'],
    [Number.NaN, 'unknown', 'has no date'],
  ])('at a clock that differs by %i ms: %s', async (byMs, is, says) => {
    joined();
    expect(one(await examined({}, { fetching: answering({ date: at + byMs }) }), 'clock')).toMatchObject({
      is,
      says: expect.stringContaining(says),
    });
  });

  it('of a node that it does not know, or has sent away, is what the doctor says', async () => {
    joined();
    const checks = await examined({}, { fetching: problem('removed', 'node1 was removed by an operator') });
    expect(one(checks, 'node')).toEqual(
      missing('node', 'node1 was removed by an operator', expect.stringContaining('muster node admit node1.acme.test')),
    );
  });

  it('of a node for which another system vouches is no answer that all is well', async () => {
    joined();
    const body = JSON.stringify({ release: [] });
    const fetching: Fetching = async () => new Response(body, { headers: { date: new Date(at).toUTCString(), 'muster-vouched': '1' } });
    expect(one(await examined({}, { fetching }), 'node')).toEqual(
      missing('node', expect.stringContaining('another system vouches'), expect.stringContaining('node1.acme.test --vouched off')),
    );
  });

  it('of its version is compared, where it says so', async () => {
    joined();
    expect(one(await examined({}, { fetching: answering({ version: '2.0.0' }) }), 'version')).toEqual(
      missing('version', 'this agent is 1.0.0, and Muster is 2.0.0', 'install the agent of 2.0.0'),
    );
  });

  it('has the version of the package that everything is released as', () => {
    expect(musterVersion).toBe(packageJson.version);
  });
});

describe('what runs processes', () => {
  const storage = { kind: 'storage' as const };
  const systemd = (): string => {
    mkdirSync(join(place, 'systemd'));
    symlinkSync('/bin/true', join(place, 'systemctl'));
    return join(place, 'systemd');
  };

  it('is a systemd that runs and can be told', async () => {
    const sysconfig = place;
    expect(one(await examined({ ...storage, sysconfig }, { systemd: join(place, 'none') }), 'runner')).toMatchObject({
      is: 'missing',
      says: 'systemd does not run here',
    });
    const folder = systemd();
    const checks = await examined({ ...storage, sysconfig }, { systemd: folder });
    expect(['runner', 'sysconfig', 'launchers'].map((name) => one(checks, name).is)).toEqual(['well', 'well', 'unknown']);
    rmSync(join(place, 'systemctl'));
    expect(one(await examined(storage, { systemd: folder }), 'runner').says).toContain('systemctl is missing');
  });

  it('is, for children, a command for each that can be run', async () => {
    const child = { ...storage, processes: 'child' as const };
    const run = (...commands: string[]) => commands.map((command, at) => ({ prefix: `p${at}`, command: [command] }));
    writeFileSync(join(place, 'plain'), '');
    expect(one(await examined(child), 'runner').says).toBe('no command is set for any process');
    expect(
      one(await examined({ ...child, run: run('/bin/sh', join(place, 'none'), 'nosuch', join(place, 'plain'), place) }), 'runner').says,
    ).toBe(`cannot be run: p1=${place}/none, p2=nosuch, p3=${place}/plain, p4=${place}`);
    expect(one(await examined({ ...child, run: run('/bin/sh') }), 'runner').is).toBe('well');
    expect(one(await examined({ ...storage, run: run('/bin/sh') }), 'runner').says).toBe('--run needs --processes child');
  });

  it('needs a folder for what processes are configured by', async () => {
    expect(one(await examined({ ...storage, sysconfig: join(place, 'none') }), 'sysconfig')).toMatchObject({
      is: 'missing',
      mend: expect.stringContaining('mkdir -p'),
    });
  });

  it('hears launchers on a socket while an agent runs, and a name that is too long is told', async () => {
    joined();
    const server = createServer((socket) => socket.resume()).listen(join(home, 'agent.sock'));
    await new Promise((resolve) => server.once('listening', resolve));
    expect(one(await examined(storage), 'launchers').is).toBe('well');
    await new Promise((resolve) => server.close(resolve));
    expect(one(await examined({ ...storage, home: join(place, 'x'.repeat(100)) }), 'launchers').says).toContain('too long for a socket');
  });
});

describe('the services of a host', () => {
  const why = 'no user is set for process';

  it('are shown with as whom they run, and what keeps them from running', () => {
    expect(serviceChecks({ home: '', kind: 'uyuni', allowService: ['none'].slice(1) })).toMatchObject([{ says: 'this host runs none' }]);
    const given = { home: '', kind: 'uyuni' as const, allowService: ['built-in', 'process'] };
    const web = { name: 'web', uid: 33, gid: 33, home: '/' };
    expect(serviceChecks(given, () => ({ ok: true, user: web }))[1]).toMatchObject({ is: 'well', says: 'process runs as web' });
    expect(serviceChecks(given, () => ({ ok: false, why }))[1]).toMatchObject({ is: 'missing', says: why });
  });
});

describe('the power program of a host', () => {
  const checked = (powerCommand?: string[], secrets?: string) =>
    siteChecks({ home, kind: 'uyuni', ...(powerCommand && { powerCommand }), ...(secrets !== undefined && { secrets }) }, { path: place });

  it('is looked for, with the passwords that it needs; a host that has none lacks nothing', () => {
    writeFileSync(join(place, 'ipmitool'), '', { mode: 0o755 });
    const words = ['ipmitool', '-H', '{bmc}', '-f', '{passwordFile}'];
    for (const none of [undefined, []]) expect(checked(none)).toMatchObject([{ is: 'well', says: expect.stringContaining('none') }]);
    expect(checked(words, '/etc/secrets')).toEqual([well('power program', 'ipmitool')]);
    expect(checked(['ipmitool', '{host}'])).toEqual([well('power program', 'ipmitool')]);
    expect(checked(words)).toMatchObject([{ is: 'missing', says: expect.stringContaining('needs passwords') }]);
    expect(checked(['racadm', '{bmc}'])).toMatchObject([{ is: 'missing', says: 'cannot be run: racadm' }]);
  });
});

describe('checks as lines', () => {
  it('are one line each, whatever they say', () => {
    const any = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(fc.array(fc.tuple(any, any), { minLength: 1 }), (all) => {
        const lines = checkLines(all.map(([says, mend]) => missing('check', says, mend)));
        expect(lines.split(/[\n\r\u2028\u2029\v\f\u0085]/)).toHaveLength(all.length + 1);
      }),
    );
  });
});
