import { useQuery } from '@tanstack/react-query';
import { Empty, Refused, Waiting } from '../kit/kit.tsx';
import { asks } from '../live/queries.ts';
import { go, Link, type ViewProps } from '../router.tsx';
import { ServicesPart } from './services-part.tsx';
import { SiteOrdersPart } from './site-orders-part.tsx';
import { StationsPart } from './stations-part.tsx';

const parts = [
  ['services', 'Services'],
  ['stations', 'Stations'],
  ['orders', 'Orders on site'],
] as const;

/** What Muster keeps running on the nodes of a zone, the stations that see it from inside, and what they are ordered to do. */
export default function Services({ search }: ViewProps) {
  const { data, error } = useQuery(asks.zones);
  if (error && !data) return <Refused error={error} />;
  if (!data) return <Waiting />;
  const zone = data.find(({ name }) => name === search['zone'])?.name ?? data[0]?.name;
  if (zone === undefined) return <Empty>There is no zone that you may see.</Empty>;
  const part = parts.find(([name]) => name === search['part'])?.[0] ?? 'services';
  return (
    <div className="services">
      <header className="services-head">
        <h1>Services</h1>
        <label>
          <span className="unseen">Zone</span>
          <select value={zone} onChange={(event) => go('/services', { zone: event.target.value, part })}>
            {data.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <nav aria-label="Parts">
          {parts.map(([name, title]) => (
            <Link key={name} to="/services" search={{ zone, part: name }} {...(name === part && { 'aria-current': 'page' as const })}>
              {title}
            </Link>
          ))}
        </nav>
      </header>
      {part === 'services' && <ServicesPart key={zone} zone={zone} search={search} />}
      {part === 'stations' && <StationsPart key={zone} zone={zone} />}
      {part === 'orders' && <SiteOrdersPart key={zone} zone={zone} />}
    </div>
  );
}
