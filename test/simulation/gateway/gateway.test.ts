import { describe, expect, it } from 'vitest';
import { drawnBy } from '../config.ts';
import { runHistory } from '../run.ts';
import { spawned } from '../spawned.ts';

/** As many histories as a slow machine runs in half a minute. */
const seeds = 15;

describe('the gateway before simulated servers', () => {
  it(`keeps its promises in the first ${seeds} histories`, { timeout: 120_000 }, async () => {
    const { code, out, err } = await spawned('main.ts', ['--gateway', '--seeds', `1..${seeds}`, '--json'], 110_000);
    expect(code, `${out}${err}`).toBe(0);
    const { faults, ...summary } = JSON.parse(out.slice(out.indexOf('{"seeds"'))) as {
      seeds: number;
      faults: Record<string, { fired: number }>;
    };
    expect(summary).toMatchObject({ seeds, failed: 0 });
    const never = Object.entries(faults).filter(([kind, { fired }]) => /^(server|caller|muster)-/.test(kind) && fired === 0);
    expect(never).toEqual([]);
  });

  it('is the same history for the same seed, and another for the next', async () => {
    const small = { ...drawnBy({ seed: 3, gateway: true }), faultMs: 30_000 };
    const [one, again, other] = await Promise.all([runHistory(small), runHistory(small), runHistory({ ...small, seed: 4 })]);
    expect(one.violations).toEqual([]);
    expect(again.hash).toBe(one.hash);
    expect(other.hash).not.toBe(one.hash);
  });
});
