import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { outputOf, outputOfProgram, runCommand } from '../../../lib/machine/command.ts';
import { systemctl } from '../../../programs/client/drivers/services.ts';
import { eventually } from '../../../tools/support/host.ts';

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'muster-command-'));
});
afterEach(() => rmSync(place, { recursive: true }));

/** A command that starts another, notes its pid, and waits for it, longer than any test. */
const lingering = (): string => `sleep 600 & echo $! > ${join(place, 'pid')}; wait;`;

/** Whether what the command has started still runs: neither gone, nor waiting for somebody to take note of its end. */
function isLeft(): boolean {
  const pid = readFileSync(join(place, 'pid'), 'utf8').trim();
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !['Z', 'X'].includes(stat.slice(stat.lastIndexOf(')') + 2)[0]!);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

describe('a command of the operator that takes too long', () => {
  it('is killed with what it has started', async () => {
    expect(await runCommand(lingering(), [], { limitMs: 1_000 })).toEqual({ ok: false, why: 'it was ended by SIGKILL' });
    await eventually('it has ended', async () => !isLeft());
  });

  it('is killed so, too, where it is run for what it prints', async () => {
    expect(await outputOf(`echo begun; ${lingering()}`, { limitMs: 1_000 })).toEqual({ ok: false, why: 'it was ended by SIGKILL' });
    await eventually('it has ended', async () => !isLeft());
  });

  it('ends even where something that it has started has left its group and keeps its output open', async () => {
    const line = `setsid sh -c 'echo $$ > ${join(place, 'pid')}; exec sleep 600' & wait`;
    expect(await outputOf(line, { limitMs: 1_000 })).toMatchObject({ ok: false });
    process.kill(Number(readFileSync(join(place, 'pid'), 'utf8')), 'SIGKILL');
  });

  it('ends in its time where it has ended itself, and something that it has started keeps its output open', async () => {
    const line = `sleep 600 & echo $! > ${join(place, 'pid')}; echo done`;
    expect(await outputOf(line, { limitMs: 1_000 })).toEqual({ ok: true, text: 'done\n' });
    await eventually('it has ended', async () => !isLeft());
  });

  it('is not waited for by what it has started for good', async () => {
    const line = `sleep 600 & echo $! > ${join(place, 'pid')}; :`;
    expect(await runCommand(line, [], { limitMs: 60_000 })).toEqual({ ok: true });
    expect(isLeft()).toBe(true);
    process.kill(Number(readFileSync(join(place, 'pid'), 'utf8')), 'SIGKILL');
  });
});

describe('what a program prints', () => {
  it('is told, with how it ended', async () => {
    expect(await outputOfProgram('/bin/sh', ['-c', 'echo out; echo err >&2; exit 3'], { limitMs: 60_000 })).toEqual({
      ended: { ok: false, why: 'exit code 3' },
      text: 'out\n',
      errors: 'err\n',
    });
    expect(await outputOf('echo out', { limitMs: 60_000 })).toEqual({ ok: true, text: 'out\n' });
    expect(await outputOfProgram('/nowhere/program', [], { limitMs: 60_000 })).toMatchObject({ ended: { ok: false } });
  });

  it('is too much above 16 MB, and the program is killed', async () => {
    expect(await outputOf('yes', { limitMs: 60_000 })).toEqual({ ok: false, why: 'it printed more than 16777216 B' });
  });
});

describe('the program that runs services', () => {
  it('says how it failed', async () => {
    await expect(systemctl('/bin/false').start('salt-minion')).rejects.toThrow('/bin/false start salt-minion failed (exit code 1)');
  });
});
