import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askCommand } from '../../../../agent/services/ask.ts';
import { carryOut, forgetPasswords } from '../../../../agent/station/hands.ts';
import { secretsIn } from '../../../../agent/station/secrets.ts';

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
/** An order carried out by a host that acts under an epoch, if it does, and knows of a highest one. */
function carried(
  over: object = {},
  { acts = 3, highest = 3, limitMs = 5_000 }: { acts?: number; highest?: number; limitMs?: number } = {},
) {
  const order = {
    order: 1,
    epoch: 3,
    host: 'ssu1.acme.org',
    dryRun: false,
    command: ['/bin/sh', '-c', 'echo cycled'],
    secret: 'bmc/ssu1',
    ...over,
  };
  const coordinator = { acts: () => acts, highest, status: () => ({ acts: false, says: 'does not act' }) };
  return carryOut(JSON.stringify(order), limitMs, { folder, coordinator, secrets: secretsIn(secrets), runs });
}
const withPassword = ['/bin/sh', '-c', 'stat -c %a "$0"; cat "$0"; echo "$0" > "$1"', '{passwordFile}'];

describe('an order on site', () => {
  it('is carried out, by its words and no shell of ours, and answered by what came of it', async () => {
    expect(await carried()).toEqual({ exit: 0, says: 'cycled' });
    expect(await carried({ command: ['/bin/echo', '$HOME;'] })).toEqual({ exit: 0, says: '$HOME;' });
    expect(await carried({ command: ['/bin/sh', '-c', 'exit 3'] })).toMatchObject({ exit: 3 });
  });

  it('has the password in a file of its own user alone, which is gone afterwards, and tells it to nobody', async () => {
    const where = join(folder, 'where');
    expect(await carried({ command: [...withPassword, where] })).toEqual({ exit: 0, says: '600\n***' });
    expect(existsSync(readFileSync(where, 'utf8').trim())).toBe(false);
    expect(readdirSync(folder).sort()).toEqual(['secrets.json', 'where']);
  });

  it('runs nothing in a dry run, and says what it would', async () => {
    const marker = join(folder, 'ran');
    const { exit, says } = await carried({ dryRun: true, command: ['/usr/bin/touch', marker, '{passwordFile}'] });
    expect([exit, says, existsSync(marker)]).toEqual([0, `would run: /usr/bin/touch ${marker} {passwordFile}`, false]);
  });

  it.each([
    ['of an epoch that is over', { epoch: 2 }, {}, 'it is of epoch 2, and 3 is known here'],
    ['of an epoch that is not its own', {}, { acts: 0 }, 'it is of epoch 3; this host does not act'],
    ['of an epoch that it has not yet', { epoch: 4 }, {}, 'it is of epoch 4'],
    ['without the secret', { secret: 'bmc/other', command: withPassword }, {}, 'has no secret bmc/other'],
    ['that is none', { command: [] }, {}, 'does not understand'],
  ] as const)('%s is refused, and nothing runs', async (_, over, host, why) => {
    const marker = join(folder, 'ran');
    const command = 'command' in over ? over.command : ['/usr/bin/touch', marker];
    const { exit, says } = await carried({ ...over, command }, host);
    expect([exit, existsSync(marker)]).toEqual([77, false]);
    expect(says).toContain(why);
  });

  it('has no exit code that is the agent’s own word, and none where it took too long', async () => {
    for (const code of [75, 77]) expect(await carried({ command: ['/bin/sh', '-c', `exit ${code}`] })).toMatchObject({ exit: 1 });
    expect(await carried({ command: ['/bin/sleep', '9'] }, { limitMs: 100 })).toEqual({ says: '' });
    expect(await carried({ command: ['/no/such/file'] })).toMatchObject({ exit: 5 });
  });
});

describe('an agent that starts again', () => {
  it('removes what was left of passwords when it was killed, and nothing else', () => {
    for (const name of ['site-order-3.password', 'site-order-x.password', 'station.json']) writeFileSync(join(folder, name), 'hunter2');
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
