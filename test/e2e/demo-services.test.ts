import { describe, expect, it } from 'vitest';
import { eventually } from '../../tools/support/host.ts';
import { aDemo } from '../support/a-demo.ts';

const { start, left, running } = aDemo('tools/demo/services/main.ts');

describe('the demo of services and stations', () => {
  it('plays every scene that waits for no lease, and leaves nothing behind', async () => {
    const demo = start('--short');
    const code = await demo.ended;

    expect(demo.said()).toMatch(/muster halon service greeter send .*\n {4}Hello, world!\n/);
    expect(demo.said()).toMatch(/has a service greeter already: greeter holds the name\n {4}\(exit code 1\)\n/);
    expect(demo.said()).toMatch(
      /it is killed, and started again by rule\n\n.* was pid (\d+), instance \w+\.1; it is pid (?!\1)\d+, instance \w+\.2\n/,
    );
    expect(demo.said()).toMatch(/takes over what it watched\n\n.*\n.*inhibited.*\n.*supervisor.* app1\.demo\.muster\.test/);
    expect(demo.said()).toMatch(/they are in the group already\n/);
    expect(demo.said()).toMatch(/every process has ended, nothing is left behind\.\n$/);
    expect(demo.said(), 'no progress where there is no terminal').not.toContain('\r');
    expect(code).toBe(0);
    expect(running()).toEqual([]);
    expect(left()).toEqual([]);
  }, 300_000);

  it('ends at once when it is interrupted while a service runs, which ends with it', async () => {
    const demo = start('--short');
    await eventually('a service runs', async () => running().some((words) => words.some((word) => word.endsWith('/greeter.sh'))), 60_000);
    demo.child.kill('SIGINT');

    expect(await demo.ended).toBe(130);
    // The service may have been about to report: what it had just begun for that ends by itself, without its agent.
    await eventually('nothing runs any more', async () => running().length === 0);
    expect(left()).toEqual([]);
  }, 120_000);
});
