import { describe, expect, it } from 'vitest';
import { hourMs } from '../../../../lib/core/time.ts';
import type { Input } from '../../../../programs/client/hear.ts';
import { recordOf } from '../../../../programs/client/state.ts';
import { aDaemon, byte, driven, failed, last, node1, node2, noPlace, onboarded, place, startedAt, through, told, watch } from './told.ts';

describe('a daemon that nobody accepted', () => {
  it('knocks when it starts', () => {
    expect(last(aDaemon())).toEqual([{ do: 'knock', lost: false }]);
  });

  it('knocks again when Muster said, and not before', () => {
    const waiting = told(aDaemon(), byte('knock', '0', { nextMs: 5_000 }));

    expect(waiting.state.wakeAt).toBe(startedAt + 5_000);
    expect(last(told(waiting, { type: 'tick' }, 4_999))).toEqual([]);
    expect(last(told(waiting, { type: 'tick' }, 5_000))).toEqual([{ do: 'knock', lost: false }]);
  });

  it('calls again within two days, whatever it is told', () => {
    const waiting = told(aDaemon(), byte('knock', '0', { nextMs: Number.MAX_SAFE_INTEGER }));
    expect(waiting.state.wakeAt).toBe(startedAt + 36 * hourMs);
    const passed = told(through(aDaemon(), byte('knock', '2')), { ...noPlace(), nextMs: Number.POSITIVE_INFINITY } as Input);
    expect(passed.state.wakeAt).toBe(startedAt + 36 * hourMs);
  });

  it('asks for its node at once when it is accepted', () => {
    expect(last(told(aDaemon(), byte('knock', '2')))).toEqual([{ do: 'orphan', token: 'token-1' }]);
  });
});

describe('a daemon that is told its node', () => {
  it('starts what it drives, and confirms once that has succeeded', () => {
    const starting = through(aDaemon(), byte('knock', '2'), place(node1));
    expect(last(starting)).toEqual([{ do: 'start', fqdn: node1 }]);

    const confirming = told(starting, driven(true));
    expect(last(confirming)).toEqual([{ do: 'knock', lost: false, confirmed: node1 }]);

    const done = told(confirming, byte('knock', '1', { nextMs: 900_000 }));
    expect(done.state.phase).toBe('onboarded');
    expect(done.state.call).toEqual({ name: 'status', at: startedAt + 900_000 });
  });

  it('does not confirm what the driver failed at, and tries the driver again with a pause', () => {
    const unsure = through(aDaemon(), byte('knock', '2'), place(node1), driven(false));
    expect(last(unsure)).toEqual([]);

    const again = told(unsure, { type: 'tick' }, 1_000);
    expect(last(again)).toEqual([{ do: 'start', fqdn: node1 }]);
    expect(last(told(again, driven(true)))).toEqual([{ do: 'knock', lost: false, confirmed: node1 }]);
  });

  it('waits with its next question when its confirmation is not taken', () => {
    const refused = through(aDaemon(), byte('knock', '2'), place(node1), driven(true), byte('knock', '2', { nextMs: 5_000 }));

    expect(last(refused)).toEqual([]);
    expect(refused.state.drive.is).toBe('on');
    expect(last(told(refused, { type: 'tick' }, 5_000))).toEqual([{ do: 'orphan', token: 'token-1' }]);
  });

  it('asks at once for another when its confirmation is not taken and nobody hears that node any more', () => {
    const refused = through(aDaemon(), byte('knock', '2'), place(node1), driven(true), byte('knock', '2', { nextMs: 90_000 }));
    const missed = (daemon: ReturnType<typeof told>) => {
      const looking = told(daemon, { type: 'tick' }, 30_000);
      return told(looking, { type: 'watched', fqdn: node1, ok: false, random: 0.5 });
    };
    const lost = missed(missed(refused));
    expect(last(lost)).toContainEqual({ do: 'knock', lost: true });

    expect(last(told(lost, byte('knock', '2', { nextMs: 90_000 })))).toContainEqual(expect.objectContaining({ do: 'orphan' }));
  });

  it('stops before it starts for another node, when the place changes under it', () => {
    const refused = through(aDaemon(), byte('knock', '2'), place(node1), driven(true), byte('knock', '2', { nextMs: 5_000 }));
    const moved = told(told(refused, { type: 'tick' }, 5_000), place(node2));
    expect(last(moved)).toEqual([{ do: 'stop' }]);

    expect(last(told(moved, driven(true)))).toEqual([{ do: 'start', fqdn: node2 }]);
  });
});

