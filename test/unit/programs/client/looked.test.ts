import { describe, expect, it } from 'vitest';
import type { Input } from '../../../../programs/client/hear.ts';
import { lookEveryMs, steadyMs } from '../../../../programs/client/looked.ts';
import { firstState, recordOf } from '../../../../programs/client/state.ts';
import { byte, driven, last, node1, node2, noPlace, place, startedAt, type Told, through, told } from './told.ts';

const tick: Input = { type: 'tick' };
const up: Input = { type: 'looked', fqdn: node1, ran: { ok: true }, random: 0.5 };
const down: Input = { type: 'looked', fqdn: node1, ran: { ok: false, why: 'salt-minion.service is inactive' }, random: 0.5 };
const unseen: Input = { type: 'looked', fqdn: node1, ran: undefined, random: 0.5 };
const looks = [{ do: 'look', fqdn: node1 }];
const starts = [{ do: 'start', fqdn: node1 }];

/** A daemon whose minion works for node1; Muster calls it again in two hours. */
const working = (): Told => {
  const begins = told({ state: firstState({ phase: 'unheard' }, startedAt, undefined, true), did: [], at: startedAt }, tick);
  return through(begins, byte('knock', '2'), place(node1), driven(true), byte('knock', '1', { nextMs: 7_200_000 }));
};
/** Only what concerns the driver: the node is watched besides. */
const did = (daemon: Told) => last(daemon).filter((one) => one.do === 'look' || one.do === 'start' || one.do === 'stop');
/** The minion ends: two looks find it down. */
const dies = (daemon: Told, afterMs: number = lookEveryMs): Told => told(told(told(told(daemon, tick, afterMs), down), tick, 5_000), down);
const restarts = (daemon: Told): Told => told(told(daemon, tick, 60_000), driven(true));

describe('what a daemon drives', () => {
  it('is looked at twice a minute', () => {
    const looking = told(working(), tick, lookEveryMs);
    expect(did(looking)).toEqual(looks);
    expect(did(told(looking, tick, lookEveryMs))).toEqual([]);
    expect(did(told(told(looking, up), tick, lookEveryMs))).toEqual(looks);
  });

  it('is started again when it is found down twice, and Muster is told of it anew', () => {
    const once = told(told(working(), tick, lookEveryMs), down);
    expect(once.state.drive.is).toBe('on');
    const died = told(told(once, tick, 5_000), down);
    expect(died.state).toMatchObject({ drive: { is: 'unsure' }, died: { times: 1, why: 'salt-minion.service is inactive' } });
    const starting = told(died, tick, 60_000);
    expect(did(starting)).toEqual(starts);
    expect(last(told(starting, driven(true)))).toContainEqual({ do: 'knock', lost: false, confirmed: node1 });
  });

  it('is left alone when it was restarted meanwhile, or cannot be looked at', () => {
    for (const look of [up, unseen]) {
      const again = told(told(told(told(working(), tick, lookEveryMs), down), tick, 5_000), look);
      expect(again.state).toMatchObject({ drive: { is: 'on' }, look: { misses: 0 } });
      expect(again.state.died).toBeUndefined();
    }
  });

  it('is started with growing pauses when it ends again and again, until it has stayed up', () => {
    let daemon = working();
    const pauses: number[] = [];
    for (let n = 0; n < 6; n++) {
      daemon = dies(daemon);
      pauses.push((daemon.state.drive as { notBefore: number }).notBefore - daemon.at);
      daemon = restarts(daemon);
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000]);
    expect(recordOf(daemon.state).died).toMatchObject({ times: 6 });

    daemon = told(told(daemon, tick, steadyMs), up);
    expect(daemon.state.died).toBeUndefined();
    daemon = dies(daemon);
    expect((daemon.state.drive as { notBefore: number }).notBefore - daemon.at).toBe(1_000);
  });

  it('is not looked at by a driver that cannot tell', () => {
    const begins = told({ state: firstState({ phase: 'unheard' }, startedAt), did: [], at: startedAt }, tick);
    const daemon = through(begins, byte('knock', '2'), place(node1), driven(true), byte('knock', '1', { nextMs: 7_200_000 }));
    expect(did(told(daemon, tick, 3_600_000))).toEqual([]);
  });

  it('is for another node by the time that a look ends: what it found does not count', () => {
    const looking = told(working(), tick, lookEveryMs);
    const moved = through(looking, { type: 'knock-now' }, byte('knock', '2'), place(node2), driven(true), driven(true));
    const after = told(moved, down);
    expect(after.state).toMatchObject({ drive: { is: 'on', fqdn: node2 }, look: { misses: 0, checking: false } });
  });

  it('has not ended by itself when the daemon has stopped it', () => {
    const died = dies(working());
    const stopped = through(died, { type: 'knock-now' }, byte('knock', '2'), noPlace(), driven(true));
    expect(stopped.state.drive.is).toBe('off');
    expect(recordOf(stopped.state).died).toBeUndefined();
  });
});
