import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/host.ts';
import { aProgram } from '../support/program.ts';

/** Where the demo puts its temporary folder; whatever it starts has it in its environment. */
let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'muster-'));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));
const aDemo = () => aProgram('demo/storage/main.ts', [], { TMPDIR: place });

/** The command lines of programs that run with this demo's environment, word by word. */
const running = (): string[][] =>
  readdirSync('/proc').flatMap((pid) => {
    try {
      const isOurs = /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`TMPDIR=${place}`);
      return isOurs ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')] : [];
    } catch {
      // It has ended meanwhile, or is somebody else's.
      return [];
    }
  });

describe('the demo of a storage cluster', () => {
  it('plays every scene to its end, and leaves nothing behind', async () => {
    const demo = aDemo();
    const code = await demo.ended;

    expect(demo.said()).toMatch(/ {2}\[ {3}online\] 0x7200000000000001:0x\w+ +127\.0\.1\.3@tcp:12345:41:303 s3server\n/);
    expect(demo.said()).toMatch(/an s3server is killed.*\n\n.* was pid \d+ and is pid \d+\n/);
    expect(demo.said()).toMatch(/ {2}\[inhibited\] 0x7200000000000001:0x\w+ +127\.0\.1\.3@tcp:12345:41:303 s3server\n/);
    expect(demo.said()).toMatch(/every process has ended, nothing is left behind\.\n$/);
    expect(demo.said(), 'no progress where there is no terminal').not.toContain('\r');
    expect(code).toBe(0);
    expect(running()).toEqual([]);
    expect(readdirSync(place)).toEqual([]);
  }, 300_000);

  it('ends at once when it is interrupted while processes run, which end with it', async () => {
    const demo = aDemo();
    await eventually('a process of the cluster runs', async () => running().some(([, path]) => path?.endsWith('/a-process.ts')), 60_000);
    demo.child.kill('SIGINT');

    expect(await demo.ended).toBe(130);
    expect(running()).toEqual([]);
    expect(readdirSync(place)).toEqual([]);
  }, 120_000);
});
