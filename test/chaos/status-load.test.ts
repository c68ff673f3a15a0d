import { describe, expect, it } from 'vitest';
import { underLoad } from './status-load.ts';

describe('as many status calls as 64 connections can send', () => {
  it('make no node fail: heartbeats are taken, the sweep goes on, and only who is silent is suspected', async () => {
    const { calls, ...seen } = await underLoad({ script: 'programs/local/main.ts', args: [] }, 12);

    expect(seen).toEqual({ suspected: [], silentIsNoticed: true, unheard: [], late: [] });
    expect(calls.failed).toBe(0);
    // Far below what the slowest machine answers: the load was there.
    expect(calls.answered).toBeGreaterThan(1_000);
  }, 120_000);

  it('are not why this test would miss a host that does not hear heartbeats', async () => {
    // All leases run out at once, after 7 s: the sweep doubts itself then, and suspects nobody for another 7 s
    // (guard-rail 5).
    const { suspected } = await underLoad({ script: 'test/chaos/faulty-host.ts', args: ['deaf'] }, 20);
    expect(suspected).not.toEqual([]);
  }, 120_000);

  it('are not why this test would miss a host whose sweep waits', async () => {
    const { late } = await underLoad({ script: 'test/chaos/faulty-host.ts', args: ['busy'] }, 12);
    expect(late).toContainEqual(expect.stringContaining('sweep.late'));
  }, 120_000);
});
