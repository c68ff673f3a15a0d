import { describe, expect, it } from 'vitest';
import { waitMaxMs } from '../../../../lib/api/backoff.ts';
import { decide } from '../../../../programs/agent/decide.ts';
import { hear } from '../../../../programs/agent/hear.ts';
import type { ReleaseOrder } from '../../../../programs/agent/ledger.ts';
import { rememberedOf } from '../../../../programs/agent/state.ts';
import {
  acknowledged,
  aLedger,
  aMember,
  anAgent,
  beaten,
  beating,
  joined,
  last,
  node,
  refused,
  startedAt,
  through,
  tick,
  told,
  zone,
} from './told.ts';

const order: ReleaseOrder = { mapVersion: 7, zoneSlots: 1024, slots: [3, 4] };

describe('an agent that is told to wait for ever', () => {
  it('calls again within two hours', () => {
    const nextMs = Number.MAX_SAFE_INTEGER;
    const up = told(told(anAgent(), joined), tick, 1);
    for (const waiting of [
      told(anAgent(), { type: 'pooled', fingerprint: 'aa:bb', nextMs }),
      told(up, { type: 'not-acknowledged', nextMs }),
      told(up, { type: 'acknowledged', incarnation: 1, generation: 1, nextMs }),
    ])
      expect(waiting.state.line.at).toBe(waiting.at + waitMaxMs);
  });
});

describe('an agent whose node was given up', () => {
  it('says once that it waits for readmission, and asks as often as it is told', () => {
    const waits = { type: 'not-acknowledged', waits: 'readmission', nextMs: 60_000 } as const;
    const up = told(told(anAgent(), joined), tick, 1);
    expect(hear(up.state, waits, up.at).actions).toEqual([{ do: 'say', line: expect.stringContaining('waits for readmission') }]);

    const first = told(up, waits);
    expect(last(told(first, tick, 59_999))).toEqual([]);
    const again = told(first, tick, 60_000);
    expect(last(again)).toEqual([{ do: 'up' }]);
    expect(hear(again.state, waits, again.at).actions).toEqual([]);
  });

  it('says so anew when that happens again', () => {
    const waits = { type: 'not-acknowledged', waits: 'readmission', nextMs: 60_000 } as const;
    const member = told(told(told(told(anAgent(), joined), tick, 1), waits), acknowledged(2, 2));
    expect(hear(member.state, waits, member.at).actions).toHaveLength(1);
  });
});

describe('an agent that starts', () => {
  it('joins, says node-up until it is acknowledged, and then that it is ready', () => {
    const first = anAgent();
    expect(last(first)).toEqual([{ do: 'join' }]);

    const up = told(told(first, joined), tick, 1);
    expect(last(up)).toEqual([{ do: 'up' }]);

    const waiting = told(up, { type: 'not-acknowledged', nextMs: 2_000 });
    expect(last(waiting)).toEqual([]);
    const again = told(waiting, tick, 2_000);
    expect(last(again)).toEqual([{ do: 'up' }]);

    const member = told(again, acknowledged(1, 1));
    expect(last(member)).toEqual([{ do: 'report', incarnation: 1, reports: [{ n: 0, type: 'node.ready' }] }]);
    expect(member.state.wakeAt).toBe(member.at + 10_000);
  });

  it('does not join again when its ledger knows the node', () => {
    const again = anAgent(aLedger({ node, zone, incarnation: 4, generation: 2 }));
    expect(last(again)).toEqual([{ do: 'up' }]);
    expect(told(again, acknowledged(5, 2)).state).toMatchObject({ incarnation: 5, seq: 0 });
  });

  it('joins again where Muster has forgotten it, with a pause', () => {
    const forgotten = told(anAgent(aLedger({ node, zone })), refused('up', 'unknown-node', { status: 404 }));
    expect(last(forgotten)).toEqual([]);
    expect(last(told(forgotten, tick, 1_000))).toEqual([{ do: 'join' }]);
  });

  it('tries again later each time, and as long as it is asked to wait', () => {
    let agent = anAgent();
    const waits: number[] = [];
    for (const retryAfterMs of [0, 0, 0, 90_000]) {
      agent = told(agent, refused('join', 'fqdn-in-use', { retryAfterMs }));
      waits.push(agent.state.line.at - agent.at);
      agent = told(agent, tick, agent.state.line.at - agent.at);
      expect(last(agent)).toEqual([{ do: 'join' }]);
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 94_500]);
  });
});

