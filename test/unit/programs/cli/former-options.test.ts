import { describe, expect, it } from 'vitest';
import { spanMs } from '../../../../programs/cli/arguments.ts';
import { exitCodes } from '../../../../programs/cli/exit-codes.ts';
import { formerOptions, waitMs, withoutAddresses } from '../../../../programs/cli/former-options.ts';
import { ran } from './a-terminal.ts';
import { FakeDeployment } from './fake-deployment.ts';

/** What scripts for halonctl give to its verbs, by the reference, and the words that follow an option. */
const original: readonly (readonly [verb: string, ...words: string[]])[] = [
  ['mero load', '-f', 'facts.yaml', '-r', 'mero_role_mappings', '-s', 'halon_role_mappings', '-v', '--timeout', '10'],
  ['mero bootstrap', '-f', 'facts.yaml', '-r', 'mero_role_mappings', '-s', 'halon_role_mappings', '-n', '-v', '--mkfs-done'],
  ['mero status', '-d', '--timeout', '10'],
  ['mero start', '-a'],
  ['mero stop', '--silent', '--async', '--timeout', '600000000us', '--reason', 'new racks'],
  ['mero stop', '--timeout', '600000000'],
  ['mero node stop', '-f', '--node', '0x6e00000000000001:0x1c', '-s', '--reason', 'a new disk'],
  ['mero node stop', '--node', '0x6e00000000000001:0x1c', '--sync'],
  ['mero process stop', '--async', '--force', '--fid', '0x7200000000000001:0x2d'],
  ['halon station', '-u', '-t', '1000000us', '-r', '4000000us', 'ts1.acme.org'],
  ['halon station', '--snapshot-threshold', '1000', 'ts1.acme.org'],
  ['halon node add', '-t', '192.0.2.1:9000', '-t', '192.0.2.2:9000', 'ssu4.acme.org'],
];

/** What is said of the options of a line, which ends where nobody answers, and whether they are its verb's. */
async function told(line: readonly string[]): Promise<{ readonly said: string[]; readonly isUsage: boolean }> {
  const { err, code } = await ran(line, { env: { MUSTER_ENDPOINT: 'http://127.0.0.1:9' }, read: () => '{}' });
  return { said: err.split('\n').filter((text) => text.includes(' does nothing: ')), isUsage: code === exitCodes.usage };
}

describe('options of halonctl', () => {
  it.each(original.map((words) => [words.join(' '), words] as const))('%s', async (_line, [verb, ...words]) => {
    const { said, isUsage } = await told([...verb.split(' '), ...words]);
    const doesNothing = formerOptions.filter((one) => one.verb === verb && words.some((word) => one.flags.split(/[ ,]+/).includes(word)));
    expect(isUsage).toBe(false);
    expect(new Set(said)).toEqual(new Set(doesNothing.map(({ flags, says }) => `${/--[\w-]+/.exec(flags)![0]} does nothing: ${says}`)));
  });

  it('before its verbs are addresses of another protocol, and `-a` behind them is the verb’s own', () => {
    const said: string[] = [];
    const rest = (line: string) => withoutAddresses(line.split(' '), (text) => said.push(text));
    expect(rest('-a 192.0.2.1:9000 --address=192.0.2.2:9000 -l 192.0.2.3:0 mero start -a')).toEqual(['mero', 'start', '-a']);
    expect(said).toHaveLength(1);
    expect(rest('mero start -a')).toEqual(['mero', 'start', '-a']);
    expect(said).toHaveLength(1);
    expect(rest('-a')).toEqual([]);
  });

  it('has `mero stop --silent` print nothing, and end as it does else', async () => {
    const deployment = await FakeDeployment.start({ stopMero: () => ({ done: true, because: 'it is to be OFFLINE' }) });
    const stop = (more: string) => ran(`mero stop --zone lab --async${more} --endpoint ${deployment.url}`);
    const [silent, loud] = [await stop(' --silent'), await stop('')];
    await deployment.stop();
    expect(silent).toEqual({ out: '', err: '', code: 0 });
    expect(loud).toMatchObject({ out: 'it is to be OFFLINE\n', code: 0 });
  });

  it('have spans in microseconds, with a unit or bare', () => {
    expect(['600000000us', '1500µs', '1μs'].map(spanMs)).toEqual([600_000, 2, 1]);
    expect(['600000000', '1000001', '10m'].map(waitMs)).toEqual([600_000, 1_001, 600_000]);
    expect(() => waitMs('10')).toThrow('in microseconds');
  });
});
