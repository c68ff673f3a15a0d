import { describe, expect, it } from 'vitest';
import { bmcsIn, bmcText } from '../../ui/services/bmcs.ts';
import { filtered, idOf, isGoodDryRun, isOrdered, orderOf, parsedJson, partsOf, quorumText, tallied } from '../../ui/services/listed.ts';

const service = (type: string, host: string, state: 'online' | 'failed' | 'inhibited') => ({ type, name: type, host, state });
const services = [
  service('shop', 'a.acme.org', 'online'),
  service('shop', 'b.acme.org', 'failed'),
  service('store', 'b.acme.org', 'online'),
];

describe('the services of a zone', () => {
  it('are counted by their states, those that need somebody first, without states that do not occur', () => {
    expect(tallied(services)).toEqual([
      ['failed', 1],
      ['online', 2],
    ]);
  });

  it('are filtered by a state, and by a part of their type, name or host in any case', () => {
    expect(filtered(services, 'online').map(({ type }) => type)).toEqual(['shop', 'store']);
    expect(filtered(services, undefined, 'B.ACME').map(({ type }) => type)).toEqual(['shop', 'store']);
    expect(filtered(services, 'failed', 'store')).toEqual([]);
    expect(filtered(services, undefined)).toHaveLength(3);
  });

  it('have ids that name their type and their node, and nothing else has one', () => {
    expect(partsOf(idOf({ type: 'shop', node: 'n1' }))).toEqual({ type: 'shop', node: 'n1' });
    expect(partsOf('shop')).toBeUndefined();
    expect(partsOf('shop@')).toBeUndefined();
  });

  it('are ordered by people, but for those that come and go with the stations', () => {
    expect(['supervisor', 'recovery-coordinator', 'recovery-supervisor'].filter(isOrdered)).toEqual(['supervisor']);
  });

  it('have configurations that are objects, and messages with any data', () => {
    expect(parsedJson('{"a": 1}')).toEqual({ value: { a: 1 } });
    expect(parsedJson('[1]').fault).toMatch(/object/);
    expect(parsedJson('{').fault).toMatch(/JSON/i);
    expect(parsedJson('"world"', false)).toEqual({ value: 'world' });
  });
});

describe('the stations of a zone', () => {
  const of = (heard: number, all: number) => ({
    stations: Array.from({ length: all }, (_, n) => `ts${n}.acme.org`),
    quorum: { heard, needed: all === 0 ? 0 : Math.floor(all / 2) + 1, quorate: heard > all / 2 },
  });

  it('say how many more may fall silent', () => {
    expect(quorumText(of(3, 3))).toBe('3 of 3 stations are heard, 2 are needed: 1 more may fall silent.');
    expect(quorumText(of(2, 3))).toMatch(/if one more falls silent, nothing is decided\.$/);
  });

  it('say what does not happen without a majority, and that nothing waits where there are none', () => {
    expect(quorumText(of(1, 3))).toMatch(/no host is given up and no level changes/);
    expect(quorumText(of(0, 0))).toMatch(/Muster decides alone/);
  });
});

describe('orders on site', () => {
  const order = (n: number, state: 'waiting' | 'done' | 'refused', exit?: number) => ({
    order: n,
    dryRun: true,
    state,
    ...(exit !== undefined && { exit }),
  });

  it('are found again by their number', () => {
    const items = [order(2, 'waiting'), order(1, 'done')];
    expect(orderOf(items, 1)).toBe(items[1]);
    expect(orderOf(items, 3)).toBeUndefined();
    expect(orderOf(items, undefined)).toBeUndefined();
  });

  it('are offered in earnest only after a dry run that was done, and ended well', () => {
    expect(isGoodDryRun(order(1, 'done', 0))).toBe(true);
    expect(isGoodDryRun(order(1, 'done'))).toBe(true);
    expect(isGoodDryRun(order(1, 'done', 1))).toBe(false);
    expect(isGoodDryRun(order(1, 'refused'))).toBe(false);
    expect(isGoodDryRun({ ...order(1, 'done'), dryRun: false })).toBe(false);
  });
});

describe('BMCs as a person writes them', () => {
  const known = [{ host: 'a.acme.org', user: 'admin', address: '192.0.2.1', secret: 'bmc/e1/0' }];

  it('are read line by line, and written as they were read', () => {
    const text = 'a.acme.org=root@192.0.2.9\n\nb.acme.org=admin@192.0.2.7';
    const read = bmcsIn(text, known);
    const bmcs = 'bmcs' in read ? read.bmcs : [];
    expect(bmcs).toEqual([
      { host: 'a.acme.org', user: 'root', address: '192.0.2.9', secret: 'bmc/e1/0' },
      { host: 'b.acme.org', user: 'admin', address: '192.0.2.7', secret: 'bmc/b.acme.org' },
    ]);
    expect(bmcs.map(bmcText).join('\n')).toBe(text.replace('\n\n', '\n'));
  });

  it('are refused with the line that names none, and when a host is there twice', () => {
    expect(bmcsIn('a.acme.org', known).fault).toContain('“a.acme.org”');
    expect(bmcsIn('a=x@1\na=y@2', known).fault).toBe('a is there twice.');
  });
});
