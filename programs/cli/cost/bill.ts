import { type Asked, type Design, designsOf } from './designs.ts';
import type { Line } from './lines.ts';
import { costOf, type Meter, meters, prices, type Region } from './prices.ts';

/** The question that a bill answers. */
export type BillAsked = Asked & { readonly region: Region; readonly freeTiers: boolean };

/** One item of a design: how many, and what they cost in USD. */
export type Item = { readonly meter: Meter; readonly item: string; readonly unit: string; readonly quantity: number; readonly usd: number };

/** A month of one design, by item and by purpose; both come to the total. */
export type Month = {
  readonly name: string;
  readonly totalUsd: number;
  /** For each million client systems; absent without any. */
  readonly perMillionUsd?: number;
  readonly deadKnownInS: number;
  readonly items: readonly Item[];
  readonly purposes: readonly { readonly of: string; readonly usd: number }[];
};

/** A month of every design. */
export const monthsOf = (asked: BillAsked): readonly Month[] => designsOf(asked).map((design) => monthOf(design, asked));

function monthOf({ name, deadKnownInS, lines }: Design, { clients, region, freeTiers }: BillAsked): Month {
  const items = meters.flatMap((meter): Item[] => {
    const { item, unit, per } = prices[region][meter];
    const quantity = total(lines.filter((line) => line.meter === meter));
    return quantity === 0 ? [] : [{ meter, item, unit, quantity: quantity / per, usd: costOf(prices[region][meter], quantity, freeTiers) }];
  });
  const totalUsd = items.reduce((sum, { usd }) => sum + usd, 0);
  return {
    name,
    totalUsd,
    ...(clients > 0 && { perMillionUsd: (totalUsd * 1e6) / clients }),
    deadKnownInS,
    items,
    purposes: purposesOf(lines, items, region),
  };
}

/** The share of each purpose in the items: an item whose price falls with quantity is shared evenly. */
function purposesOf(lines: readonly Line[], items: readonly Item[], region: Region): Month['purposes'] {
  const each = new Map(items.map(({ meter, quantity, usd }) => [meter, usd / (quantity * prices[region][meter].per)]));
  const byPurpose = new Map<string, number>();
  for (const { of, meter, quantity } of lines) if (quantity > 0) byPurpose.set(of, (byPurpose.get(of) ?? 0) + quantity * each.get(meter)!);
  return [...byPurpose].map(([of, usd]) => ({ of, usd })).sort((a, b) => b.usd - a.usd);
}

const total = (lines: readonly Line[]): number => lines.reduce((sum, { quantity }) => sum + quantity, 0);
