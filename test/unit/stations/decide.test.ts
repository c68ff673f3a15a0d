import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Hears, hearsOf, isHeardIn } from '../../../events/reported/hears.ts';
import { Fqdn, NodeId, ZoneName } from '../../../lib/core/ids.ts';
import { type EpochMs, plusMs } from '../../../lib/core/time.ts';
import { decide, differenceOf, type StationsInput } from '../../../lib/stations/decide.ts';
import { heldByStations, majorityOf, quorumOf, rightOf } from '../../../lib/stations/rows/quorum.ts';
import { leaseMs, Stations, takeOverMs } from '../../../lib/stations/stations.ts';

const zone = ZoneName.parse('lab');
const noon = 1_800_000_000_000 as EpochMs;
const host = (n: number): Fqdn => Fqdn.parse(`ts${n}.acme.org`);
const nodeOf = (n: number): NodeId => NodeId.parse(`n${String(n).padStart(16, '0')}`);
const hosts = (n: number): Fqdn[] => Array.from({ length: n }, (_, i) => host(i + 1));

const named = (n: number, update = false, list = hosts(n)): StationsInput => ({
  type: 'name',
  id: 'n',
  zone,
  hosts: list,
  update,
  by: 'operator',
});
const beat = (n: number, at: EpochMs, hears?: Hears): Extract<StationsInput, { type: 'beat' }> => ({
  type: 'beat',
  id: `b${n}`,
  host: host(n),
  node: nodeOf(n),
  at,
  hears,
});

/** Stations driven input by input, with what was published. */
class Site {
  state: Stations | undefined;
  now = noon;
  events: { type: string; data: unknown }[] = [];
  writes = 0;

  does(input: StationsInput | { type: 'tick'; graceUntil?: EpochMs }): string {
    const decision = decide(this.state, input, this.now);
    if (decision.does !== 'write') return decision.because;
    this.state = Stations.parse(decision.next);
    this.events.push(...decision.events);
    this.writes++;
    return decision.because;
  }
  name = (n: number, update = false, list?: Fqdn[]) => this.does(named(n, update, list));
  beat = (n: number, hears?: Hears) => this.does(beat(n, this.now, hears));
  tick = () => this.does({ type: 'tick' });
  later(ms: number): this {
    this.now = plusMs(this.now, ms);
    return this;
  }
  get types() {
    return this.events.map(({ type }) => type);
  }
}
const site = (n: number): Site => {
  const one = new Site();
  one.name(n);
  return one;
};
const quorate = (n: number): Site => {
  const one = site(n);
  for (let i = 1; i <= n; i++) one.beat(i);
  return one;
};

describe('a majority', () => {
  it('is of all that are named: of 1 it is 1, of 2 and 3 it is 2, of 4 and 5 it is 3', () => {
    expect([1, 2, 3, 4, 5].map(majorityOf)).toEqual([1, 2, 2, 3, 3]);
  });
});

describe('naming stations', () => {
  it('is done once: the same list in another order is in the group already, and nothing is written', () => {
    const one = quorate(3);
    const { state } = one;
    expect(one.does(named(3, false, [host(3), host(1), host(2), host(1)]))).toBe('they are in the group already');
    expect(one.state).toBe(state);
  });

  it('refuses another list, naming the difference', () => {
    expect(quorate(3).name(3, false, [host(1), host(2), host(4)])).toContain('ts4.acme.org is new; ts3.acme.org is missing');
    expect(differenceOf(['a', 'b'], ['b', 'a'])).toBeUndefined();
  });

  it('changes the set with update, only while a majority of the old one is heard', () => {
    const one = quorate(3);
    expect(one.name(3, true, [host(1), host(2), host(4)])).toContain('ts4.acme.org');
    expect(one.state).toMatchObject({ hosts: [host(1), host(2), host(4)], coordinator: { host: host(1), epoch: 1 } });
    one.later(takeOverMs);
    expect(one.name(3, true)).toContain('a change needs a majority of the present stations: 0 of 3');
  });

  it('takes the coordinator from a host that is none any more, and gives it to another once that one acts no more', () => {
    const one = quorate(3);
    one.name(3, true, [host(2), host(3), host(4)]);
    expect(one.state).toMatchObject({ former: { node: nodeOf(1), until: plusMs(noon, takeOverMs) } });
    expect(one.state?.coordinator).toBeUndefined();
    expect(one.events.at(-1)).toMatchObject({ type: 'coordinator.lost', data: { host: host(1), epoch: 1, by: 'unnamed' } });
    for (const n of [2, 3]) one.later(leaseMs / 2).beat(n);
    expect(one.state?.coordinator).toBeUndefined();
    one.later(takeOverMs - leaseMs).tick();
    expect(one.state?.coordinator).toMatchObject({ host: host(2), epoch: 2 });
  });

  it('gives it to nobody else while who had it before a quorum was lost may act still', () => {
    const one = site(3);
    for (const n of [2, 3]) one.beat(n);
    one.later(leaseMs).beat(2);
    one.later(takeOverMs - leaseMs).tick();
    expect(one.state?.coordinator).toBeUndefined();
    one.beat(1);
    expect(one.state?.coordinator).toMatchObject({ host: host(2), epoch: 2 });
  });

  it('goes on with the number of each start of what coordinates, and with nobody where that was given up', () => {
    const one = quorate(3);
    one.does({ type: 'restarted', node: nodeOf(1), epoch: 2 });
    expect(one.state).toMatchObject({ epoch: 2, coordinator: { host: host(1), epoch: 2 } });
    one.does({ type: 'restarted', node: nodeOf(2), epoch: 3 });
    expect(one.state).toMatchObject({ epoch: 2 });
    one.does({ type: 'unregistered', node: nodeOf(1) });
    expect(one.state?.coordinator).toBeUndefined();
    expect(one.state?.leases[host(1)]).toBeUndefined();
    one.tick();
    expect(one.state?.coordinator).toBeUndefined();
    one.later(1_000).beat(1);
    expect(one.state).toMatchObject({ coordinator: { host: host(1), epoch: 3 }, leases: { [host(1)]: { service: true } } });
  });

  it('to nobody at all leaves no quorum to wait for', () => {
    const one = quorate(3);
    one.does(named(0, true, []));
    expect(one.state?.coordinator).toBeUndefined();
    expect(quorumOf(one.state!, one.now)).toMatchObject({ needed: 0, isQuorate: true });
  });
});

