import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BillAsked, type Month, monthsOf } from '../../../../programs/cli/cost/bill.ts';
import { costOf, meters, prices } from '../../../../programs/cli/cost/prices.ts';
import { rhythmOf } from '../../../../programs/cli/cost/rhythm.ts';
import { target } from '../../../../programs/cli/cost/target.ts';
import { units } from '../../../../programs/cli/cost/units.ts';
import { ran } from './a-terminal.ts';

const month = (asked: Partial<BillAsked> = {}, name = 'as deployed'): Month =>
  monthsOf({ ...target, ...asked }).find((one) => one.name === name)!;
const asked = fc.record({
  clients: fc.nat({ max: 3_000_000 }),
  nodes: fc.integer({ min: 1, max: 2_000 }),
  covered: fc.constantFrom(0, 0.5, 1),
  edge: fc.boolean(),
  freeTiers: fc.boolean(),
});
/** Write units of a digest of so many client systems, which grow by steps. */
const digestWrites = (clients: number): number =>
  (units.sizes.digestWrites.find((one) => one.clients >= clients) ?? units.sizes.digestWrites.at(-1)!).writes;
const names = monthsOf(target).map(({ name }) => name);

it('says its default as it is typed', async () => {
  expect((await ran('cost --help')).out).toMatch(/--dead-known-in <span>[\s\S]*\(default: 180s\)/);
});

describe('a bill', () => {
  it('comes to the sum of its items, and of what they are for', () => {
    fc.assert(
      fc.property(asked, fc.constantFrom(...names), (given, name) => {
        const { totalUsd, items, purposes } = month(given, name);
        expect(items.reduce((sum, { usd }) => sum + usd, 0)).toBeCloseTo(totalUsd, 6);
        expect(purposes.reduce((sum, { usd }) => sum + usd, 0)).toBeCloseTo(totalUsd, 6);
        expect(items.every(({ quantity, usd }) => quantity > 0 && usd >= 0)).toBe(true);
      }),
    );
  });

  it('never falls when client systems are added', () => {
    fc.assert(
      fc.property(asked, fc.constantFrom(...names), fc.nat({ max: 1_000_000 }), (given, name, more) => {
        expect(month({ ...given, clients: given.clients + more }, name).totalUsd).toBeGreaterThanOrEqual(
          month(given, name).totalUsd - 1e-9,
        );
      }),
    );
  });

  it('never falls when nodes are added, as long as each new one beats as often as the others', () => {
    const few = fc.integer({ min: 1, max: 499 });
    fc.assert(
      fc.property(asked, few, fc.constantFrom(...names), (given, nodes, name) => {
        // A digest of fewer client systems may be a size smaller, which saves more than the node beside it costs.
        fc.pre(digestWrites(given.clients / nodes) === digestWrites(given.clients / (nodes + 1)));
        expect(month({ ...given, nodes: nodes + 1 }, name).totalUsd).toBeGreaterThanOrEqual(
          month({ ...given, nodes }, name).totalUsd - 1e-9,
        );
      }),
    );
  });

  it('of nobody is what is there at rest, and nothing in the naive design', () => {
    expect(month({ clients: 0, nodes: 0 }).purposes.map(({ of }) => of)).toEqual(['there at rest']);
    expect(month({ clients: 0, nodes: 0 }).totalUsd).toBeLessThan(15);
    expect(month({ clients: 0, nodes: 0 }, 'naive')).toMatchObject({ totalUsd: 0, items: [], purposes: [] });
  });

  it('is less by function URLs by exactly the calls that come by them, their lines in the access log and memory, and has four alarms more', () => {
    const meterOf = ({ items }: Month, meter: string) => items.find((item) => item.meter === meter)?.quantity ?? 0;
    const [api, byUrl] = [month({}, 'direct'), month({}, 'function URLs')];
    expect(meterOf(api, 'api-requests') - meterOf(byUrl, 'api-requests')).toBeCloseTo(
      (rhythmOf(target).heartbeats + rhythmOf(target).statuses) / 1e6,
      6,
    );
    expect(meterOf(byUrl, 'alarm-metrics') - meterOf(api, 'alarm-metrics')).toBe(4);
    expect(meterOf(byUrl, 'write-units')).toBe(meterOf(api, 'write-units'));
    expect(meterOf(byUrl, 'lambda-gb-seconds')).toBeLessThan(meterOf(api, 'lambda-gb-seconds'));
    expect(byUrl.totalUsd).toBeLessThan(api.totalUsd);
    expect(meterOf(byUrl, 'lambda-requests')).toBe(meterOf(api, 'lambda-requests'));
  });

  it('is less where heartbeats are decided by their endpoint, by a message, a run of its consumer and two readings of each', () => {
    const meterOf = ({ items }: Month, meter: string) => items.find((item) => item.meter === meter)!.quantity;
    const [queued, direct] = [month(), month({}, 'direct')];
    const beats = rhythmOf(target).heartbeats / 1e6;
    // One request sends the message, and two fetch and remove it.
    expect(meterOf(queued, 'sqs-requests') - meterOf(direct, 'sqs-requests')).toBeCloseTo(3 * beats, 6);
    expect(meterOf(queued, 'lambda-requests') - meterOf(direct, 'lambda-requests')).toBeCloseTo(beats, 6);
    expect(meterOf(queued, 'read-units') - meterOf(direct, 'read-units')).toBeGreaterThanOrEqual(2 * beats);
    expect(meterOf(queued, 'write-units')).toBe(meterOf(direct, 'write-units'));
    expect(direct.totalUsd).toBeLessThan(queued.totalUsd);
  });

  it('of the naive design is what its beats cost at list prices', () => {
    const beats = (1_000_000 * 730 * 3600) / 60;
    const byHand = 300 + (beats / 1e6 - 300) * 0.9 + (beats / 1e6) * (0.2 + 0.625 + 0.0625) + beats * 0.01 * 0.125 * 13.3334e-6;
    const { items, totalUsd } = month({}, 'naive');
    expect(totalUsd - items.find(({ meter }) => meter === 'out-gb')!.usd).toBeCloseTo(byHand, 4);
  });

  it('counts the edge only where there is one', () => {
    const edgeItems = (edge: boolean) => month({ edge }).items.filter(({ meter }) => /^(edge|filter)-/.test(meter));
    expect(edgeItems(false)).toEqual([]);
    expect(edgeItems(true).map(({ meter }) => meter)).toEqual(meters.filter((meter) => /^(edge|filter)-/.test(meter)));
  });
});

