import { hourMs, minuteMs } from '../../../lib/core/time.ts';
import type { Figure } from '../report/figure.ts';
import { program } from '../report/program.ts';
import { type AdmittingZone, type Loss, loseOne } from './admitting-zone.ts';

const adapts = { admission: 'adapts-at-once', admitAtMostEveryMs: 500 } as const;
const zone = { nodes: 12, each: 14_000 } as const;

const cases: readonly (Pick<AdmittingZone, 'perS' | 'settings'> & { readonly is: string; readonly atMostH?: number })[] = [
  { is: 'at the fixed rate, one per 15 s', perS: () => 1, settings: {} },
  { is: 'at rates that adapt, of servers that bear one a second', perS: () => 1, settings: adapts, atMostH: 0.5 },
  { is: 'of servers that bear one in two seconds', perS: () => 0.5, settings: adapts, atMostH: 0.9 },
  { is: 'of servers that bear two a second, the ceiling', perS: () => 2, settings: adapts, atMostH: 0.3 },
  {
    is: 'of servers that bear one a second, and half of that after ten minutes',
    perS: (_node, ms) => (ms < 10 * minuteMs ? 1 : 0.5),
    settings: adapts,
    atMostH: 0.8,
  },
  { is: 'of eleven servers that bear from 0.5 to 1.5 a second', perS: (n) => 0.5 + n / 10, settings: adapts, atMostH: 0.9 },
];

/**
 * How far the forecast was from what happened, of the time that was left then: at nine of ten looks, once the rates had
 * settled and while more than a fifth of the client systems were still to come.
 */
function forecastError({ looks, ms, systems }: Loss): number {
  const errors = looks.flatMap((look) =>
    look.ms >= settledMs && look.came < 0.8 * systems && look.forecastMs !== undefined
      ? [Math.abs(look.forecastMs - ms) / (ms - look.ms)]
      : [],
  );
  return 100 * errors.sort((a, b) => a - b)[Math.floor(0.9 * errors.length)]!;
}

/** How long rates take to settle: to double five times, and to be strained once. */
const settledMs = 10 * minuteMs;

async function measure(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { is, perS, settings, atMostH } of cases) {
    const loss = await loseOne({ ...zone, perS, settings });
    const { ms, systems, calls, planUnits, reportUnits, plans } = loss;
    const what = `loss of one of ${zone.nodes} nodes with ${systems.toLocaleString('en-US')} systems each, ${is}`;
    const beside = `${(calls / systems).toFixed(1)} calls a system; ${plans} plans, ${planUnits.toLocaleString('en-US')} write units, and ${reportUnits.toLocaleString('en-US')} of reports`;
    figures.push({ what, measured: ms / hourMs, unit: 'h', note: beside, ...(atMostH !== undefined && { target: { atMost: atMostH } }) });
    if (atMostH === undefined) continue;
    figures.push({
      what: `its forecast, after ${settledMs / minuteMs} min: off by, of the time that is left, at nine of ten looks`,
      measured: forecastError(loss),
      unit: '%',
      target: { atMost: 10 },
    });
  }
  return figures;
}

await program(measure);
