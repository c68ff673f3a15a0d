import { expect, it } from 'vitest';
import { eventually } from '../../tools/support/host.ts';
import { aDemo } from '../support/a-demo.ts';
import { describeWithPostgres } from '../support/with-postgres.ts';

const { start, left, running } = aDemo('tools/demo/uyuni/main.ts');

describeWithPostgres('the demo of Uyuni servers', () => {
  it('plays every scene to its end, and leaves nothing behind', async () => {
    const demo = start('--quick', '--systems', '20');
    const code = await demo.ended;

    expect(demo.said()).toMatch(/uyuni1\.acme\.test\$ muster-agent uyuni install\n {4}muster-agent: the outbox is installed\n/);
    expect(demo.said()).toMatch(/\$ muster node adopt uyuni2\.acme\.test\n {4}20 systems were adopted, 0 were before, 0 were left\n/);
    expect(demo.said()).toMatch(/uyuni1-00001\.acme\.test {2}cluster id (\d+), on uyuni1\.acme\.test, which calls it \1\n/);
    expect(demo.said()).toMatch(/40 client systems, as before; nobody accepted a key/);
    expect(demo.said()).toMatch(/muster system metadata show \w+ notes\n[^$]*"subject": "Moved on Monday"/);
    const [, first, third] = registeredAtTheEnd.exec(demo.said()) ?? [];
    expect(Number(first) + Number(third), 'the systems of the dead server are on the others').toBe(40);
    expect(Number(first), 'those of the other one have stayed').toBeGreaterThanOrEqual(20);
    expect(demo.said()).toMatch(/uyuni2-00001\.acme\.test {2}cluster id 15\d+, on (uyuni[13]\.acme\.test)\n {4}on \1: “Moved on Monday”/);
    expect(demo.said()).toMatch(/every process has ended, nothing is left behind\.\n$/);
    expect(demo.said(), 'no progress where there is no terminal').not.toContain('\r');
    expect(code).toBe(0);
    expect(running()).toEqual([]);
    expect(left()).toEqual([]);
  }, 300_000);

  it('ends at once when it is interrupted while servers run, which end with it', async () => {
    const demo = start('--quick', '--systems', '5');
    await eventually('an agent runs', async () => running().some((words) => words.includes('--report-changes')), 60_000);
    demo.child.kill('SIGINT');

    expect(await demo.ended).toBe(130);
    expect(running()).toEqual([]);
    expect(left()).toEqual([]);
  }, 120_000);

  it('refuses numbers that make no demo', async () => {
    const demo = start('--systems', '0');
    expect([await demo.ended, demo.said()]).toEqual([2, 'demo: --systems takes a number from 1 to 9999, and --pause seconds\n']);
  });
});

/** What the servers have once one of them is dead. */
const registeredAtTheEnd =
  /register them\n\n {4}uyuni1\.acme\.test {2}(\d+) systems registered, \1 keys accepted.*\n {4}uyuni3\.acme\.test {2}(\d+) systems registered, \2 keys/;