describe('a member', () => {
  it('beats when it is told to, counting its heartbeats', () => {
    const first = beating();
    expect(last(first)).toEqual([{ do: 'heartbeat', incarnation: 1, seq: 1, digest: false }]);

    const second = beating(told(first, beaten({ nextMs: 9_500 })));
    expect(second.at - first.at).toBe(9_500);
    expect(last(second)).toEqual([{ do: 'heartbeat', incarnation: 1, seq: 2, digest: false }]);
  });

  it('is another member when it has taken the place of another node, and keeps what it has', () => {
    const agent = told(told(beating(), beaten({ mapVersion: 3 })), { type: 'listed', version: 1, mapVersion: 3, systems: 0 });
    const heir = told(beating(agent), beaten({ mapVersion: 3, generation: 4 }));

    expect(heir.state).toMatchObject({ phase: 'member', incarnation: 1, generation: 4, list: { version: 1 } });
    expect(told(beating(heir), beaten({ mapVersion: 3 })).state.generation).toBe(4);
  });

  it('sends the digest with every sixth heartbeat, once it has a list', () => {
    let agent = aMember();
    const digests: boolean[] = [];
    for (let beat = 1; beat <= 13; beat++) {
      agent = beating(agent);
      digests.push(last(agent).some((action) => action.do === 'heartbeat' && action.digest));
      agent = told(agent, beaten({ mapVersion: 3 }));
      if (beat === 7) agent = told(agent, { type: 'listed', version: 1, mapVersion: 3, systems: 2 });
    }
    expect(digests.flatMap((sent, i) => (sent ? [i + 1] : []))).toEqual([12]);
  });

  it('goes on when Muster cannot be reached, with all it has', () => {
    const agent = told(told(beating(), beaten({ mapVersion: 3 })), { type: 'listed', version: 1, mapVersion: 3, systems: 2 });
    const away = told(beating(agent), { type: 'unreachable', call: 'heartbeat', why: 'gone', random: 0.5 });

    expect(away.state).toMatchObject({ phase: 'member', list: { version: 1 }, line: { at: away.at + 1_000, failures: 1 } });
    expect(last(told(away, tick, 1_000))).toEqual([{ do: 'heartbeat', incarnation: 1, seq: 3, digest: false }]);
  });

  it('is heard within a lease after any outage: it waits at most two intervals', () => {
    let agent = beating();
    for (let failure = 1; failure <= 20; failure++) {
      agent = told(agent, { type: 'unreachable', call: 'heartbeat', why: 'gone', random: 0.999_999 });
      expect(agent.state.line.at - agent.at).toBeLessThanOrEqual(20_000);
      agent = told(agent, tick, agent.state.line.at - agent.at);
    }
    expect(last(agent)).toEqual([{ do: 'heartbeat', incarnation: 1, seq: 21, digest: false }]);
  });

  it('reads its list when the map has moved, when it is stale, and when it sees somebody who is not on it', () => {
    const first = told(beating(), beaten({ mapVersion: 3 }));
    expect(last(first)).toEqual([{ do: 'read-systems', mapVersion: 3 }]);

    const listed = told(first, { type: 'listed', version: 1, mapVersion: 3, systems: 2 });
    expect(last(told(beating(listed), beaten({ mapVersion: 3 })))).toEqual([]);
    for (const news of [{ mapVersion: 4 }, { mapVersion: 3, listStale: true }, { mapVersion: 3, unlisted: true }])
      expect(last(told(beating(listed), beaten(news)))).toEqual([{ do: 'read-systems', since: 1, mapVersion: news.mapVersion }]);
  });

  it('makes whoever is seen knock upon the first list of a membership, and whoever is not on it upon any later one', () => {
    const list = { type: 'listed', version: 1, mapVersion: 3, systems: 2 } as const;
    const first = told(told(beating(), beaten({ mapVersion: 3 })), list);
    expect(last(first)).toEqual([{ do: 'make-knock', everyone: true }]);

    const second = told(told(beating(first), beaten({ mapVersion: 3, unlisted: true })), list);
    expect(last(second)).toEqual([{ do: 'make-knock', everyone: false }]);

    const flushed = told(beating(second), refused('heartbeat', 'must-rejoin', { generation: 1 }));
    const again = through(flushed, acknowledged(2, 2), beaten({ mapVersion: 4 }), { ...list, mapVersion: 4 });
    expect(last(again)).toEqual([{ do: 'make-knock', everyone: true }]);
  });

  it('forgets its list when it is acknowledged in another generation than it knows of: a machine with its key has flushed', () => {
    const listed = told(told(beating(), beaten({ mapVersion: 3 })), { type: 'listed', version: 1, mapVersion: 3, systems: 2 });
    const asked = told(beating(listed), refused('heartbeat', 'send-node-up'));

    const same = told(asked, acknowledged(2, 1));
    expect([last(same).filter((action) => action.do === 'flush'), same.state.list.version]).toEqual([[], 1]);

    const another = told(asked, acknowledged(2, 2));
    expect(last(another).slice(0, 2)).toEqual([{ do: 'flush' }, { do: 'read-systems', mapVersion: 3 }]);
  });

  it('tries what failed beside the heartbeats again after the next one', () => {
    const failed = told(told(beating(), beaten({ mapVersion: 3 })), {
      type: 'unreachable',
      call: 'read-systems',
      why: 'gone',
      random: 0.5,
    });
    expect(last(failed)).toEqual([]);
    expect(last(told(beating(failed), beaten({ mapVersion: 3 })))).toEqual([{ do: 'read-systems', mapVersion: 3 }]);
  });

  it('sends a heartbeat although other work hangs', () => {
    const hanging = told(beating(), beaten({ mapVersion: 3, desired: 9 }));
    expect(last(beating(hanging))).toEqual([{ do: 'heartbeat', incarnation: 1, seq: 2, digest: false }]);
  });
});

