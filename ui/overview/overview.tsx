import { useQuery } from '@tanstack/react-query';
import { Empty, Refused, Waiting } from '../kit/kit.tsx';
import { asks } from '../live/queries.ts';
import { go, type ViewProps } from '../router.tsx';
import { Zone } from './zone.tsx';
import { ZoneCard } from './zone-card.tsx';

/** What is there, what happens, and why: the zones, and the map and the feed of the one that is picked. */
export default function Overview({ search }: ViewProps) {
  const { data: counted, error } = useQuery(asks.counts);
  // Counting takes longer: until then there is what the page has asked for its name. It is not asked for again.
  const about = useQuery({ ...asks.status, enabled: false }).data;
  const data = counted ?? about;
  if (error && !data) return <Refused error={error} />;
  if (!data) return <Waiting />;
  const largest = data.zones.toSorted((a, b) => b.systemsAbout - a.systemsAbout)[0]?.name;
  const zone = data.zones.find(({ name }) => name === search['zone'])?.name ?? largest;
  if (zone === undefined) return <Empty>There is no zone that you may see.</Empty>;
  return (
    <div className="overview">
      <h1 className="unseen">Overview</h1>
      <ul className="zone-cards" aria-label="Zones">
        {data.zones.map((one) => (
          <li key={one.name}>
            <ZoneCard of={one} isPicked={one.name === zone} onPick={() => go('/', { zone: one.name })} />
          </li>
        ))}
      </ul>
      <Zone key={zone} zone={zone} picked={search['node']} onPick={(node) => go('/', { zone, node })} />
    </div>
  );
}
