import { describe, expect, it } from 'vitest';
import { Acceptance, type Means } from '../../ui/onboarding/systems/acceptance.ts';
import { askedAtOnce, justAccepted, nextToAsk, queryOf, seen, summaryOf } from '../../ui/onboarding/systems/arrivals.ts';
import { type Batch, batchesOf, type Wish } from '../../ui/onboarding/systems/batches.ts';

type Found = Awaited<ReturnType<Means['find']>>['items'][number];
const machine = (n: number, zone?: string, ...suggestedTags: string[]) => ({ fp: `fp${n}`, fqdn: `web${n}.a.org`, zone, suggestedTags });
const machines = (n: number, zone?: string) => Array.from({ length: n }, (_, at) => machine(at, zone)) as unknown as Wish['systems'];
const aWish = (given: Partial<Wish> = {}): Wish => ({
  systems: machines(3),
  zone: undefined,
  tags: [],
  groups: [],
  ownTags: false,
  ...given,
});
const sizes = (wish: Wish) => batchesOf(wish).map(({ systems, zone, tags, earlier }) => [systems.length, zone, tags?.join(' '), earlier]);

describe('a wish to accept', () => {
  it('is carried out by calls of at most 200, which say how many went before', () => {
    expect(sizes(aWish({ systems: machines(450), zone: 'emea', tags: ['web'] }))).toEqual([
      [200, 'emea', 'web', 0],
      [200, 'emea', 'web', 200],
      [50, 'emea', 'web', 400],
    ]);
  });

  it('names no zone where each goes as it asks, and counts what went before by zone', () => {
    const systems = [machine(1, 'emea'), machine(2), machine(3, 'emea')] as unknown as Wish['systems'];
    expect(sizes(aWish({ systems }))).toEqual([
      [2, undefined, '', 0],
      [1, undefined, '', 0],
    ]);
  });

  it('gives each its own tags where that is wished, with one count for the zone', () => {
    const systems = [machine(1, 'emea', 'db', 'b'), machine(2, 'emea', 'b', 'db'), machine(3, 'emea', 'web')] as unknown as Wish['systems'];
    expect(sizes(aWish({ systems, tags: ['rack7'], ownTags: true }))).toEqual([
      [2, undefined, 'rack7 b db', 0],
      [1, undefined, 'rack7 web', 2],
    ]);
  });
});

/** A deployment as these calls see it: what becomes of a machine is read off its number of calls. */
function aDeployment(
  accepts: (fp: string, tries: number) => object,
  finds: (fp: string) => Partial<Found> = () => ({ status: 'onboarded' }),
) {
  const tries = new Map<string, number>();
  const calls: Batch[] = [];
  const took: string[] = [];
  const pauses: number[] = [];
  const acceptance = new Acceptance({
    accept: async (batch) => {
      calls.push(batch);
      return {
        results: batch.systems.map((fp) => {
          tries.set(fp, (tries.get(fp) ?? 0) + 1);
          return { fp, done: false, because: '', ...accepts(fp, tries.get(fp)!) };
        }),
      };
    },
    find: async (query) => ({
      items: query
        .slice('fp:'.length)
        .split(',')
        .map((fp) => ({ fp, fqdn: `${fp}.a.org`, because: 'assigned', ...finds(fp) }) as Found),
    }),
    took: (fps) => took.push(...fps),
    wait: async (ms) => {
      pauses.push(ms);
      await new Promise((resolve) => setImmediate(resolve));
    },
  });
  /** Resolves once nothing is on its way. */
  const settled = async (): Promise<void> => {
    while (acceptance.state().running || summaryOf(acceptance.state().followed).onTheirWay > 0)
      await new Promise((resolve) => setImmediate(resolve));
  };
  return { acceptance, calls, took, pauses, settled };
}

