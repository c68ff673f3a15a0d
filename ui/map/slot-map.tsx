import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { number, short } from '../kit/kit.tsx';
import { type Layout, layoutOf } from './layout.ts';
import { coloursOf, flightMs, flightsBetween, paint, shadesOf, type Tone, toneOf } from './paint.ts';
import type { ZoneMap } from './slots.ts';

/** What a tile shows of its node besides the map: its status and why, if that is known. */
export type NodeState = { readonly status: string; readonly because: string };

type Props = {
  readonly map: ZoneMap;
  readonly states: ReadonlyMap<string, NodeState>;
  readonly selected?: string | undefined;
  readonly onSelect: (node: string) => void;
};

/** The map of a zone: a tile for each node, a cell for each slot. A slot that gets another owner flies there. */
export function SlotMap({ map, states, selected, onSelect }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(box);
  const layout = useMemo(() => layoutOf(map, width), [map, width]);
  const stateOf = (node: string, standing: string): string => states.get(node)?.status ?? standing;
  const tones = useMemo(
    () => new Map(map.nodes.map(({ index, node, standing }): [number, Tone] => [index, toneOf(states.get(node)?.status ?? standing)])),
    [map, states],
  );
  useFlights(canvas, { map, layout, width, tones });
  return (
    <div ref={box} className="slot-map">
      <canvas ref={canvas} style={{ width, height: layout.height }}>
        A cell for each slot; the table has the same in words.
      </canvas>
      {map.nodes.map(({ index, node, fqdn, standing, systemsAbout, capacity }) => {
        const { x, y, ...size } = layout.tiles.get(index)!;
        const state = stateOf(node, standing);
        return (
          <button
            type="button"
            key={node}
            className={`tile is-${state}`}
            aria-pressed={selected === node}
            style={{ left: x, top: y, ...size }}
            title={`${fqdn}: ${states.get(node)?.because ?? state}`}
            onClick={() => onSelect(node)}
          >
            <b>{short(fqdn)}</b>
            {toneOf(state) !== 'up' && <span>{state}</span>}
            <em>
              {number(systemsAbout)}
              {capacity !== undefined && ` / ${number(capacity)}`}
            </em>
          </button>
        );
      })}
    </div>
  );
}

function useWidth(box: { readonly current: HTMLDivElement | null }): number {
  const [width, setWidth] = useState(800);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, [box]);
  return width;
}

type Scene = {
  readonly map: ZoneMap;
  readonly layout: Layout;
  readonly width: number;
  readonly tones: ReadonlyMap<number, Tone>;
};

/** Draws the scene, frame by frame while slots fly; without flights for who wants no motion. */
function useFlights(canvas: { readonly current: HTMLCanvasElement | null }, { map, layout, width, tones }: Scene): void {
  const before = useRef<{ readonly owner: Uint16Array; readonly layout: Layout }>(undefined);
  const flown = useRef({ key: map.owner, began: 0, flights: flightsBetween(undefined, map.owner) });
  useEffect(() => {
    const context = sized(canvas.current!, width, layout.height);
    const shades = shadesOf(canvas.current!.parentElement!);
    const colours = coloursOf(map, tones, shades);
    if (flown.current.key !== map.owner) {
      const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
      flown.current = { key: map.owner, began: performance.now(), flights: isStill ? [] : flightsBetween(before.current, map.owner) };
    }
    before.current = { owner: map.owner, layout };
    let frame = 0;
    const draw = (): void => {
      const { began, flights } = flown.current;
      const ms = performance.now() - began;
      context.clearRect(0, 0, width, layout.height);
      paint(context, { layout, colours, flights, move: shades.move, ms });
      if (ms < flightMs && flights.length > 0) frame = requestAnimationFrame(draw);
    };
    draw();
    return () => cancelAnimationFrame(frame);
  }, [canvas, map, layout, width, tones]);
}

function sized(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = devicePixelRatio || 1;
  [canvas.width, canvas.height] = [width * ratio, height * ratio];
  const context = canvas.getContext('2d')!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