describe('a coordinator', () => {
  it('is there as soon as a majority is heard, and not before: exactly one [story 11]', () => {
    const one = site(3);
    one.beat(2);
    expect(one.state?.coordinator).toBeUndefined();
    one.beat(3);
    expect(one.state?.coordinator).toEqual({ host: host(2), node: nodeOf(2), epoch: 1, since: noon });
    expect(one.types).toEqual(['station.quorate', 'coordinator.elected']);
  });

  it('stays when one that comes before it is heard: nothing flaps', () => {
    const one = site(3);
    for (const n of [2, 3, 1]) one.beat(n);
    for (let i = 0; i < 20; i++) for (const n of [1, 2, 3]) one.later(3_000).beat(n);
    expect(one.state).toMatchObject({ coordinator: { host: host(2), epoch: 1 }, epoch: 1 });
  });

  it('is another after the lease and a tenth of it, and not a moment sooner [story 7]', () => {
    const one = quorate(3);
    one.later(leaseMs - 1_000);
    for (const n of [2, 3]) one.beat(n);
    one.later(takeOverMs - leaseMs + 999).tick();
    expect(one.state?.coordinator).toMatchObject({ host: host(1), epoch: 1 });
    one.later(1).tick();
    expect(one.state?.coordinator).toMatchObject({ host: host(2), epoch: 2 });
    expect(one.types.slice(-2)).toEqual(['coordinator.lost', 'coordinator.elected']);
  });

  it('is none where two and two see each other no more [story 9], and is back under a higher number', () => {
    const one = quorate(4);
    one.later(leaseMs - 1_000);
    for (const n of [1, 2]) one.beat(n);
    one.later(5_000).tick();
    expect(one.state?.coordinator).toBeUndefined();
    expect(one.events.at(-1)).toMatchObject({ type: 'coordinator.lost', data: { by: 'quorum' } });
    one.beat(3);
    expect(one.state?.coordinator).toMatchObject({ host: host(1), epoch: 2 });
  });

  it('is another where it has failed for good, once that acts no more; the one before comes last from then on', () => {
    const one = quorate(3);
    const beats = (ms: number) => {
      for (let at = 0; at < ms; at += 6_000) {
        one.later(6_000);
        for (const n of [1, 2, 3]) one.beat(n);
        one.tick();
      }
    };
    expect(one.does({ type: 'failed', node: nodeOf(2), epoch: 1 })).toContain('does not coordinate');
    one.does({ type: 'failed', node: nodeOf(1), epoch: 1 });
    expect(one.state?.coordinator).toMatchObject({ host: host(1), epoch: 1 });
    one.tick();
    expect(one.state?.coordinator).toBeUndefined();
    expect(one.state?.former).toEqual({ node: nodeOf(1), until: plusMs(noon, takeOverMs) });
    expect(one.events.at(-1)).toMatchObject({ type: 'coordinator.lost', data: { host: host(1), by: 'failed' } });
    beats(30_000);
    expect(one.state?.coordinator).toBeUndefined();
    beats(60_000);
    expect(one.state?.coordinator).toMatchObject({ host: host(2), epoch: 2 });
    one.does({ type: 'failed', node: nodeOf(2), epoch: 2 });
    beats(60_000);
    expect(one.state?.coordinator).toMatchObject({ host: host(3), epoch: 3 });
    // All have failed: it stays, and does not go round.
    one.does({ type: 'failed', node: nodeOf(3), epoch: 3 });
    const told = one.events.length;
    beats(600_000);
    expect(one.state?.coordinator).toMatchObject({ host: host(3), epoch: 3 });
    expect(one.events.length).toBe(told);
  });

  it('that has failed for good stays while nobody else is heard, and comes first again once it was away or has begun again', () => {
    const one = site(1);
    one.beat(1);
    one.does({ type: 'failed', node: nodeOf(1), epoch: 1 });
    one.tick();
    expect(one.state).toMatchObject({ coordinator: { host: host(1), epoch: 1 }, leases: { [host(1)]: { failed: true } } });
    one.does({ type: 'restarted', node: nodeOf(1), epoch: 2 });
    expect(one.state?.leases[host(1)]?.failed).toBeUndefined();
    one.does({ type: 'failed', node: nodeOf(1), epoch: 2 });
    one.later(10_000).beat(1);
    one.later(15_000).beat(1);
    expect(one.state?.leases[host(1)]?.failed).toBe(true);
    one.later(takeOverMs).beat(1);
    expect(one.state?.leases[host(1)]?.failed).toBeUndefined();
  });

  it('is lost by no grace: whoever slept has heard nobody', () => {
    const one = quorate(3);
    one.later(600_000);
    one.does({ type: 'tick', graceUntil: plusMs(one.now, 30_000) });
    expect(one.state?.coordinator).toMatchObject({ epoch: 1 });
    one.beat(2);
    expect(one.state?.coordinator).toMatchObject({ host: host(1), epoch: 1 });
  });
});

