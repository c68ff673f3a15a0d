import { describe, expect, it } from 'vitest';
import { secondMs } from '../../../../lib/core/time.ts';
import { linesOf, used } from '../../../../programs/cli/cost/lines.ts';
import { rhythmOf } from '../../../../programs/cli/cost/rhythm.ts';
import { units } from '../../../../programs/cli/cost/units.ts';
import { measure } from '../../../../tools/bench/operations.ts';
import { aCountedNode, aCountedSite } from '../../../../tools/bench/sites/counted-site.ts';
import { textOf } from '../../../../tools/bench/units-file.ts';

describe('the units that a bill is computed from', () => {
  it('are what the code uses today', async () => {
    const today: unknown = JSON.parse(textOf(await measure()));
    const then = 'node tools/bench/units.ts --write && npm run -s docs && vitest run test/unit/programs/cli/cost.test.ts -u';
    expect(units, `an operation uses other units than before; see what it costs now: ${then}`).toEqual(today);
  }, 60_000);

  it('come to what half an hour of three nodes uses when it is played', async () => {
    const site = aCountedSite();
    const nodes = [];
    for (const fqdn of ['a.acme.org', 'b.acme.org', 'c.acme.org']) nodes.push(await aCountedNode(site, fqdn));
    const minutes = 30;
    const meter = { ...site.shell.table.meter };
    for (let beat = 0; beat < minutes * 6; beat++) {
      for (const node of nodes) await node.sendHeartbeat(beat % 6 === 5 ? { digest: { listVersion: beat, bits: 'AQ==' } } : {});
      await site.consume('heartbeats');
      for (let half = 0; half < 2; half++) {
        await site.sweep();
        site.shell.step(5 * secondMs);
      }
    }
    const { heartbeats, digests, glances, ticks, sweeps } = rhythmOf({ nodes: nodes.length, clients: 3, covered: 1 });
    const share = minutes / (730 * 60);
    const front = { edge: false, heartbeats: 'queue', byUrl: new Set<never>() } as const;
    const lines = [
      ...linesOf('', 'heartbeat', (heartbeats - digests) * share, front),
      ...linesOf('', 'heartbeatWithDigest', digests * share, front),
      ...linesOf('', 'glance', glances * share, front),
      ...linesOf('', 'tick', ticks * share, front),
      ...linesOf('', 'sweep', sweeps * share, front),
      // The door and the sweep are one environment here, which reads its zone and settings at each beat.
      ...used('', { reads: 3 }, minutes * 6),
    ];
    const computed = (of: string) => lines.filter((line) => line.meter === of).reduce((sum, { quantity }) => sum + quantity, 0);
    const played = (of: 'readUnits' | 'writeUnits') => site.shell.table.meter[of] - meter[of];
    expect(played('writeUnits') / computed('write-units')).toBeGreaterThan(0.9);
    expect(played('writeUnits') / computed('write-units')).toBeLessThan(1.1);
    expect(played('readUnits') / computed('read-units')).toBeGreaterThan(0.8);
    expect(played('readUnits') / computed('read-units')).toBeLessThan(1.1);
  }, 60_000);
});