describe('a price', () => {
  it('falls from tier to tier, each for what is in it', () => {
    expect(costOf(prices['us-east-1']['api-requests'], 400e6, false)).toBeCloseTo(300 + 90, 9);
    expect(costOf(prices['us-east-1']['out-gb'], 20_000, false)).toBeCloseTo(10_240 * 0.09 + 9_760 * 0.085, 9);
  });

  it('leaves out what is free only when asked to', () => {
    const { 'lambda-requests': price } = prices['us-east-1'];
    expect([costOf(price, 3e6, false), costOf(price, 3e6, true), costOf(price, 1, true)]).toEqual([0.6000000000000001, 0.4, 0]);
  });

  it('says where it is from and of when, and has a last tier without an end', () => {
    for (const { from, asOf, tiers } of Object.values(prices['us-east-1'])) {
      expect(from).not.toBe('');
      expect(asOf).toMatch(/^20\d\d-\d\d-\d\d$/);
      expect(tiers.map((tier) => 'upTo' in tier).lastIndexOf(false)).toBe(tiers.length - 1);
    }
  });
});

describe('the rhythm', () => {
  it('is that of the protocol: 10 s up to 500 nodes, then 50 heartbeats a second, and a look of each covered client system every 6 h', () => {
    expect(rhythmOf(target)).toMatchObject({ intervalS: 10, deadKnownInS: 162 });
    expect(rhythmOf({ ...target, nodes: 5_000 }).heartbeats).toBe(rhythmOf(target).heartbeats);
    expect(rhythmOf(target).statuses).toBeCloseTo((1_000_000 * 730) / 6, 6);
    expect(rhythmOf({ ...target, covered: 0 })).toMatchObject({ digests: 0, statuses: 1_000_000 * 730 * 4 });
  });
});

describe('muster cost', () => {
  it('looks as recorded', async () => {
    const { out, err, code } = await ran('cost --clients 1000000 --nodes 500 --dead-known-in 180s');
    expect({ err, code }).toEqual({ err: '', code: 0 });
    await expect(out).toMatchFileSnapshot('golden/cost.out');
  });

  it('gives the same as JSON, with its prices', async () => {
    const { out } = await ran('cost --clients 1000000 --nodes 500 --json');
    const body = JSON.parse(out) as { months: Month[]; prices: Record<string, { from: string }> };
    expect(body.months.map(({ totalUsd }) => totalUsd)).toEqual(monthsOf(target).map(({ totalUsd }) => totalUsd));
    expect(Object.keys(body.prices)).toEqual(meters);
  });

  it('says so when death cannot be known as soon as asked', async () => {
    const { out } = await ran('cost --clients 1000 --nodes 1000 --dead-known-in 60s');
    expect(out).toContain('known to be gone after 294 s, not 60 s');
    expect((await ran('cost --clients 1000 --nodes 10')).out).not.toContain(', not ');
  });

  it.each([
    ['cost --clients 1000000', 'nodes'],
    ['cost --clients many --nodes 5', 'whole number'],
    ['cost --clients 5 --nodes 5 --region mars', 'us-east-1'],
    ['cost --clients 5 --nodes 5 --covered 101', 'percent'],
    ['cost --clients 5 --nodes 5 --dead-known-in 0s', 'span'],
  ])('%s › is refused as a usage', async (line, says) => {
    const { err, code } = await ran(line);
    expect(code).toBe(2);
    expect(err).toContain(says);
  });
});
