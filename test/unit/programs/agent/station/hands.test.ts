import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Folder, folderAt } from '../../../../../lib/machine/folder.ts';
import { askCommand } from '../../../../../programs/agent/services/ask.ts';
import { carryOut, forgetPasswords } from '../../../../../programs/agent/station/hands.ts';
import { secretsIn } from '../../../../../programs/agent/station/secrets.ts';

let folder: string;
let secrets: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-hands-'));
  secrets = join(folder, 'secrets.json');
  writeFileSync(secrets, JSON.stringify({ 'bmc/ssu1': 'hunter2' }), { mode: 0o600 });
});
afterEach(() => rmSync(folder, { recursive: true }));

const after = (waitMs: number, then: () => void): (() => void) => {
  const timer = setTimeout(then, waitMs);
  return () => clearTimeout(timer);
};
const runs = (words: readonly string[], limitMs: number) => askCommand(words, { environment: process.env, input: '', limitMs, after });
const cycles = ['/bin/sh', '-c', 'echo cycled > "$0"', '{host}'];
type Host = {
  readonly program?: readonly string[];
  readonly acts?: number;
  readonly highest?: number;
  readonly limitMs?: number;
  readonly disk?: Folder;
};
/** An order carried out by a host that acts under an epoch, if it does, and knows of a highest one. */
function carried(over: object, { program = cycles, acts = 3, highest = 3, limitMs = 5_000, disk = folderAt(folder) }: Host = {}) {
  const order = {
    order: 1,
    epoch: 3,
    host: 'ssu1.acme.org',
    bmc: '192.0.2.7',
    user: 'admin',
    dryRun: false,
    secret: 'bmc/ssu1',
    ...over,
  };
  const coordinator = { acts: () => acts, highest, status: () => ({ acts: false, says: 'does not act' }) };
  const options = { folder: disk, coordinator, secrets: secretsIn(secrets), program, runs };
  return carryOut(JSON.stringify(order), limitMs, options);
}
const shell = (script: string, ...more: string[]): string[] => ['/bin/sh', '-c', script, ...more];

