import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { writeText } from '../../lib/mero/facts/text/write.ts';
import { fabricatedFacts } from '../../tools/support/facts/fabricated.ts';

const program = join(import.meta.dirname, '../../programs/cli/main.ts');
const facts = writeText(fabricatedFacts({ servers: 2, devicesEach: 0 }));

/** Runs the command line, whose standard input comes in two parts with a pause between them. */
async function typed(line: string, input: string): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [program, ...line.split(' ')], { stdio: ['pipe', 'pipe', 'pipe'] });
  const [out, err] = [text(child.stdout), text(child.stderr)];
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  // Who has ended already, because it did not wait, reads no more.
  child.stdin.on('error', () => undefined);
  const half = Math.floor(input.length / 2);
  child.stdin.write(input.slice(0, half));
  await Promise.race([ended, sleep(1_500)]);
  child.stdin.end(input.slice(half));
  return { code: await ended, out: await out, err: await err };
}

describe('standard input that comes slowly', () => {
  it.each([
    ['facts validate -', /^valid: 2 nodes/],
    ['facts expand -', /./],
    ['facts convert -', /^id_sites:/],
  ])('is read to its end › %s', async (line, said) => {
    const { code, out, err } = await typed(line, facts);
    expect([code, err]).toEqual([0, expect.not.stringContaining('EAGAIN')]);
    expect(out).toMatch(said);
  });
});
