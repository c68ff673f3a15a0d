import type { Layout } from './layout.ts';
import { nobody, type ZoneMap } from './slots.ts';

/** What a node's slots look like: well, under way, or lost. */
export type Tone = 'up' | 'warn' | 'down';
/** How a slot of each tone looks by how many client systems it has, from none to most. */
export type Shades = Readonly<Record<Tone | 'away', readonly string[]>> & { readonly none: string; readonly move: string };

const levels = 4;

/** The tone of a node in this status or standing. */
export function toneOf(standing: string): Tone {
  if (standing === 'up' || standing === 'ready') return 'up';
  return standing === 'down' || standing === 'dropped' || standing === 'none' ? 'down' : 'warn';
}

/** The colours of the page as it is now: light or dark. */
export function shadesOf(element: Element): Shades {
  // A canvas takes no light-dark(): an element with that colour says what it is at the moment.
  const probe = document.createElement('i');
  element.append(probe);
  const colour = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const scale = (name: string): string[] => Array.from({ length: levels }, (_, n) => colour(`map-${name}-${n}`));
  const shades = {
    up: scale('up'),
    warn: scale('warn'),
    down: scale('down'),
    away: scale('away'),
    none: colour('map-none'),
    move: colour('move'),
  };
  probe.remove();
  return shades;
}

/**
 * The colour of each slot: by its node's tone, by whether it is away from home, and as bright as it has client systems.
 */
export function coloursOf(map: ZoneMap, tones: ReadonlyMap<number, Tone>, shades: Shades): string[] {
  const most = map.systems.reduce((max, n) => Math.max(max, n), 1);
  return Array.from(map.owner, (index, slot) => {
    if (index === nobody) return shades.none;
    const level = Math.min(levels - 1, Math.ceil((map.systems[slot]! / most) * (levels - 1)));
    const tone = tones.get(index) ?? 'up';
    return (tone === 'up' && map.home[slot] !== index ? shades.away : shades[tone])[level]!;
  });
}

/** A slot on its way: from where, and which one it is. */
export type Flight = { readonly slot: number; readonly x: number; readonly y: number };

/** The slots that have another owner than before, from where they were. None when the map is another one. */
export function flightsBetween(before: { readonly owner: Uint16Array; readonly layout: Layout } | undefined, owner: Uint16Array): Flight[] {
  if (before === undefined || before.owner.length !== owner.length) return [];
  const flights: Flight[] = [];
  for (const [slot, index] of owner.entries())
    if (before.owner[slot] !== index) flights.push({ slot, x: before.layout.x[slot]!, y: before.layout.y[slot]! });
  return flights;
}

/** How long one slot flies, and over how long they set off one after another, in ms. */
const flyMs = 850;
const setOffMs = 500;
/** How long a flight of all takes. */
export const flightMs = flyMs + setOffMs;

const ease = (t: number): number => (t < 0.5 ? 4 * t ** 3 : 1 - (2 - 2 * t) ** 3 / 2);

/** Draws the map, `ms` after its slots set off; those that have arrived, and all others, stand where they are. */
export function paint(
  context: CanvasRenderingContext2D,
  {
    layout,
    colours,
    flights,
    move,
    ms,
  }: {
    readonly layout: Layout;
    readonly colours: readonly string[];
    readonly flights: readonly Flight[];
    readonly move: string;
    readonly ms: number;
  },
): void {
  const { x, y, cell } = layout;
  const flying = new Set(flights.map(({ slot }) => slot));
  for (let slot = 0; slot < colours.length; slot++) {
    if (flying.has(slot)) continue;
    context.fillStyle = colours[slot]!;
    context.fillRect(x[slot]!, y[slot]!, cell, cell);
  }
  for (const [n, flight] of flights.entries()) {
    const t = ease(Math.max(0, Math.min(1, (ms - (n / flights.length) * setOffMs) / flyMs)));
    const [toX, toY] = [x[flight.slot]!, y[flight.slot]!];
    const lift = Math.sin(t * Math.PI) * Math.min(60, Math.hypot(toX - flight.x, toY - flight.y) / 5);
    const size = cell + Math.sin(t * Math.PI) * 2;
    context.fillStyle = t < 1 ? move : colours[flight.slot]!;
    context.fillRect(flight.x + (toX - flight.x) * t, flight.y + (toY - flight.y) * t - lift, size, size);
  }
}
