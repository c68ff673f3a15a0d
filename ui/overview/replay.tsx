import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { call } from '../api/call.ts';
import type { LiveEvent } from '../live/event.ts';
import type { NodeState } from '../map/slot-map.tsx';
import type { ZoneMap } from '../map/slots.ts';
import { type KeptMap, mapAt, replayMs, statesAt } from './replay.ts';

/** The hour, turned back to a moment: `at` is undefined for now. */
export type Turned = {
  readonly at: string | undefined;
  readonly go: (at: string | undefined) => void;
  readonly map: ZoneMap | undefined;
  /** The map is older or newer than the moment: the page was not open then. */
  readonly mapFrom: string | undefined;
  readonly states: ReadonlyMap<string, NodeState>;
  readonly events: readonly LiveEvent[];
  readonly from: number;
};

/** Of a very busy hour, so many pages of 200 events are read. */
const pagesMax = 10;

/** Turns the hour of a zone back, by the journal and by the maps that this page has had. */
export function useReplay(zone: string, maps: readonly KeptMap[], now: ReadonlyMap<string, NodeState>): Turned {
  const [at, go] = useState<string>();
  const [from, setFrom] = useState(() => Date.now() - replayMs);
  const { data: events = none } = useQuery({
    queryKey: ['replay', zone, from],
    queryFn: ({ signal }) => hourOf(zone, from, signal),
    enabled: at !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const states = useMemo(() => (at === undefined ? now : statesAt(at, events, now)), [at, events, now]);
  const then = at === undefined ? undefined : mapAt(at, maps);
  const turn = (to: string | undefined): void => {
    if (at === undefined) setFrom(Date.now() - replayMs);
    go(to);
  };
  return {
    at,
    go: turn,
    map: then?.map,
    mapFrom: then !== undefined && at !== undefined && then.at > at ? then.at : undefined,
    states,
    events,
    from,
  };
}

const none: readonly LiveEvent[] = [];

async function hourOf(zone: string, from: number, signal: AbortSignal): Promise<readonly LiveEvent[]> {
  const only = { zones: zone, type: 'node.,zone.', limit: 200 } as const;
  let page = await call('listChanges', { query: { ...only, since: new Date(from).toISOString() }, signal });
  const events: LiveEvent[] = [...page.items];
  for (let n = 1; page.more && n < pagesMax; n++) {
    page = await call('listChanges', { query: { ...only, after: page.next }, signal });
    events.push(...page.items);
  }
  return events;
}

/** The slider of the last hour. At its right end the page shows what is. */
export function Replay({ of: { at, go, from, mapFrom } }: { readonly of: Turned }) {
  const value = at === undefined ? 3_600 : Math.round((Date.parse(at) - from) / 1_000);
  return (
    <div className="replay">
      <label htmlFor="replay">The last hour</label>
      <input
        id="replay"
        type="range"
        min={0}
        max={3_600}
        step={5}
        value={value}
        aria-valuetext={at === undefined ? 'now' : new Date(at).toLocaleTimeString('en-GB')}
        onChange={({ target }) =>
          go(Number(target.value) >= 3_600 ? undefined : new Date(from + Number(target.value) * 1_000).toISOString())
        }
      />
      <output htmlFor="replay">{at === undefined ? 'now' : new Date(at).toLocaleTimeString('en-GB')}</output>
      {at !== undefined && (
        <button type="button" onClick={() => go(undefined)}>
          Back to now
        </button>
      )}
      {mapFrom !== undefined && (
        <small>
          Nodes and events as they were then; slots as of {new Date(mapFrom).toLocaleTimeString('en-GB')}, when this page was opened.
        </small>
      )}
    </div>
  );
}
