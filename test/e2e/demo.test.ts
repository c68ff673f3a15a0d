import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aProgram } from '../support/program.ts';

/** Where the demo puts its temporary folder. */
let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'muster-'));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));
const aDemo = (...args: string[]) => aProgram('tools/demo/main.ts', args, { TMPDIR: place });

describe('the demo', () => {
  it('shows the main job, prints what it measured, and leaves nothing behind', async () => {
    const demo = aDemo('--nodes', '3', '--systems', '30');
    const code = await demo.ended;

    expect(demo.said()).toMatch(/nodes +3, up with their shares in \d+\.\d s\n/);
    expect(demo.said()).toMatch(/node2\.demo\.muster\.test killed → down +\d+\.\d s\n/);
    expect(demo.said()).toMatch(/other client systems that changed nodes +0 of \d+\n/);
    expect(demo.said(), 'no progress where there is no terminal').not.toContain('\r');
    expect(code).toBe(0);
    expect(readdirSync(place)).toEqual([]);
  }, 120_000);

  it('ends at once when it is interrupted, and leaves nothing behind', async () => {
    const demo = aDemo('--nodes', '2', '--systems', '5');
    while (readdirSync(place).length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    demo.child.kill('SIGINT');

    expect(await demo.ended).toBe(130);
    expect(readdirSync(place)).toEqual([]);
  }, 60_000);

  it('refuses numbers that make no demo', async () => {
    expect(await aDemo('--nodes', '1').ended).toBe(2);
  });
});