describe('an onboarded daemon', () => {
  it('shows a sign of life with its token when Muster said', () => {
    expect(last(told(onboarded(), { type: 'tick' }, 900_000))).toContainEqual({ do: 'status', token: 'token-3' });
  });

  it('stops what it drives as soon as it is an orphan, and asks for another node', () => {
    const asking = told(onboarded(), { type: 'tick' }, 900_000);
    const orphan = told(asking, byte('status', '2'));
    expect(last(orphan)).toEqual([{ do: 'stop' }, { do: 'orphan', token: 'token-1' }]);
    expect(recordOf(orphan.state)).toEqual({ phase: 'orphan', token: 'token-1', driven: node1 });
  });

  it('is not moved by a Muster that cannot be reached', () => {
    const asking = told(onboarded(), { type: 'tick' }, 900_000);
    const away = told(asking, failed('status'));

    expect(away.state.phase).toBe('onboarded');
    expect(away.state.drive).toEqual(asking.state.drive);
    expect(away.state.call).toEqual({ name: 'status', at: away.at + 1_000 });
  });

  it('waits longer after each failure, and as long as Muster asks', () => {
    let daemon = told(onboarded(), { type: 'tick' }, 900_000);
    const waits: number[] = [];
    for (const retryAfterMs of [0, 0, 0, 0, 0, 0, 0, 120_000]) {
      daemon = told(daemon, failed('status', retryAfterMs));
      waits.push(daemon.state.call.at - daemon.at);
      daemon = told(daemon, { type: 'tick' }, daemon.state.call.at - daemon.at);
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 126_000]);
  });

  it('knocks now when asked to, after the call that is under way', () => {
    expect(last(told(onboarded(), { type: 'knock-now' }))).toEqual([{ do: 'knock', lost: false, confirmed: node1 }]);

    const asking = told(onboarded(), { type: 'tick' }, 900_000);
    const asked = told(asking, { type: 'knock-now' });
    expect(last(asked)).toEqual([]);
    expect(last(told(asked, byte('status', '1')))).toEqual([{ do: 'knock', lost: false, confirmed: node1 }]);
  });

  it('that unregistered machines become waits for its turn, with nothing running', () => {
    const orphan = told(told(onboarded(), { type: 'tick' }, 900_000), byte('status', '2'));
    const waiting = told(told(orphan, driven(true)), noPlace(7_000));

    expect(waiting.state).toMatchObject({ phase: 'orphan', drive: { is: 'off' }, call: { name: 'orphan', at: waiting.at + 7_000 } });
    expect(waiting.state.place).toBeUndefined();
  });
});

describe('a daemon whose token does not hold any more', () => {
  const asking = () => told(onboarded(), { type: 'tick' }, 900_000);

  it('knocks when Muster said, instead of asking for its node with it again', () => {
    const orphan = told(asking(), { ...byte('status', '2', { nextMs: 5_000 }), knock: true } as Input);
    expect(orphan.state).toMatchObject({ phase: 'orphan', call: { name: 'knock', at: orphan.at + 5_000 } });
    expect(last(orphan)).toEqual([{ do: 'stop' }]);

    const knocking = told(told(orphan, driven(true)), { type: 'tick' }, 5_000);
    expect(last(knocking)).toEqual([{ do: 'knock', lost: false }]);
    expect(last(told(knocking, byte('knock', '2', { token: 'token-4' })))).toEqual([{ do: 'orphan', token: 'token-4' }]);
  });

  it('goes on as it is where Muster still knows its place, and knocks for another token', () => {
    const known = told(asking(), { ...byte('status', '1', { nextMs: 5_000 }), knock: true } as Input);

    expect(known.state).toMatchObject({ phase: 'onboarded', drive: { is: 'on' }, call: { name: 'knock', at: known.at + 5_000 } });
    expect(last(told(known, { type: 'tick' }, 5_000))).toContainEqual({ do: 'knock', lost: false, confirmed: node1 });
  });

  it('knocks after the question for its node, too', () => {
    const passed = told(told(asking(), byte('status', '2')), { ...noPlace(5_000), knock: true } as Input);
    expect(passed.state.call).toEqual({ name: 'knock', at: passed.at + 5_000 });

    const placed = told(told(asking(), byte('status', '2')), { ...place(node2, 5_000), knock: true } as Input);
    expect(placed.state).toMatchObject({ phase: 'told', call: { name: 'knock', at: placed.at + 5_000 } });
  });
});

