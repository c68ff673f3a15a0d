import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../../../lib/identity/fingerprint.ts';
import { runCommandLine, Unusable } from '../../../../lib/machine/command-line.ts';
import { type Folder, folderAt } from '../../../../lib/machine/folder.ts';
import { commandDriver } from '../../../../programs/client/command-driver.ts';
import { identityIn, keepIn, recordIn } from '../../../../programs/client/identity.ts';
import { type ClientOptions, clientProgram } from '../../../../programs/client/options.ts';
import { node1, watch } from './told.ts';

let folder: Folder;
beforeEach(() => {
  folder = folderAt(mkdtempSync(join(tmpdir(), 'muster-client-')));
});
afterEach(() => rmSync(folder.path, { recursive: true, force: true }));

describe("a machine's identity", () => {
  it('is made once and is the same from then on', () => {
    const made = identityIn(folder);

    expect(made.publicKey).toMatch(/^[\w-]{43}$/);
    expect(made.fp).toBe(fingerprintOf(made.publicKey));
    expect(identityIn(folder)).toEqual(made);
  });

  it('is not replaced when its file is damaged', () => {
    folder.write('identity.json', '{"version":1,');
    expect(() => identityIn(folder)).toThrow(Unusable);
    expect(readFileSync(join(folder.path, 'identity.json'), 'utf8')).toBe('{"version":1,');
  });

  it('outlives a damaged state, which Muster can tell again', () => {
    const kept = { phase: 'onboarded', token: 't', place: { fqdn: node1, watch }, driven: node1 } as const;
    keepIn(folder, kept);
    expect(recordIn(folder)).toEqual(kept);

    writeFileSync(join(folder.path, 'state.json'), 'x');
    expect(recordIn(folder)).toEqual({ phase: 'unheard' });
  });
});

describe('a driver that is a command', () => {
  it('is run with start and the node, and with stop', async () => {
    const said = join(folder.path, 'said');
    const driver = commandDriver(`printf '%s,' >> '${said}'`);

    expect([await driver.start(node1), await driver.stop()]).toEqual([{ ok: true }, { ok: true }]);
    expect(readFileSync(said, 'utf8')).toBe('start,node1.acme.test,stop,');
  });

  it('fails with its exit code', async () => {
    expect(await commandDriver('exit 3;').start(node1)).toEqual({ ok: false, why: 'exit code 3' });
    expect(await commandDriver('/nowhere/drive').stop()).toEqual({ ok: false, why: 'exit code 127' });
  });
});

describe('the command line of muster-client', () => {
  const ran: ClientOptions[] = [];
  const complaints: string[] = [];
  const run = (...args: string[]) => {
    const program = clientProgram({
      run: async (options) => void ran.push(options),
      fingerprint: (options) => void ran.push(options),
      status: (options) => void ran.push(options),
      drive: async (options) => void ran.push(options),
    });
    program.configureOutput({ writeErr: (text) => void complaints.push(text) });
    return runCommandLine(program, ['node', 'muster-client', ...args]);
  };
  beforeEach(() => {
    ran.length = complaints.length = 0;
  });

  it('reads what the daemon is told', async () => {
    const args = [
      '--endpoint',
      'http://m.test:1',
      '--fqdn',
      'Web1.Acme.test',
      '--fact',
      'a=b=c',
      '--fact',
      'd=',
      '--tag',
      'rack:r1',
      '--drive',
      'x y',
    ];
    expect(await run(...args)).toBe(0);
    expect(ran).toEqual([
      {
        endpoint: 'http://m.test:1',
        home: '.muster-client',
        fqdn: 'web1.acme.test',
        fact: [
          ['a', 'b=c'],
          ['d', ''],
        ],
        tag: ['rack:r1'],
        drive: 'x y',
      },
    ]);
  });

  it.each(['fingerprint', 'status'])('knows the folder for %s on either side of the word', async (word) => {
    expect(await run(word, '--home', 'here')).toBe(0);
    expect(await run('--home', 'here', word)).toBe(0);
    expect(ran.map(({ home }) => home)).toEqual(['here', 'here']);
  });

  it('refuses an unknown flag with a suggestion and exit code 2', async () => {
    expect(await run('--endpont', 'http://m.test')).toBe(2);
    expect(complaints.join('')).toContain('(Did you mean --endpoint?)');
  });

  it.each([
    ['--endpoint', 'm.test:8080'],
    ['--endpoint', 'ftp://m.test'],
    ['--fqdn', 'web_1'],
    ['--fact', 'novalue'],
    ['--tag', 'two words'],
    ['--machine-id', ''],
  ])('refuses %s %s with exit code 2', async (flag, value) => {
    expect(await run(flag, value)).toBe(2);
    expect(ran).toEqual([]);
  });
});
