import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { call } from '../api/call.ts';
import type { LiveEvent } from '../live/event.ts';
import type { NodeState } from '../map/slot-map.tsx';
import type { ZoneMap } from '../map/slots.ts';
import { gapsIn, type KeptMap, mapAt, movesIn, replayMs, type Span, statesAt } from './replay.ts';

/** The hour, turned back to a moment: `at` is undefined for now. */
export type Turned = {
  readonly at: string | undefined;
  readonly go: (at: string | undefined) => void;
  /** The map of the moment; undefined where none is known. */
  readonly map: ZoneMap | undefined;
  readonly states: ReadonlyMap<string, NodeState>;
  readonly events: readonly LiveEvent[];
  readonly hour: Span;
  /** The parts of the hour of which no map is known. */
  readonly gaps: readonly Span[];
  /** There were more events than are read: what came after this one is not known. */
  readonly readUntil: string | undefined;
};

/** Of a very busy hour, so many pages of 200 events are read. */
const pagesMax = 25;

type Hour = Pick<Turned, 'events' | 'readUntil'>;
const unread: Hour = { events: [], readUntil: undefined };

/** Turns the hour of a zone back, by the journal and by the maps that this page has had. */
export function useReplay(zone: string, maps: readonly KeptMap[], now: ReadonlyMap<string, NodeState>): Turned {
  const [at, setAt] = useState<string>();
  const [from, setFrom] = useState(() => Date.now() - replayMs);
  const { data } = useQuery({
    queryKey: ['replay', zone, from],
    queryFn: ({ signal }) => hourOf(zone, from, signal),
    enabled: at !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { events, readUntil } = data ?? unread;
  const hour = useMemo(() => ({ from, to: from + replayMs }), [from]);
  const moves = useMemo(() => movesIn(zone, events), [zone, events]);
  const states = useMemo(() => (at === undefined ? now : statesAt(at, events, now)), [at, events, now]);
  const gaps = useMemo(() => (data === undefined ? [] : gapsIn(hour, maps, moves)), [data, hour, maps, moves]);
  const go = (to: string | undefined): void => {
    if (at === undefined) setFrom(Date.now() - replayMs);
    setAt(to);
  };
  return { at, go, map: at === undefined || !data ? undefined : mapAt(at, maps, moves), states, events, hour, gaps, readUntil };
}

async function hourOf(zone: string, from: number, signal: AbortSignal): Promise<Hour> {
  const only = { zones: zone, type: 'node.,zone.', limit: 200 } as const;
  let page = await call('listChanges', { query: { ...only, since: new Date(from).toISOString() }, signal });
  const events: LiveEvent[] = [...page.items];
  for (let n = 1; page.more && n < pagesMax; n++) {
    page = await call('listChanges', { query: { ...only, after: page.next }, signal });
    events.push(...page.items);
  }
  return { events, readUntil: page.more ? events.at(-1)?.time : undefined };
}