describe('a daemon that is passed over', () => {
  it('knocks after every fourth time, with the token it has', () => {
    let daemon = told(aDaemon(), byte('knock', '2'));
    const calls: unknown[] = [];
    for (let times = 0; times < 9; times++) {
      daemon = told(told(daemon, noPlace(7_000)), { type: 'tick' }, 7_000);
      const asked = last(daemon)[0]!.do;
      calls.push(asked);
      if (asked === 'knock') daemon = told(daemon, byte('knock', '2'));
    }
    expect(calls).toEqual(['orphan', 'orphan', 'orphan', 'knock', 'orphan', 'orphan', 'orphan', 'knock', 'orphan']);
  });
});

describe('a daemon that watches its node', () => {
  const missed = { type: 'watched', fqdn: node1, ok: false, random: 0.5 } as const;
  const looking = () => told(onboarded(), { type: 'tick' }, 15_000);

  it('connects to it as often as it was told', () => {
    expect(last(looking())).toEqual([{ do: 'watch', fqdn: node1, watch }]);

    const heard = told(looking(), { ...missed, ok: true });
    expect(heard.state.watching).toEqual({ at: heard.at + 30_000, misses: 0, checking: false });
  });

  it('does nothing upon one miss, and knocks that it is lost upon the second', () => {
    const once = told(looking(), missed);
    expect(last(once)).toEqual([]);

    const twice = told(told(once, { type: 'tick' }, 30_000), missed);
    expect(last(twice)).toEqual([{ do: 'knock', lost: true }]);
    expect(twice.state.phase).toBe('onboarded');
  });

  it('knocks that it is lost at a moment of its own: those of a node that dies do not come all at once', () => {
    const daemons = 600;
    const knockedS = Array.from({ length: daemons }, (_, n) => {
      const toldAt = told(told(aDaemon(), byte('knock', '2')), { ...place(node1), random: n / daemons } as Input);
      const up = through(toldAt, driven(true), byte('knock', '1', { nextMs: 21_600_000 }));
      const first = told(up, { type: 'tick' }, up.state.watching.at - up.at);
      const once = told(first, { ...missed, random: ((n * 7) % daemons) / daemons });
      const twice = told(told(once, { type: 'tick' }, once.state.watching.at - once.at), missed);
      expect(last(twice)).toEqual([{ do: 'knock', lost: true }]);
      return Math.floor((twice.at - startedAt) / 1_000);
    });

    const inSecond = Map.groupBy(knockedS, (second) => second);
    // Spread over an interval of 30 s there are 20 in each; a burst would be all of them.
    expect(Math.max(...[...inSecond.values()].map(({ length }) => length))).toBeLessThanOrEqual(30);
    expect(inSecond.size).toBeGreaterThanOrEqual(30);
  });

  it('knocks once it is heard again, and says where it is', () => {
    const lost = told(told(told(looking(), missed), { type: 'tick' }, 30_000), missed);
    const looked = told(told(lost, byte('knock', '1', { nextMs: 60_000 })), { type: 'tick' }, 30_000);

    const heard = told(looked, { ...missed, ok: true });

    expect(last(heard)).toEqual([{ do: 'knock', lost: false, confirmed: missed.fqdn }]);
  });

  it('says for how long in every call until it is heard again', () => {
    const lost = told(told(told(looking(), missed), { type: 'tick' }, 30_000), missed);
    const answered = told(lost, byte('knock', '1', { nextMs: 5_000 }));
    const asking = told(answered, { type: 'tick' }, 5_000);
    expect(last(asking)).toEqual([{ do: 'status', token: 'token-1', lostMs: 5_000 }]);

    const looked = told(told(asking, byte('status', '1')), { type: 'tick' }, 25_000);
    const heard = told(looked, { ...missed, ok: true });
    expect(heard.state.lostAt).toBeUndefined();
  });

  it('forgets that it was lost once it has another node', () => {
    const lost = told(told(told(looking(), missed), { type: 'tick' }, 30_000), missed);
    const moved = through(lost, byte('knock', '2'), place(node2));

    expect(moved.state.lostAt).toBeUndefined();
    expect(moved.state.watching.misses).toBe(0);
  });
});