describe('an acceptance', () => {
  it('takes what was accepted off the list and follows it until it is onboarded', async () => {
    const { acceptance, took, settled } = aDeployment(
      () => ({ done: true }),
      () => ({ status: 'onboarded', node: { fqdn: 'n1.a.org' } as NonNullable<Found['node']> }),
    );
    await acceptance.accept(aWish());
    expect(took).toEqual(['fp0', 'fp1', 'fp2']);
    expect(summaryOf(acceptance.state().followed)).toMatchObject({ accepted: 3, onboarded: 0, onTheirWay: 3 });
    await settled();
    expect(summaryOf(acceptance.state().followed)).toEqual({
      accepted: 3,
      onboarded: 3,
      onTheirWay: 0,
      nodes: [{ node: 'n1.a.org', n: 3 }],
    });
  });

  it('looks seldom at those that do not come', async () => {
    let isUp = false;
    const { acceptance, pauses, settled } = aDeployment(
      () => ({ done: true }),
      () => ({ status: isUp ? 'onboarded' : 'orphan' }),
    );
    await acceptance.accept(aWish());
    while (pauses.length < 40) await new Promise((resolve) => setImmediate(resolve));
    isUp = true;
    await settled();
    expect(new Set(pauses.slice(0, 31))).toEqual(new Set([2_000]));
    expect(new Set(pauses.slice(31))).toEqual(new Set([10_000]));
  });

  it('tries those again that were busy, after growing pauses, and leaves them with a reason at last', async () => {
    const { acceptance, calls, pauses } = aDeployment((fp, tries) => (fp === 'fp2' || tries < 2 ? { busy: true } : { done: true }));
    await acceptance.accept(aWish());
    expect(calls.map(({ systems }) => systems.length)).toEqual([3, 3, 1, 1, 1]);
    expect(pauses.filter((ms) => ms !== 2_000)).toEqual([500, 1_000, 4_000]);
    expect([...acceptance.state().refused]).toEqual([['fp2', { is: 'busy', because: 'it is busy: try again' }]]);
  });

  it('keeps the reason of each that was refused until it is tried again', async () => {
    let isFull = true;
    const { acceptance } = aDeployment((fp) => (fp === 'fp1' && isFull ? { full: true, because: 'zone emea is full' } : { done: true }));
    await acceptance.accept(aWish());
    expect([...acceptance.state().refused]).toEqual([['fp1', { is: 'full', because: 'zone emea is full' }]]);
    isFull = false;
    await acceptance.accept(aWish({ systems: [machine(1)] as unknown as Wish['systems'] }));
    expect(acceptance.state().refused.size).toBe(0);
  });

  it('says why a call failed, and carries out what is wished next', async () => {
    let isDown = true;
    const { acceptance } = aDeployment(() => {
      if (isDown) throw new Error('Muster does not answer');
      return { done: true };
    });
    await acceptance.accept(aWish());
    expect(acceptance.state()).toMatchObject({ running: undefined, error: new Error('Muster does not answer') });
    isDown = false;
    await acceptance.accept(aWish());
    expect(acceptance.state()).toMatchObject({ error: undefined });
    expect(acceptance.state().followed.size).toBe(3);
  });

  it('carries out one wish after another, and counts anew once all of the last have arrived', async () => {
    const { acceptance, calls, settled } = aDeployment(() => ({ done: true }));
    await Promise.all([acceptance.accept(aWish()), acceptance.accept(aWish({ systems: [machine(7)] as unknown as Wish['systems'] }))]);
    expect(calls.map(({ systems }) => systems.length)).toEqual([3, 1]);
    expect(acceptance.state().followed.size).toBe(4);
    await settled();
    await acceptance.accept(aWish({ systems: [machine(9)] as unknown as Wish['systems'] }));
    expect([...acceptance.state().followed.keys()]).toEqual(['fp9']);
  });
});

describe('those that are followed', () => {
  const followed = new Map(Array.from({ length: 200 }, (_, n) => [`${n}`, justAccepted({ fp: `${n}`, fqdn: `web${n}` as Found['fqdn'] })]));

  it('are asked about some at a time, all in turn, until they have arrived', () => {
    let now: ReadonlyMap<string, ReturnType<typeof justAccepted>> = followed;
    const asked = new Set<string>();
    for (let round = 0; round < 3; round++) {
      const some = nextToAsk(now);
      expect(some).toHaveLength(askedAtOnce);
      for (const fp of some) asked.add(fp);
      now = seen(now, some, []);
    }
    expect(asked.size).toBe(200);
  });

  it('fit into one query', () => {
    expect(queryOf(Array.from({ length: askedAtOnce }, () => 'f'.repeat(64))).length).toBeLessThanOrEqual(1_200);
  });

  it('stay as they were while search does not know them as accepted', () => {
    const before = new Map([['1', justAccepted({ fp: '1', fqdn: 'web1' as Found['fqdn'] })]]);
    expect([...seen(before, ['1'], [{ fp: '1', fqdn: 'web1', status: 'new', because: 'waits' } as Found])]).toEqual([...before]);
  });
});
