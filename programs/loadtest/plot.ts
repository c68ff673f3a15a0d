/** Text escaped for HTML and SVG, between tags and in quoted attributes. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

/**
 * One curve: a value each second; undefined is a gap. Its colour is one of those that the page has for figures, from 1.
 */
export type Curve = { readonly name: string; readonly colour: number; readonly values: readonly (number | undefined)[] };

/** The content of a plot: curves over the same moments (`atS`, seconds since the start), and spans that are marked. */
export type Plot = {
  readonly title: string;
  readonly unit: string;
  readonly atS: readonly number[];
  readonly curves: readonly Curve[];
  /** Curves lie on top of each other, as parts of a whole. */
  readonly stacked?: boolean;
  readonly marks: readonly { readonly fromS: number; readonly toS: number; readonly label: string }[];
};

const [width, height] = [860, 240] as const;
const [left, right, top, bottom] = [58, 846, 14, 212] as const;

/**
 * A plot as an SVG element that holds all it needs but its colours: the page's variables `--c1` to `--c8`, `--grid`,
 * `--mark` and `--fail`.
 */
export function plotted(plot: Plot): string {
  const thinned = thin(plot);
  const layers = thinned.stacked ? stacked(thinned.curves) : thinned.curves;
  const endS = Math.max(1, thinned.atS.at(-1) ?? 0);
  const highest = Math.max(0, ...layers.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const ticks = ticksTo(highest);
  const scale: Scale = {
    x: (s) => left + ((right - left) * Math.min(s, endS)) / endS,
    y: (value) => bottom - ((bottom - top) * value) / ticks.at(-1)!,
  };
  const drawn = thinned.stacked
    ? layers.map((curve, n) => area(curve, layers[n - 1], thinned.atS, scale))
    : layers.map((curve) => line(curve, thinned.atS, scale));
  return [
    `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(`${plot.title}, ${plot.unit}`)}">`,
    ...plot.marks.map((mark) => marked(mark, scale)),
    ...ticks.map((value) => rule(value, scale)),
    ...ticksTo(endS)
      .filter((s) => s <= endS)
      .map((s) => moment(s, scale)),
    ...drawn,
    '</svg>',
  ].join('\n');
}

type Scale = { x(s: number): number; y(value: number): number };

/** The most points that a screen can display separately. */
const pointsMax = 430;

/**
 * A plot with at most so many points. Of points that fall together a curve has the highest, so that no peak is lost;
 * parts of a whole have the last.
 */
function thin(plot: Plot): Plot {
  const each = Math.ceil(plot.atS.length / pointsMax);
  if (each <= 1) return plot;
  const packs = <T>(all: readonly T[]): T[][] =>
    Array.from({ length: Math.ceil(all.length / each) }, (_, n) => all.slice(n * each, (n + 1) * each));
  const one = (values: (number | undefined)[]): number | undefined => {
    const there = values.filter((value) => value !== undefined);
    if (plot.stacked) return there.at(-1);
    return there.length === 0 ? undefined : Math.max(...there);
  };
  return {
    ...plot,
    atS: packs(plot.atS).map((some) => some.at(-1)!),
    curves: plot.curves.map((curve) => ({ ...curve, values: packs(curve.values).map(one) })),
  };
}

/** Each curve on top of those before it; a gap is nothing. */
function stacked(curves: readonly Curve[]): Curve[] {
  const sums: number[] = [];
  return curves.map((curve) => ({
    ...curve,
    values: curve.values.map((value, at) => {
      sums[at] = (sums[at] ?? 0) + (value ?? 0);
      return sums[at];
    }),
  }));
}

/** Round values from 0 to at least the highest, four to six of them, or 0 and 1. */
export function ticksTo(highest: number): number[] {
  if (!(highest > 0)) return [0, 1];
  const rough = highest / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => power * factor >= rough * 0.999)!;
  return Array.from({ length: Math.ceil(highest / step - 1e-9) + 1 }, (_, n) => Number((n * step).toPrecision(12)));
}

const at = (value: number): string => value.toFixed(1);
const formatted = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 3 });

const line = ({ colour, values }: Curve, atS: readonly number[], { x, y }: Scale): string => {
  let pen = 'M';
  const path = values.map((value, n) => {
    const step = value === undefined ? '' : `${pen}${at(x(atS[n]!))} ${at(y(value))}`;
    pen = value === undefined ? 'M' : 'L';
    return step;
  });
  return `<path d="${path.join('')}" fill="none" stroke="var(--c${colour})" stroke-width="1.6" stroke-linejoin="round"/>`;
};

const area = ({ colour, values }: Curve, under: Curve | undefined, atS: readonly number[], { x, y }: Scale): string => {
  const edge = (of: readonly (number | undefined)[]) => of.map((value, n) => `${at(x(atS[n]!))} ${at(y(value ?? 0))}`);
  const floor = edge(under?.values ?? values.map(() => 0)).reverse();
  const points = [...edge(values), ...floor];
  return `<path d="${points.length > 0 ? `M${points.join('L')}Z` : ''}" fill="var(--c${colour})" fill-opacity="0.85"/>`;
};

const rule = (value: number, { y }: Scale): string =>
  `<line x1="${left}" x2="${right}" y1="${at(y(value))}" y2="${at(y(value))}" stroke="var(--grid)"/>` +
  `<text x="${left - 8}" y="${at(y(value) + 4)}" text-anchor="end">${formatted(value)}</text>`;

const moment = (s: number, { x }: Scale): string =>
  `<text x="${at(x(s))}" y="${bottom + 20}" text-anchor="middle">${formatted(s)} s</text>`;

/** A tint behind the curves, and a bar above them, which areas do not hide. */
const marked = ({ fromS, toS, label }: Plot['marks'][number], { x }: Scale): string => {
  const across = `x="${at(x(fromS))}" width="${at(Math.max(1, x(toS) - x(fromS)))}"`;
  const title = `<title>${escaped(label)}</title>`;
  return (
    `<rect ${across} y="${top}" height="${bottom - top}" fill="var(--mark)">${title}</rect>` +
    `<rect ${across} y="${top - 8}" height="5" fill="var(--fail)">${title}</rect>`
  );
};
