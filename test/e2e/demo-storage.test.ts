import { describe, expect, it } from 'vitest';
import { eventually } from '../../tools/support/host.ts';
import { aDemo } from '../support/a-demo.ts';

const { start, left, running } = aDemo('tools/demo/storage/main.ts');

describe('the demo of a storage cluster', () => {
  it('plays every scene to its end, and leaves nothing behind', async () => {
    const demo = start();
    const code = await demo.ended;

    expect(demo.said()).toMatch(/ {2}\[ {3}online\] 0x7200000000000001:0x\w+ +127\.0\.1\.3@tcp:12345:41:303 s3server\n/);
    expect(demo.said()).toMatch(/an s3server is killed.*\n\n.* was pid \d+ and is pid \d+\n/);
    expect(demo.said()).toMatch(/ {2}\[inhibited\] 0x7200000000000001:0x\w+ +127\.0\.1\.3@tcp:12345:41:303 s3server\n/);
    expect(demo.said()).toMatch(/every process has ended, nothing is left behind\.\n$/);
    expect(demo.said(), 'no progress where there is no terminal').not.toContain('\r');
    expect(code).toBe(0);
    expect(running()).toEqual([]);
    expect(left()).toEqual([]);
  }, 300_000);

  it('ends at once when it is interrupted while processes run, which end with it', async () => {
    const demo = start();
    await eventually('a process of the cluster runs', async () => running().some(([, path]) => path?.endsWith('/a-process.ts')), 60_000);
    demo.child.kill('SIGINT');

    expect(await demo.ended).toBe(130);
    expect(running()).toEqual([]);
    expect(left()).toEqual([]);
  }, 120_000);
});
