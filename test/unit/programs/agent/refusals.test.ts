import { describe, expect, it } from 'vitest';
import { acknowledged, aLedger, aMember, anAgent, beaten, beating, joined, last, node, refused, tick, told, zone } from './told.ts';

describe('a refused heartbeat', () => {
  it('send-node-up: says so at once, and goes on counting in the same incarnation', () => {
    const up = told(beating(beatOn(2)), refused('heartbeat', 'send-node-up'));
    expect(last(up)).toEqual([{ do: 'up' }]);
    expect(told(up, acknowledged(1, 1)).state.seq).toBe(3);
    expect(told(up, acknowledged(2, 1)).state.seq).toBe(0);
  });

  it('must-rejoin: flushes, and says which generation it gave up until it is acknowledged', () => {
    const flushed = told(beating(beatOn(1)), refused('heartbeat', 'must-rejoin', { generation: 3 }));
    expect(last(flushed)).toEqual([{ do: 'flush' }, { do: 'up', flushed: 3 }]);
    expect(flushed.state).toMatchObject({ list: { mapVersion: 0 }, desired: { rev: 0, release: [] } });
    expect(flushed.state.list.version).toBeUndefined();

    const again = told(told(flushed, { type: 'not-acknowledged', nextMs: 100 }), tick, 100);
    expect(last(again)).toEqual([{ do: 'up', flushed: 3 }]);
    const member = told(again, acknowledged(2, 4));
    expect(member.state.flushed).toBeUndefined();
    expect(last(member)).toEqual([{ do: 'report', incarnation: 2, reports: [{ n: 1, type: 'node.ready' }] }]);
  });

  it('must-rejoin: waits for what was under way before it asks the same again', () => {
    const reading = beating(told(beating(), beaten({ desired: 5, mapVersion: 7 })));
    const flushed = told(reading, refused('heartbeat', 'must-rejoin', { generation: 1 }));
    const member = told(beating(told(flushed, acknowledged(2, 2))), beaten({ desired: 6, mapVersion: 7 }));
    expect(last(member)).toEqual([]);

    const late = told(member, { type: 'desired', rev: 5, release: [] });
    expect(last(told(beating(late), beaten({ desired: 6, mapVersion: 7 })))).toContainEqual({ do: 'read-desired', rev: 5 });
  });

  it('must-rejoin, again and again: flushes once, and pauses', () => {
    const flushed = told(beating(), refused('heartbeat', 'must-rejoin', { generation: 3 }));
    const again = told(flushed, refused('up', 'must-rejoin', { generation: 3 }));
    expect(last(again)).toEqual([]);
    expect(again.state.line.at).toBe(again.at + 1_000);
  });

  it('must-rejoin without a number: gives up the generation it was', () => {
    expect(last(told(beating(), refused('heartbeat', 'must-rejoin')))).toEqual([{ do: 'flush' }, { do: 'up', flushed: 1 }]);
  });

  it('quarantined: keeps beating, at half the pace', () => {
    const held = told(beating(), refused('heartbeat', 'quarantined'));
    expect(held.state.line.at).toBe(held.at + 20_000);
    expect(last(told(held, tick, 20_000))).toEqual([{ do: 'heartbeat', incarnation: 1, seq: 2, digest: false }]);
    expect(told(beating(held), beaten()).state.quarantined).toBe(false);
  });

  it('removed: ends, and hears nothing any more', () => {
    const over = told(beating(), refused('heartbeat', 'removed', { status: 410 }));
    expect(last(over)).toEqual([{ do: 'end' }]);
    expect(over.state.wakeAt).toBeUndefined();
    expect(last(told(over, tick, 60_000))).toEqual([]);
  });
});

describe('a node that was removed and is started again', () => {
  const startedAgain = () =>
    told(anAgent(aLedger({ node, zone, incarnation: 1, generation: 1 })), refused('up', 'removed', { status: 410 }));

  it('asks once to join, by whatever token it was given since, and goes on as a node that joins as new', () => {
    const asking = startedAgain();
    expect(last(asking)).toEqual([{ do: 'join' }]);
    const back = told(told(asking, joined), tick, 1);
    expect(last(back)).toEqual([{ do: 'up' }]);
    const member = told(told(back, refused('up', 'must-rejoin', { generation: 1 })), acknowledged(2, 2));
    expect(member.state).toMatchObject({ phase: 'member', generation: 2 });
    expect(member.state.sentAway).toBeUndefined();
  });

  it.each(['removed', 'join-denied'])('ends when that is answered %s', (problem) => {
    const over = told(startedAgain(), refused('join', problem));
    expect(last(over)).toEqual([{ do: 'end' }]);
    expect(over.state.wakeAt).toBeUndefined();
  });

  it('asks again while Muster is away, and ends when it is told so once more after it has joined: its name is another’s', () => {
    const away = told(startedAgain(), { type: 'unreachable', call: 'join', why: 'away', random: 0.5 });
    expect(last(told(away, tick, away.state.line.at - away.at))).toEqual([{ do: 'join' }]);
    const joinedBefore = told(told(startedAgain(), joined), tick, 1);
    expect(last(told(joinedBefore, refused('up', 'removed')))).toEqual([{ do: 'end' }]);
  });
});

/** A member after so many answered heartbeats. */
function beatOn(beats: number) {
  let agent = aMember();
  for (let beat = 0; beat < beats; beat++) agent = told(beating(agent), beaten());
  return agent;
}
