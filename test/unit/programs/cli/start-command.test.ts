import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { filled, shellWords, sshDefault, startTemplate } from '../../../../programs/cli/commands/halon/start-command.ts';
import { runProgram } from '../../../../programs/cli/running.ts';

const told = { host: 'ssu1.acme.org', endpoint: 'https://muster.acme.org', token: 'mjt_secret', zone: 'lab', kind: 'storage' };

describe('a command template', () => {
  it('is words, with what is each host’s own in them', () => {
    expect(filled(startTemplate('ssh  root@{host} enrol --endpoint={endpoint} {token} {zone}/{kind} ; {host}'), told)).toEqual(
      'ssh root@ssu1.acme.org enrol --endpoint=https://muster.acme.org mjt_secret lab/storage ; ssu1.acme.org'.split(' '),
    );
  });

  it('is shown so that a shell reads the same words', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[ -~]*$/), { minLength: 1, maxLength: 4 }), (words) => {
        const shown = execFileSync('/bin/sh', ['-c', `printf '%s\\n' ${shellWords(words)}`], { encoding: 'utf8' });
        expect(shown).toBe(words.map((word) => `${word}\n`).join(''));
      }),
      { numRuns: 30 },
    );
  });
});

describe('the command that is meant when nobody says one', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'muster-start-'));
    const program = (name: string, text: string) => {
      writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
      chmodSync(join(folder, name), 0o755);
    };
    // ssh hands all that follows the host to a shell there, as one line.
    program('ssh', 'shift 4; echo "$1" > "$HOST/called"; shift; exec /bin/sh -c "$*"');
    program('sudo', 'for word; do shift; set -- "$@" "$(printf %s "$word" | sed "s|/var/lib|$HOST|g")"; done; exec "$@"');
    program('systemctl', 'echo "$@" >> "$HOST/asked"');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('puts token and address where the agent of the package looks for them, and starts it', async () => {
    const words = filled(startTemplate(sshDefault), told);
    const [program, ...rest] = ['env', `PATH=${folder}:${process.env['PATH']}`, `HOST=${folder}`, ...words] as const;
    expect(await runProgram([program, ...rest], { input: 'mjt_secret\n', timeoutMs: 10_000 }, sleep)).toEqual({ ok: true, output: '' });
    const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
    expect(read('muster-agent/token')).toBe('mjt_secret\n');
    expect(read('muster-agent/endpoint')).toBe('https://muster.acme.org\n');
    expect(read('called')).toBe('ssu1.acme.org\n');
    expect(read('asked')).toBe('enable muster-agent\nrestart muster-agent\n');
    expect(words.join(' ')).not.toContain('mjt_secret');
  });
});

describe('a program that is run', () => {
  const run = (script: string, timeoutMs = 10_000) => runProgram(['/bin/sh', '-c', script], { input: 'in\n', timeoutMs }, sleep);

  it('reads its input, and what it prints on both streams is kept', async () => {
    expect(await run('cat; echo out; echo err >&2')).toMatchObject({ ok: true, output: expect.stringMatching(/in|out|err/) });
  });

  it('says why it did not do', async () => {
    expect(await run('exit 3')).toEqual({ ok: false, why: 'exit code 3', output: '' });
    expect(await run('kill -9 $$')).toEqual({ ok: false, why: 'it was ended by SIGKILL', output: '' });
    expect(await runProgram(['/nowhere/at/all'], { input: '', timeoutMs: 1000 }, sleep)).toMatchObject({
      ok: false,
      why: expect.stringContaining('ENOENT'),
    });
  });

  it('is ended when it takes too long, and what it has left running is not waited for', async () => {
    expect(await run('echo begins; sleep 30', 200)).toEqual({ ok: false, why: 'it took longer than 0.2 s', output: 'begins\n' });
    const before = performance.now();
    expect(await run('sleep 5 & exit 0')).toMatchObject({ ok: true });
    expect(performance.now() - before).toBeLessThan(4000);
  });

  it('keeps the end of what it prints where that is much', async () => {
    const { output } = await run('seq 1 100000');
    expect(output).toHaveLength(4096);
    expect(output).toMatch(/100000\n$/);
  });
});
