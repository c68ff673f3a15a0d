import { describe, expect, it } from 'vitest';
import { pageOf } from '../../../../programs/loadtest/page.ts';
import { plotted, ticksTo } from '../../../../programs/loadtest/plot.ts';
import { Report } from '../../../../programs/loadtest/report.ts';
import { aReport, aSecond } from './a-report.ts';

const aPlot = { title: 'Calls', unit: 'a second', atS: [1, 2, 3, 4], marks: [] };
/** The paths of a drawing, each as its points. */
const paths = (svg: string): [number, number][][] =>
  [...svg.matchAll(/<path d="M([^"Z]*)/g)].map(([, d]) =>
    d!.split(/[ML]/).map((point) => point.split(' ').map(Number) as [number, number]),
  );

describe('a plot', () => {
  it('has time to the right and values upwards, over the whole width', () => {
    const [points] = paths(plotted({ ...aPlot, curves: [{ name: 'knock', colour: 1, values: [0, 10, 5, 20] }] }));
    const [xs, ys] = [points!.map(([x]) => x), points!.map(([, y]) => y)];
    expect([...xs].sort((a, b) => a - b)).toEqual(xs);
    expect(xs.at(-1)).toBe(846);
    expect(ys).toEqual([212, 113, 162.5, 14]);
  });

  it('begins a curve anew after a gap', () => {
    const svg = plotted({ ...aPlot, curves: [{ name: 'p50', colour: 1, values: [1, undefined, 2, 3] }] });
    expect(/<path d="([^"]*)"/.exec(svg)![1]!.match(/[ML]/g)).toEqual(['M', 'M', 'L']);
  });

  it('stacks parts of a whole: the upper edge of the last is their sum', () => {
    const parts = [
      { name: 'onboarded', colour: 1, values: [1, 2, 3, 4] },
      { name: 'orphan', colour: 2, values: [3, 2, 1, 0] },
    ];
    const [lower, upper] = paths(plotted({ ...aPlot, stacked: true, curves: parts }));
    expect(new Set(upper!.slice(0, 4).map(([, y]) => y))).toEqual(new Set([14]));
    expect(upper!.slice(4)).toEqual(lower!.slice(0, 4).reverse());
  });

  it('loses no peak where a day is drawn in a few hundred points', () => {
    const atS = Array.from({ length: 86_400 }, (_, n) => n + 1);
    const svg = plotted({ ...aPlot, atS, curves: [{ name: 'p99', colour: 1, values: atS.map((s) => (s === 40_000 ? 100 : 1)) }] });
    const [points] = paths(svg);
    expect(points!.length).toBeLessThanOrEqual(430);
    expect(Math.min(...points!.map(([, y]) => y))).toBe(14);
  });

  it('is one also of nothing, and of nothing but zeros', () => {
    for (const values of [[], [0, 0, 0, 0]]) {
      const svg = plotted({ ...aPlot, atS: values.map((_, n) => n), curves: [{ name: 'knock', colour: 1, values }] });
      expect(svg).not.toMatch(/NaN|Infinity|undefined/);
    }
  });

  it('marks failures, with their text escaped', () => {
    const svg = plotted({ ...aPlot, curves: [], marks: [{ fromS: 2, toS: 4, label: '<b>"3" nodes' }] });
    expect(svg).toContain('<rect x="452.0" width="394.0" y="14"');
    expect(svg).toContain('<title>&#60;b&#62;&#34;3&#34; nodes</title>');
  });
});

describe('the ticks of an axis', () => {
  it.each([
    [0, [0, 1]],
    [1, [0, 0.5, 1]],
    [20, [0, 5, 10, 15, 20]],
    [21, [0, 10, 20, 30]],
    [0.03, [0, 0.01, 0.02, 0.03]],
  ])('to %s are round and reach it', (highest, ticks) => {
    expect(ticksTo(highest)).toEqual(ticks);
  });
});

describe('a report', () => {
  it('is as its schema says, also when it has been written and read', () => {
    expect(Report.parse(JSON.parse(JSON.stringify(aReport())))).toEqual(aReport());
    expect(Report.safeParse({ ...aReport(), seconds: [{ ...aSecond(1), calls: { knock: -1 } }] }).success).toBe(false);
    expect(Report.safeParse({ ...aReport(), version: 2 }).success).toBe(false);
  });

  it('is a page that needs nothing from anywhere and runs nothing', () => {
    const page = pageOf(aReport());
    expect(page).not.toMatch(/<script|<link|<img|@import|url\(|src=|href=/i);
    expect(page.match(/<svg /g)).toHaveLength(4);
    expect(page).toContain('<td>knock</td><td>60</td><td>20</td>');
  });

  it('shows what a deployment calls itself as text, whatever that is', () => {
    const evil = '<script>alert(1)</script>';
    const page = pageOf(
      aReport({
        muster: { endpoint: evil, deployment: evil, version: evil },
        totals: { ...aReport().totals, errors: { [evil]: 3 }, nodes: { [evil]: 1 } },
        seconds: [aSecond(1, { errors: { [evil]: 3 }, nodes: { [evil]: 1 } })],
        failures: [{ atS: 1, nodes: [evil] }],
      }),
    );
    expect(page).not.toContain('<script');
    expect(page).toContain('<td>&#60;script&#62;alert(1)&#60;/script&#62;</td><td>3</td>');
    expect(page).toContain('<td>not back</td>');
  });
});