describe('a lease', () => {
  it('is renewed by each heartbeat once, although the row of its node may not know that one', () => {
    const one = quorate(3);
    const said = (incarnation: number, seq: number): string => one.does({ ...beat(1, one.now), heartbeat: { incarnation, seq } });
    one.later(leaseMs / 2);
    expect(said(2, 10)).toContain('renewed its lease');
    one.later(leaseMs / 2);
    expect([said(2, 10), said(2, 9)]).toEqual(Array(2).fill('this heartbeat of ts1.acme.org was heard before'));
    expect(said(2, 11)).toContain('renewed its lease');
    one.later(leaseMs / 2);
    expect(said(3, 1)).toContain('renewed its lease');
    one.later(leaseMs / 2);
    expect(one.beat(1)).toContain('renewed its lease');
  });

  it('is written once half of it has passed, or with news: not at each beat', () => {
    const one = quorate(3);
    const hears = hearsOf(8, [0, 3]);
    const before = one.writes;
    for (let s = 0; s < 120; s += 10) {
      one.later(10_000);
      for (const n of [1, 2, 3]) one.beat(n);
    }
    expect(one.writes - before).toBe(18);
    one.later(1_000).beat(1, hears);
    expect(one.state?.leases[host(1)]?.hears).toEqual(hears);
  });

  it('is of a station alone: any other host changes nothing', () => {
    const one = quorate(3);
    expect(one.beat(9)).toBe('ts9.acme.org is not a station');
  });
});

describe('a silent node', () => {
  const heardBy = (...who: (readonly number[] | undefined)[]): Stations => {
    const one = site(who.length);
    for (const [n, indexes] of who.entries()) if (indexes) one.beat(n + 1, hearsOf(8, indexes));
    return one.state!;
  };

  it.each([
    ['a majority does not hear it', heardBy([1], [1], [5]), undefined],
    ['all hear it', heardBy([5], [5], [5]), '3 of 3 hear it (ts1.acme.org, ts2.acme.org, ts3.acme.org)'],
    ['one hears it and two do not: they are a majority', heardBy([5], [], []), undefined],
    ['two hear it', heardBy([5], [5], []), '2 of 3 hear it (ts1.acme.org, ts2.acme.org)'],
    ['one does not hear it, and another is not heard itself', heardBy([], [5], undefined), '1 of 3 hear it'],
    ['no majority is heard', heardBy([], undefined, undefined), '1 of 3 stations is heard, 2 are needed'],
  ])('where %s', (_, stations, says) => {
    const held = heldByStations(stations, { id: nodeOf(9), index: 5 }, noon);
    if (says === undefined) expect(held).toBeUndefined();
    else expect(held).toContain(says);
  });

  it('is not spoken for by itself, nor against, where it is a station', () => {
    const held = (stations: Stations) => heldByStations(stations, { id: nodeOf(3), index: 5 }, noon);
    expect(held(heardBy([], [], [5]))).toBeUndefined();
    expect(held(heardBy([5], [5], [5]))).toContain('2 of 3 hear it (ts1.acme.org, ts2.acme.org)');
    expect(held(heardBy([], undefined, []))).toContain('1 of 3 do not hear it either, 2 are needed');
  });

  it('is held by so many stations that not all are named', () => {
    const held = heldByStations(heardBy([5], [5], [5], [5], [5], [5], [5]), { id: nodeOf(9), index: 5 }, noon);
    expect(held).toContain('7 of 7 hear it (ts1.acme.org, ts2.acme.org, ts3.acme.org, ts4.acme.org, ts5.acme.org and 2 more)');
  });

  it('of which no station was told yet is held', () => {
    expect(heldByStations(heardBy([], [], []), { id: nodeOf(9), index: 8 }, noon)).toContain('0 of 3 do not hear it either');
  });
});

