import { describe, expect, it } from 'vitest';
import type { SupervisorReport } from '../../../events/reported/supervisor.ts';
import { plusMs, secondMs } from '../../../lib/core/time.ts';
import { decideMissed } from '../../../lib/services/missed.ts';
import { instanceOf, type Service } from '../../../lib/services/service.ts';
import type { WatchSet } from '../../../lib/services/watch-set.ts';
import { defaultZone } from '../../../lib/zones/zone.ts';
import { nodeId, noon } from '../../../tools/support/builders.ts';

const supervisor = { node: nodeId(1), type: 'supervisor', state: { is: 'online' }, registered: noon, start: 1 } as unknown as Service;
const set: WatchSet = { zone: defaultZone, node: nodeId(1), services: [{ node: nodeId(2) }], supervisors: [], missed: [], since: noon };
const said = (receivedAt: number): SupervisorReport =>
  ({
    type: 'supervisor.missed',
    node: nodeId(1),
    incarnation: 1,
    seq: 7,
    receivedAt,
    data: { service: 'supervisor', instance: instanceOf(supervisor), missed: [{ node: nodeId(2), forMs: 0 }] },
  }) as unknown as SupervisorReport;

describe('what a supervisor misses', () => {
  it('is not changed by what it said before there was its set, when that is handed over again', () => {
    const later = plusMs(noon, 60 * secondMs);
    expect(decideMissed(set, said(noon - 2 * secondMs), supervisor, later)).toMatchObject({
      does: 'nothing',
      because: 'sent before the supervisor had this set',
    });
    // By another clock it may seem to be said a moment after that.
    expect(decideMissed(set, said(plusMs(noon, 200)), supervisor, later)).toMatchObject({ does: 'nothing' });
    expect(decideMissed(set, said(plusMs(noon, secondMs)), supervisor, later)).toMatchObject({
      does: 'write',
      next: { missed: [{ node: nodeId(2) }] },
    });
  });
});
