import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { number, short } from '../kit/kit.tsx';
import { type Layout, layoutOf, type Tile } from './layout.ts';
import { coloursOf, flightMs, flightsBetween, paint, shadesOf, type Tone, toneOf } from './paint.ts';
import type { ZoneMap } from './slots.ts';

/** What a tile shows of its node besides the map: its status and why, if that is known. */
export type NodeState = { readonly status: string; readonly because: string };

type Props = {
  readonly map: ZoneMap;
  /** Where slots were, and how many client systems, is not known: only the nodes are shown. */
  readonly isBlank?: boolean;
  readonly states: ReadonlyMap<string, NodeState>;
  readonly selected?: string | undefined;
  readonly onSelect: (node: string) => void;
};

/** The map of a zone: a tile for each node, a cell for each slot. A slot that gets another owner flies there. */
export function SlotMap({ map, isBlank = false, states, selected, onSelect }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(box);
  const layout = useMemo(() => layoutOf(map, width), [map, width]);
  const tones = useMemo(
    () => new Map(map.nodes.map(({ index, node, standing }): [number, Tone] => [index, toneOf(states.get(node)?.status ?? standing)])),
    [map, states],
  );
  useFlights(canvas, { map, layout, width, tones, isBlank });
  return (
    <div ref={box} className="slot-map">
      <canvas ref={canvas} style={{ width, height: layout.height }}>
        A cell for each slot; the table has the same in words.
      </canvas>
      {map.nodes.map((of) => (
        <NodeTile
          key={of.node}
          of={of}
          at={layout.tiles.get(of.index)!}
          state={states.get(of.node)}
          isBlank={isBlank}
          isSelected={selected === of.node}
          onSelect={onSelect}
        />
      ))}
    </div>
  );
}

type TileProps = {
  readonly of: ZoneMap['nodes'][number];
  readonly at: Tile;
  readonly state: NodeState | undefined;
  readonly isBlank: boolean;
  readonly isSelected: boolean;
  readonly onSelect: (node: string) => void;
};

/** The tile of a node, on which its slots are drawn. */
function NodeTile({ of, at: { x, y, ...size }, state, isBlank, isSelected, onSelect }: TileProps) {
  const { node, fqdn, standing, systemsAbout, capacity } = of;
  const status = state?.status ?? standing;
  return (
    <button
      type="button"
      className={`tile is-${status}`}
      aria-pressed={isSelected}
      style={{ left: x, top: y, ...size }}
      title={`${fqdn}: ${state?.because ?? status}`}
      onClick={() => onSelect(node)}
    >
      <b>{short(fqdn)}</b>
      {toneOf(status) !== 'up' && <span>{status}</span>}
      {!isBlank && (
        <em>
          {number(systemsAbout)}
          {capacity !== undefined && ` / ${number(capacity)}`}
        </em>
      )}
    </button>
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
  readonly isBlank: boolean;
};

/** Draws the scene, frame by frame while slots fly; without flights for who wants no motion. */
function useFlights(canvas: { readonly current: HTMLCanvasElement | null }, { map, layout, width, tones, isBlank }: Scene): void {
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
      if (isBlank) return;
      paint(context, { layout, colours, flights, move: shades.move, ms });
      if (ms < flightMs && flights.length > 0) frame = requestAnimationFrame(draw);
    };
    draw();
    return () => cancelAnimationFrame(frame);
  }, [canvas, map, layout, width, tones, isBlank]);
}

function sized(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = devicePixelRatio || 1;
  [canvas.width, canvas.height] = [width * ratio, height * ratio];
  const context = canvas.getContext('2d')!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
