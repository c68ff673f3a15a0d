import { describe, expect, it } from 'vitest';
import { DesiredSupervisor } from '../../../../../lib/nodes/desired/desired.ts';
import { heardForMs } from '../../../../../programs/agent/station/rounds.ts';
import { type Absent, SupervisorKeeper } from '../../../../../programs/agent/supervisor/keeper.ts';
import { aStand } from '../station/a-stand.ts';

const [own, other, third] = ['n00000000000000aa', 'n00000000000000bb', 'n00000000000000cc'];
const told = (over: object = {}) =>
  DesiredSupervisor.parse({
    instance: 'abc.1',
    own,
    watches: [
      { node: other, host: 'salt2.acme.org', address: 'b.b:1' },
      { node: third, host: 'salt3.acme.org', address: 'c.c:1', supervisor: true },
    ],
    ...over,
  });

/** A supervisor on a stand, and what it said. */
function watching() {
  const stand = aStand();
  const words: { node: string; service?: string }[][] = [];
  let absent: Absent[] = [];
  const say = (said: readonly { data: object }[]) => {
    for (const { data } of said) words.push((data as { missed: (typeof words)[number] }).missed);
  };
  const { folder, ping, world, settle } = stand;
  const pass = async (ms: number) => {
    await settle();
    await stand.pass(ms);
  };
  const begin = () => new SupervisorKeeper({ folder, ping, world, reporter: { say, written: () => {} }, absent: () => absent });
  const missed = () => words.map((word) => word.map(({ node, service }) => service ?? node));
  const ends = (service: string, since: number): void => {
    absent = [{ service, since } as Absent];
  };
  return { ...stand, pass, begin, words, missed, ends };
}

describe('a supervisor', () => {
  it('says whom it misses once it has looked, and again when that changes', async () => {
    const { begin, open, pass, missed, words } = watching();
    const one = begin();
    open.add('b.b:1').add('c.c:1');
    one.desired(told());
    expect(missed()).toEqual([]);
    await pass(0);
    expect(missed()).toEqual([[]]);
    await pass(60_000);
    expect(missed()).toEqual([[]]);
    open.delete('c.c:1');
    await pass(heardForMs - 1_000);
    expect(missed()).toEqual([[]]);
    await pass(10_000);
    expect(missed()).toEqual([[], [third]]);
    expect(words.at(-1)).toMatchObject([{ node: third, forMs: expect.closeTo(heardForMs, -4) as number }]);
    open.add('c.c:1');
    await pass(10_000);
    expect(missed()).toEqual([[], [third], []]);
  });

  it('gives whoever never answered as much time as whoever has', async () => {
    const { begin, open, pass, missed } = watching();
    open.add('b.b:1');
    const one = begin();
    one.desired(told());
    await pass(heardForMs - 1_000);
    expect(missed()).toEqual([[]]);
    await pass(10_000);
    expect(missed()).toEqual([[], [third]]);
  });

  it('sees which services of its own host do not run, where it watches them', async () => {
    const { begin, open, pass, missed, ends, now } = watching();
    open.add('b.b:1').add('c.c:1');
    const one = begin();
    one.desired(told({ own: undefined }));
    ends('statistics', now());
    await pass(60_000);
    expect(missed()).toEqual([[]]);
    one.desired(told());
    await pass(10_000);
    expect(missed()).toEqual([[], ['statistics']]);
  });

  it('says it again from time to time, also that it misses nobody', async () => {
    const { begin, open, pass, missed } = watching();
    begin().desired(told());
    await pass(15 * 60_000);
    expect(missed()).toEqual([[], [other, third], [other, third]]);
    open.add('b.b:1').add('c.c:1');
    await pass(15 * 60_000);
    expect(missed().slice(3)).toEqual([[], []]);
  });

  it('goes on with what it was told when its agent starts again, and says anew whom it misses', async () => {
    const { begin, open, pass, missed, files } = watching();
    open.add('b.b:1').add('c.c:1');
    begin().desired(told());
    await pass(0);
    const again = begin();
    await pass(0);
    expect(missed()).toEqual([[], []]);
    again.desired(undefined);
    expect([...files.keys()]).toEqual([]);
    expect(again.status()).toEqual({ looks: false, says: 'this host has no supervisor to run' });
    files.set('supervisor.json', '{');
    expect(begin().status().looks).toBe(false);
  });

  it('tells who asks whom it watches and misses', async () => {
    const { begin, open, pass } = watching();
    open.add('b.b:1');
    const one = begin();
    one.desired(told());
    expect(one.status()).toMatchObject({ looks: false, says: expect.stringContaining('no round of pings has ended yet') as string });
    await pass(heardForMs + 10_000);
    expect(one.status()).toEqual({
      looks: true,
      says: 'watches the services of this host, salt2.acme.org\nwatches the supervisors of salt3.acme.org\nmisses salt3.acme.org',
    });
  });
});