describe('release orders', () => {
  const ordered = () => told(told(beating(), beaten({ desired: 5, mapVersion: 7 })), { type: 'desired', rev: 5, release: [order] });

  it('are read when the revision differs, and carried out before the list is read anew', () => {
    const reading = told(beating(), beaten({ desired: 5, mapVersion: 7 }));
    expect(last(reading)).toEqual([{ do: 'read-desired', rev: 0 }]);

    const releasing = told(reading, { type: 'desired', rev: 5, release: [order] });
    expect(last(releasing)).toEqual([{ do: 'release', orders: [order], mapVersion: 7 }]);

    const done = told(releasing, { type: 'released', mapVersion: 7, systems: 3, knocking: true });
    expect(last(done)).toEqual([
      { do: 'read-systems', mapVersion: 7 },
      { do: 'report', incarnation: 1, reports: [{ n: 1, type: 'node.released', mapVersion: 7 }] },
    ]);
  });

  it('that are done already are not done again', () => {
    const done = through(ordered(), { type: 'released', mapVersion: 7, systems: 3, knocking: true });
    const again = told(told(beating(done), beaten({ desired: 6, mapVersion: 7 })), { type: 'desired', rev: 6, release: [order] });
    expect(last(again).filter((action) => action.do === 'release')).toEqual([]);
  });

  it('are tried again when the hook fails, and given up after the third time', () => {
    const broken = { type: 'release-failed', mapVersion: 7, why: 'exit code 1' } as const;
    const once = told(ordered(), broken);
    expect(last(once)).toEqual([]);

    const twice = told(told(beating(once), beaten({ desired: 5, mapVersion: 7 })), broken);
    const third = told(told(beating(twice), beaten({ desired: 5, mapVersion: 7 })), broken);
    expect(last(third)).toContainEqual({ do: 'report', incarnation: 1, reports: [{ n: 1, type: 'node.released', mapVersion: 7 }] });
  });

  it.each([
    [true, 'released 3 client systems, map version 7'],
    [false, '3 client systems have moved, map version 7: without a release hook they find out at their next call'],
  ])('are told of as they went (a hook: %s)', (knocking, line) => {
    const { actions } = decide(ordered().state, { type: 'released', mapVersion: 7, systems: 3, knocking }, startedAt);
    expect(actions).toContainEqual({ do: 'say', line });
  });

  it('that were carried out before a restart and are still listed are reported again', () => {
    const done = through(ordered(), { type: 'released', mapVersion: 7, systems: 3, knocking: true });
    const again = told(anAgent(aLedger(rememberedOf(done.state)), { version: 2, mapVersion: 7 }), acknowledged(2, 1));

    const reports = [
      { n: 0, type: 'node.ready' },
      { n: 1, type: 'node.released', mapVersion: 7 },
    ];
    expect(last(again)).toEqual([{ do: 'report', incarnation: 2, reports }]);
  });

  it('outlive a restart of the agent', () => {
    const again = anAgent(aLedger({ ...rememberedOf(ordered().state) }), { version: 2, mapVersion: 6 });
    const member = told(again, acknowledged(2, 1));
    expect(last(member)).toContainEqual({ do: 'release', orders: [order], mapVersion: 7 });
  });
});

describe('a report', () => {
  it('is kept until Muster has it, under the same number', () => {
    const up = told(told(told(anAgent(), joined), tick, 1), acknowledged());
    const lost = told(up, { type: 'unreachable', call: 'report', why: 'gone', random: 0.5 });
    expect(last(told(beating(lost), beaten()))).toEqual([{ do: 'report', incarnation: 1, reports: [{ n: 0, type: 'node.ready' }] }]);
  });

  it('that Muster will never understand is dropped', () => {
    const up = told(told(told(anAgent(), joined), tick, 1), acknowledged());
    const dropped = told(up, refused('report', 'unknown-type', { status: 422 }));
    expect(dropped.state.reports.out).toEqual([]);
    expect(last(told(beating(dropped), beaten()))).toEqual([]);
  });
});

describe('what belongs into the ledger', () => {
  it('is what Muster made of the node, and its orders', () => {
    expect(rememberedOf(aMember().state)).toEqual({
      node,
      zone,
      incarnation: 1,
      generation: 1,
      desired: { rev: 0, release: [], released: 0 },
    });
  });
});