describe('an order on site', () => {
  it('is carried out by the words of the host’s own program, with the names that Muster gives and no shell of ours', async () => {
    const into = join(folder, 'words');
    const program = shell('printf "%s\\n" "$0" "$@" > "$1"', '{host}', into, '-H', '{bmc}', '-U{user}', '$HOME;', '{bmc}/{host}');
    expect(await carried({}, { program })).toEqual({ exit: 0, says: 'the power program succeeded' });
    expect(readFileSync(into, 'utf8')).toBe(`ssu1.acme.org\n${into}\n-H\n192.0.2.7\n-Uadmin\n$HOME;\n192.0.2.7/ssu1.acme.org\n`);
  });

  it('has the password in a file of its own user alone, which is gone afterwards', async () => {
    const where = join(folder, 'where');
    const program = shell('(echo "$0"; stat -c %a "$0"; cat "$0") > "$1"', '{passwordFile}', where, '{host}');
    expect(await carried({}, { program })).toEqual({ exit: 0, says: 'the power program succeeded' });
    const [file, mode, password] = readFileSync(where, 'utf8').trim().split('\n');
    expect([file, mode, password]).toEqual([join(folder, 'site-order-1.password'), '600', 'hunter2']);
    expect(readdirSync(folder).sort()).toEqual(['secrets.json', 'where']);
  });

  it.each([
    ['cat "$0"', 0],
    ['base64 "$0"', 0],
    ['rev "$0" >&2; exit 3', 3],
    ['base64 "$0"; sleep 9', undefined],
  ])('is answered without anything that the program printed: %s', async (script, exit) => {
    const result = await carried({}, { program: shell(script, '{passwordFile}', '{host}'), limitMs: exit === undefined ? 300 : 5_000 });
    expect(result.exit).toBe(exit);
    expect(result.says).toMatch(/^the power program (succeeded$|failed;|took too long)/);
  });

  it('says nothing either of a program that is given no password, as that may know where one is', async () => {
    expect(await carried({}, { program: ['/bin/cat', secrets, '/dev/null/{host}'] })).toEqual({
      exit: 1,
      says: 'the power program failed; its output is not reported, so run it on the station to see why',
    });
  });

  it('runs nothing in a dry run, and says what it would without the words of the program', async () => {
    const marker = join(folder, 'ran');
    const { exit, says } = await carried({ dryRun: true }, { program: ['/usr/bin/touch', marker, '{bmc}', '{passwordFile}'] });
    expect([exit, says, existsSync(marker)]).toEqual([
      0,
      'would run touch for ssu1.acme.org: BMC 192.0.2.7, user admin, password bmc/ssu1',
      false,
    ]);
  });

  it('runs nothing where the password cannot be handed over, and says where one is that cannot be taken back', async () => {
    const program = ['/bin/cat', '{passwordFile}', '/dev/null/{host}'];
    const fails = () => {
      throw new Error('EROFS: read-only file system');
    };
    const disk = folderAt(folder);
    expect(await carried({}, { program, disk: { ...disk, write: fails } })).toEqual({ exit: 77, says: 'EROFS: read-only file system' });
    const { exit, says } = await carried({}, { program, disk: { ...disk, remove: fails } });
    expect([exit, says]).toEqual([1, expect.stringContaining('the password is still in site-order-1.password on the station (EROFS')]);
    expect(says).not.toContain('hunter2');
  });

  it('never runs a command that Muster names, as it did before', async () => {
    const marker = join(folder, 'ran');
    const command = ['/usr/bin/touch', marker];
    expect(await carried({ command }, { program: [] })).toMatchObject({ exit: 77, says: expect.stringContaining('no power program') });
    expect(await carried({ command }, { program: ['/bin/true', '{host}'] })).toMatchObject({ exit: 0 });
    expect(existsSync(marker)).toBe(false);
  });

  it.each([
    ['of an epoch that is over', { epoch: 2 }, {}, 'it is of epoch 2, and 3 is known here'],
    ['of an epoch that is not its own', {}, { acts: 0 }, 'it is of epoch 3; this host does not act'],
    ['of an epoch that it has not yet', { epoch: 4 }, {}, 'it is of epoch 4'],
    ['without the secret', { secret: 'bmc/other' }, {}, 'has no secret bmc/other'],
    ['that is none', { order: 0 }, {}, 'does not understand'],
    ['of an older Muster', { bmc: undefined }, {}, 'upgrade Muster'],
    ['with an option for an address', { bmc: '-f/etc/shadow' }, {}, 'bmc is not a plain word'],
    ['with a placeholder for a user', { user: '{passwordFile}' }, {}, 'user is not a plain word'],
    ['with words of a shell', { bmc: '$(id)' }, {}, 'bmc is not a plain word'],
    ['with a host that is none', { host: 'a b' }, {}, 'host is not a plain word'],
  ] as const)('%s is refused, and nothing runs', async (_, over, host, why) => {
    const marker = join(folder, 'ran');
    const program = ['/usr/bin/touch', marker, '{host}', '{passwordFile}'];
    const { exit, says } = await carried(over, { ...host, program });
    expect([exit, existsSync(marker)]).toEqual([77, false]);
    expect(says).toContain(why);
  });

  it('has no exit code that is the agent’s own word, none where it took too long, and a class for each', async () => {
    const ended = (script: string) => carried({}, { program: shell(script, '{host}') });
    for (const code of [75, 77]) expect(await ended(`exit ${code}`)).toMatchObject({ exit: 1 });
    expect(await ended('kill -9 $$')).toMatchObject({ exit: 137, says: expect.stringContaining('ended by signal 9') });
    const sleeps = await carried({}, { program: shell('sleep 9', '{host}'), limitMs: 100 });
    expect(sleeps).toEqual({ says: expect.stringContaining('took too long and was ended') });
    const gone = await carried({}, { program: ['/no/such/file', '{host}'] });
    expect(gone).toMatchObject({ exit: 5, says: expect.stringContaining('is not installed') });
    const barred = await carried({}, { program: [secrets, '{host}'] });
    expect(barred).toMatchObject({ exit: 4, says: expect.stringContaining('is not permitted') });
  });
});

describe('an agent that starts again', () => {
  it('removes what was left of passwords when it was killed, and nothing else', () => {
    const left = ['site-order-3.password', 'site-order-3.password.part', 'site-order-x.password', 'station.json'];
    for (const name of left) writeFileSync(join(folder, name), 'hunter2');
    forgetPasswords(folder);
    expect(readdirSync(folder).sort()).toEqual(['secrets.json', 'site-order-x.password', 'station.json']);
    expect(() => forgetPasswords(join(folder, 'none'))).not.toThrow();
  });
});

describe('the passwords of a host', () => {
  it('are in a file that its owner alone may read', () => {
    chmodSync(secrets, 0o644);
    expect(secretsIn(secrets).of('bmc/ssu1')).toMatchObject({ ok: false, why: expect.stringContaining('chmod 600') });
    chmodSync(secrets, 0o600);
    expect(secretsIn(secrets).of('bmc/ssu1')).toEqual({ ok: true, value: 'hunter2' });
    expect(secretsIn(secrets).of('constructor')).toMatchObject({ ok: false });
  });

  it('are none without a file, and where it cannot be read nothing of it is told', () => {
    expect(secretsIn(undefined).of('a')).toMatchObject({ ok: false, why: expect.stringContaining('--secrets') });
    expect(secretsIn(join(folder, 'none')).of('a')).toMatchObject({ ok: false, why: expect.stringContaining('ENOENT') });
    writeFileSync(secrets, 'hunter2');
    const found = secretsIn(secrets).of('a');
    expect(found.ok ? '' : found.why).not.toContain('hunter2');
  });
});
