import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** A program whose command starts `work` and then waits for ever. */
const ended = (work: string) => {
  const script = `
    import { Command } from 'commander';
    import { folderAt } from './lib/machine/folder.ts';
    import { runCommandLine } from './lib/machine/command-line.ts';
    const program = new Command('works').action(() => new Promise(() => { ${work} }));
    process.exit(await runCommandLine(program, ['node', 'works']));`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8', timeout: 20_000 });
  return { status, stderr };
};

describe('a failure beside the command', () => {
  it.each([
    ['in a timer', `setTimeout(() => { throw new TypeError('no such thing'); })`],
    ['of a call', `setTimeout(() => Promise.reject(new TypeError('no such thing')))`],
  ])('%s is told in one line and ends with 70', (_where, work) => {
    const { status, stderr } = ended(work);
    expect(status).toBe(70);
    expect(stderr).toMatch(/^works: TypeError: no such thing at .*\n$/);
  });

  it('of a file that cannot be written ends with 74', () => {
    const home = mkdtempSync(join(tmpdir(), 'muster-machine-'));
    mkdirSync(join(home, 'ledger.json.part'));
    const { status, stderr } = ended(`setTimeout(() => folderAt(${JSON.stringify(home)}).write('ledger.json', 'x'))`);
    rmSync(home, { recursive: true });
    expect(status).toBe(74);
    expect(stderr).toMatch(/^works: .*ledger.json.part.*\n$/);
  });
});

describe('a reader that closes the pipe', () => {
  it.each(['stdout', 'stderr'])('of %s does not end the program', (stream) => {
    const error = `Object.assign(new Error('write EPIPE'), { code: 'EPIPE', syscall: 'write' })`;
    const work = `process.${stream}.emit('error', ${error}); setTimeout(() => process.exit(7));`;
    expect(ended(work)).toEqual({ status: 7, stderr: '' });
  });
});
