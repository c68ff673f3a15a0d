import { describe, expect, it } from 'vitest';
import type { Fqdn } from '../../../../lib/core/ids.ts';
import { minuteMs } from '../../../../lib/core/time.ts';
import { decide } from '../../../../lib/stations/site-orders/decide.ts';
import { decideOrder } from '../../../../lib/stations/site-orders/order.ts';
import type { Power, SiteOrders } from '../../../../lib/stations/site-orders/site-orders.ts';
import { defaultZone } from '../../../../lib/zones/zone.ts';
import { at, nodeId, noon } from '../../../../tools/support/builders.ts';

const host = 'ssu1.acme.org' as Fqdn;
const ground = {
  acting: { node: nodeId(1), epoch: 1 },
  status: 'down' as const,
  hosts: 4,
  bmc: { host, address: '192.0.2.7', user: 'admin', secret: 'bmc/ssu1' },
  answerMs: 90_000,
};
const ordersWith = (auto: Power['auto']): SiteOrders => ({
  zone: defaultZone,
  bmcs: [],
  last: 0,
  waiting: [],
  ended: [],
  cycled: [],
  wanted: [{ host, node: nodeId(2), since: noon }],
  power: { everyMs: minuteMs, auto },
});

describe('an order by rule', () => {
  it.each([
    ['off', false],
    ['off', true],
    ['dry-run', false],
    ['on', true],
  ] as const)('is none any more where the rule has become %s since (as a dry run: %s)', (auto, dryRun) => {
    const wish = { host, by: 'rule' as const, dryRun, force: false };
    expect(decideOrder(ordersWith(auto), wish, ground, noon)).toMatchObject({ does: 'refuse', because: `the rule is ${auto} by now` });
  });

  it.each([
    ['dry-run', true],
    ['on', false],
  ] as const)('is given where the rule is %s', (auto, dryRun) => {
    const decided = decideOrder(ordersWith(auto), { host, by: 'rule', dryRun, force: false }, ground, noon);
    expect(decided).toMatchObject({ does: 'write', ordered: { order: { host, dryRun } } });
  });
});

describe('how hosts are power-cycled', () => {
  it('is not said by a call that says nothing: no default begins to count by it', () => {
    const empty = { type: 'configure' as const, zone: defaultZone };
    expect(decide(undefined, { ...empty, power: {} }, noon)).toMatchObject({ does: 'nothing' });
    expect(decide(undefined, { ...empty, bmcs: [] }, noon)).toMatchObject({ does: 'write', next: { power: { auto: 'off' } } });
  });
});

describe('an order that is refused', () => {
  const given = (orders: SiteOrders, seconds: number) =>
    decideOrder(orders, { host, by: 'operator', dryRun: false, force: false }, ground, at(seconds));
  function ended(orders: SiteOrders, seconds: number, outcome: 'done' | 'refused'): SiteOrders {
    const decided = given(orders, seconds);
    if (decided.does !== 'write') throw new Error(decided.because);
    const { n, node, epoch } = decided.ordered.order;
    const over = decide(decided.next, { type: 'answered', n, node, epoch, outcome, says: '' }, at(seconds + 10));
    if (over.does !== 'write') throw new Error(over.because);
    return over.next;
  }

  it('counts for nothing, and what was before it counts all the same', () => {
    expect(given(ended(ordersWith('off'), 0, 'refused'), 20)).toMatchObject({ does: 'write' });
    const orders = ended(ended(ordersWith('off'), 0, 'done'), 120, 'refused');
    expect(given(orders, 180)).toMatchObject({ does: 'write' });
    const rarely: SiteOrders = { ...orders, power: { ...orders.power!, everyMs: 10 * minuteMs } };
    expect(given(rarely, 180)).toMatchObject({ does: 'refuse', because: expect.stringContaining('was power-cycled at') });
    const others = { ...ground, hosts: 2, bmc: { ...ground.bmc, host: 'ssu2.acme.org' as Fqdn } };
    expect(decideOrder(orders, { host: others.bmc.host, by: 'operator', dryRun: false, force: false }, others, at(180))).toMatchObject({
      does: 'refuse',
      because: '1 hosts were power-cycled within the hour: at most 1 of 2 may be',
    });
  });

  it('is told apart from one host that was power-cycled twice, which is one', () => {
    const orders = ended(ended(ordersWith('off'), 0, 'done'), 120, 'done');
    const bmc = { ...ground.bmc, host: 'ssu2.acme.org' as Fqdn };
    expect(decideOrder(orders, { host: bmc.host, by: 'operator', dryRun: false, force: false }, { ...ground, bmc }, at(180)).does).toBe(
      'write',
    );
  });
});