type Step = { is: 'beat' | 'later' | 'tick' | 'update' | 'given up' | 'failed'; n: number };
/**
 * Mostly stations are heard, and little time passes, so that somebody coordinates and may act still when the set
 * changes, the quorum is lost, or a node is given up.
 */
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ is: fc.constant('beat' as const), n: fc.integer({ min: 1, max: 6 }) }) },
    { weight: 3, arbitrary: fc.record({ is: fc.constant('later' as const), n: fc.integer({ min: 1, max: 8 }) }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant('later' as const), n: fc.integer({ min: 20, max: 40 }) }) },
    { weight: 2, arbitrary: fc.record({ is: fc.constant('tick' as const), n: fc.constant(0) }) },
    { weight: 2, arbitrary: fc.record({ is: fc.constant('update' as const), n: fc.integer({ min: 0, max: 63 }) }) },
    { weight: 1, arbitrary: fc.record({ is: fc.constant('given up' as const), n: fc.integer({ min: 1, max: 6 }) }) },
    { weight: 2, arbitrary: fc.record({ is: fc.constant('failed' as const), n: fc.integer({ min: 1, max: 6 }) }) },
  ),
  { minLength: 20, maxLength: 80, size: 'max' },
);

/** One step of a history drawn by chance. */
function take(one: Site, { is, n }: Step): void {
  if (is === 'beat') one.beat(n);
  else if (is === 'later') one.later(n * 1_000);
  else if (is === 'tick') one.tick();
  else if (is === 'failed') one.does({ type: 'failed', node: nodeOf(n), epoch: one.state!.epoch });
  else if (is === 'given up') one.does({ type: 'unregistered', node: nodeOf(n) });
  else
    one.name(
      0,
      true,
      hosts(6).filter((_, i) => (n >> i) & 1),
    );
}

/** What the agent of a station is answered: until when it may act, which it does by what it was answered last. */
function answer({ state, now }: Site, n: number, acts: Map<string, EpochMs>): void {
  const told = state && rightOf(state, nodeOf(n), now);
  acts.set(nodeOf(n), told?.coordinates ? plusMs(now, told.leaseMs) : now);
}

/** Whether there is to be a coordinator once time has passed: with a majority, unless somebody else may act still. */
const isLed = ({ state, now }: Site): boolean =>
  quorumOf(state!, now).isQuorate && state!.hosts.length > 0 && !(state!.former && state!.former.until > now);

describe('whatever happens', () => {
  it('epochs only grow, no two act at once, each has one holder, and there is a coordinator only with a majority', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), steps, (n, all) => {
        const one = site(n);
        const holders = new Map<number, string>();
        const acts = new Map<string, EpochMs>();
        let highest = 0;
        for (const step of all) {
          take(one, step);
          if (step.is === 'beat') answer(one, step.n, acts);
          expect([...acts.values()].filter((until) => until > one.now).length).toBeLessThanOrEqual(1);
          const { coordinator, epoch } = one.state!;
          expect(epoch).toBeGreaterThanOrEqual(highest);
          highest = epoch;
          if (coordinator) expect([coordinator.epoch, holders.get(epoch) ?? coordinator.node]).toEqual([epoch, coordinator.node]);
          if (coordinator) holders.set(epoch, coordinator.node);
          if (step.is === 'tick') expect(coordinator !== undefined).toBe(isLed(one));
        }
      }),
    );
  });
});

describe('whom a station hears', () => {
  it('is one bit for each index, and nothing is said of those that it was not told of', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), fc.uniqueArray(fc.integer({ min: 0, max: 300 })), (size, heard) => {
        const hears = hearsOf(size, heard);
        for (let index = 0; index <= 300; index++) expect(isHeardIn(hears, index)).toBe(index >= size ? undefined : heard.includes(index));
      }),
    );
  });
});
