import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { Reply } from '../api/call.ts';
import { useKeys } from '../kit/keys.ts';
import { Ago, Because, count, number, Refused, Waiting } from '../kit/kit.tsx';
import { asks } from '../live/queries.ts';
import { type NodeState, SlotMap } from '../map/slot-map.tsx';
import type { ZoneMap } from '../map/slots.ts';
import { Feed } from './feed.tsx';
import { NodeGlance } from './node-glance.tsx';
import { NodeTable } from './node-table.tsx';
import { Pulse } from './pulse.tsx';
import { type KeptMap, kept } from './replay.ts';
import { Replay } from './replay.tsx';
import { type Turned, useReplay } from './use-replay.ts';

type ZoneProps = { readonly zone: string; readonly picked: string | undefined; readonly onPick: (node: string | undefined) => void };

/** A zone: its map or table of nodes, its hour, and beside it what happens, or the node that is picked. */
export function Zone({ zone, picked, onPick }: ZoneProps) {
  const map = useQuery(asks.map(zone));
  const nodes = useQuery(asks.nodes(zone)).data ?? [];
  const view = useQuery(asks.zone(zone)).data;
  const [isTable, setTable] = useState(false);
  const states = useMemo(() => new Map(nodes.map(({ id, status, because }): [string, NodeState] => [id, { status, because }])), [nodes]);
  const replay = useReplay(zone, useKept(map.data), states);
  useKeys({ t: () => setTable(!isTable), Escape: () => (replay.at === undefined ? onPick(undefined) : replay.go(undefined)) });
  const node = nodes.find(({ id }) => id === picked);
  const toggle = (id: string): void => onPick(id === picked ? undefined : id);
  return (
    <div className="split">
      <section aria-labelledby="zone-title">
        <Title zone={zone} view={view} isTable={isTable} onTable={() => setTable(!isTable)} />
        <Refused error={map.error} />
        {isTable ? (
          <NodeTable nodes={nodes} picked={picked} onPick={toggle} />
        ) : (
          <Slots map={map.data} replay={replay} picked={picked} onPick={toggle} />
        )}
        <Replay of={replay} />
        <Pulse />
      </section>
      <aside>
        {node ? (
          <NodeGlance node={node} onClose={() => onPick(undefined)} />
        ) : (
          <Feed zone={zone} until={replay.at} events={replay.events} />
        )}
      </aside>
    </div>
  );
}

type SlotsProps = {
  readonly map: ZoneMap | undefined;
  readonly replay: Turned;
  readonly picked: string | undefined;
  readonly onPick: (node: string) => void;
};

/** The map of now, or of the moment to which the hour was turned back; without slots where none are known of it. */
function Slots({ map, replay: { at, map: then, states }, picked, onPick }: SlotsProps) {
  const shown = then ?? map;
  if (shown === undefined) return <Waiting />;
  return <SlotMap map={shown} isBlank={at !== undefined && then === undefined} states={states} selected={picked} onSelect={onPick} />;
}

/** The maps of the zone that this page has had. */
function useKept(map: ZoneMap | undefined): readonly KeptMap[] {
  const [maps, setMaps] = useState<readonly KeptMap[]>([]);
  useEffect(() => {
    if (map) setMaps((before) => kept(before, map, new Date().toISOString()));
  }, [map]);
  return maps;
}

type TitleProps = {
  readonly zone: string;
  readonly view: Reply<'getZone'> | undefined;
  readonly isTable: boolean;
  readonly onTable: () => void;
};

function Title({ zone, view, isTable, onTable }: TitleProps) {
  return (
    <header className="zone-title">
      <h1 id="zone-title">{zone}</h1>
      {view && (
        <p>
          {count(view.map.slots, 'slot')} · {number(view.map.awayFromHome)} away from home
          {view.map.unowned > 0 && <> · {number(view.map.unowned)} without a node</>} · {view.mode} · map {view.map.version} · counted{' '}
          <Ago at={view.countedAt} suffix=" ago" />
          <br />
          <Because of={view.because} />
        </p>
      )}
      <button type="button" className="quiet" aria-pressed={isTable} onClick={onTable}>
        Show as table <kbd>t</kbd>
      </button>
    </header>
  );
}