describe('a banned machine', () => {
  it('stops what it drives, and ends when that has stopped', () => {
    const banned = told(told(onboarded(), { type: 'tick' }, 900_000), byte('status', '3'));
    expect(last(banned)).toEqual([{ do: 'stop' }]);

    const over = told(banned, driven(true));
    expect(last(over)).toEqual([{ do: 'end' }]);
    expect(over.state.wakeAt).toBeUndefined();
    expect(last(told(over, { type: 'knock-now' }))).toEqual([]);
  });

  it('tries to stop it again when the driver fails', () => {
    const banned = through(told(onboarded(), { type: 'tick' }, 900_000), byte('status', '3'), driven(false));
    expect(last(banned)).toEqual([]);
    expect(last(told(banned, { type: 'tick' }, 1_000))).toEqual([{ do: 'stop' }]);
  });
});

describe('a daemon that starts again', () => {
  it('goes on where it was: starts what it drives, and confirms when that has succeeded', () => {
    const again = aDaemon(recordOf(onboarded().state));
    expect(last(again)).toEqual([
      { do: 'start', fqdn: node1 },
      { do: 'knock', lost: false },
      { do: 'watch', fqdn: node1, watch },
    ]);

    const started = through(again, driven(true), byte('knock', '1'));
    expect(last(started)).toEqual([{ do: 'knock', lost: false, confirmed: node1 }]);
  });

  it('stops what an orphan should not run, whatever became of the earlier daemon', () => {
    expect(last(aDaemon({ phase: 'orphan', token: 'token-9', driven: node1 }))).toEqual([{ do: 'stop' }, { do: 'knock', lost: false }]);
  });

  it('asks for its node when Muster knows its place and it does not', () => {
    const asking = told(aDaemon(), byte('knock', '1'));
    expect(last(asking)).toEqual([{ do: 'orphan', token: 'token-1' }]);
    expect(last(told(asking, place(node1)))).toEqual([{ do: 'start', fqdn: node1 }]);
  });
});

describe('what runs before anybody drove it', () => {
  it('is left alone while the machine waits to be accepted, and is stopped once it is', () => {
    const waiting = told(aDaemon({ phase: 'unheard' }, node1), byte('knock', '0'));
    expect(last(waiting)).toEqual([]);

    const knocking = told(waiting, { type: 'tick' }, 5_000);
    expect(last(told(knocking, byte('knock', '2')))).toEqual([{ do: 'stop' }, { do: 'orphan', token: 'token-1' }]);
  });

  it('is stopped before the daemon of a banned machine ends', () => {
    const banned = told(aDaemon({ phase: 'unheard' }, node1), byte('knock', '3'));
    expect(last(banned)).toEqual([{ do: 'stop' }]);
    expect(last(told(banned, driven(true)))).toEqual([{ do: 'end' }]);
  });

  it('is stopped at once on a machine that has no node, such as after a reboot', () => {
    expect(last(aDaemon({ phase: 'orphan', token: 'token-9' }, node1))).toEqual([{ do: 'stop' }, { do: 'knock', lost: false }]);
  });
});
