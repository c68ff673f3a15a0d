import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { may } from '../api/rights.ts';
import { Ago, Empty, Facts, Panel, Refused, Status, short, Waiting } from '../kit/kit.tsx';
import { asks } from '../live/queries.ts';
import { Link } from '../router.tsx';
import { Why } from '../why/why.tsx';
import { type Stations, stationsOf } from './asks.ts';
import { quorumText } from './listed.ts';
import { NameStations } from './name-stations.tsx';
import { ResetStations } from './reset-stations.tsx';

/** The stations of a zone: whether a majority is heard, which of them coordinates, and how many hosts each hears. */
export function StationsPart({ zone }: { readonly zone: string }) {
  const { data, error } = useQuery(stationsOf(zone));
  if (error && !data) return <Refused error={error} />;
  if (!data) return <Waiting />;
  const { stations, quorum, epoch, named } = data;
  return (
    <div className="split">
      <Panel title="Stations" actions={<Orders of={data} />}>
        <p className={stations.length === 0 || quorum.quorate ? 'headline' : 'note bad headline'}>{quorumText(data)}</p>
        {stations.length === 0 ? (
          <Empty>
            Stations are three or five hosts of the zone that tell a dead host from a cut line: each sees which others answer on the site’s
            network.
          </Empty>
        ) : (
          <Named of={data} />
        )}
      </Panel>
      <aside aria-label="Why the stations are as they are">
        <Panel title="Why and how">
          {epoch === 0 && named === undefined ? (
            <p className="soft">No stations were ever named here.</p>
          ) : (
            <Why kind="stations" id={zone} zone={zone} />
          )}
        </Panel>
      </aside>
    </div>
  );
}

/** Stations that are named: each of them, and who coordinates. */
const Named = ({ of }: { readonly of: Stations }) => (
  <>
    <Needed of={of} />
    <ul className="stations">
      {of.stations.map((one) => (
        <Station key={one.host} of={one} zone={of} />
      ))}
    </ul>
    <Facts
      of={[
        ['Coordinates', of.coordinator ? short(of.coordinator.host) : 'nobody'],
        ['Epoch', of.epoch],
        ['Coordinates since', of.coordinator && <Ago key="since" at={of.coordinator.since} />],
        ['Majority since', of.quorum.quorate ? <Ago key="quorum" at={of.quorum.since} /> : undefined],
        ['Named', of.named && <Ago key="named" at={of.named.at} suffix={` ago, by ${of.named.by}`} />],
      ]}
    />
  </>
);

/** The stations as marks in a row, and where the majority begins. */
function Needed({ of: { stations, quorum } }: { readonly of: Stations }) {
  const inOrder = stations.toSorted((a, b) => Number(b.heard) - Number(a.heard));
  return (
    <p className="quorum" aria-hidden="true">
      {inOrder.map(({ host, heard }, n) => (
        <span key={host} className={`${heard ? 'is-heard' : ''} ${n === quorum.needed - 1 ? 'is-last' : ''}`} />
      ))}
      <small className="soft">{quorum.needed} needed</small>
    </p>
  );
}

type StationOf = Stations['stations'][number];

function Station({ of: { host, heard, heardAt, hears, node }, zone }: { readonly of: StationOf; readonly zone: Stations }) {
  const coordinates = zone.coordinator?.host === host;
  return (
    <li className={coordinates ? 'is-coordinator' : ''}>
      <b title={host}>{node === undefined ? short(host) : <Link to={`/nodes/${node}`}>{short(host)}</Link>}</b>
      <Status is={heard ? 'up' : heardAt === undefined ? 'absent' : 'down'}>
        {heard ? 'heard' : heardAt === undefined ? 'never heard' : 'not heard'}
      </Status>
      {coordinates && <em>coordinates, epoch {zone.coordinator?.epoch}</em>}
      <small className="soft">
        {heardAt !== undefined && <Ago at={heardAt} suffix=" ago" />}
        {heardAt === undefined && 'it has never called in'}
      </small>
      {hears && (
        <span className="hears">
          <progress max={Math.max(1, hears.of)} value={hears.nodes} aria-label={`${short(host)} hears`} />
          hears {hears.nodes} of {hears.of} nodes
        </span>
      )}
    </li>
  );
}

function Orders({ of }: { readonly of: Stations }) {
  const rights = useQuery(asks.whoAmI).data?.rights;
  const [asked, setAsked] = useState<'name' | 'reset'>();
  const close = (): void => setAsked(undefined);
  return (
    <span className="actions">
      {may(rights, 'putStations', of.zone) && (
        <button type="button" onClick={() => setAsked('name')}>
          {of.stations.length === 0 ? 'Name stations…' : 'Name others…'}
        </button>
      )}
      {of.stations.length > 0 && may(rights, 'resetStations', of.zone) && (
        <button type="button" className="danger" onClick={() => setAsked('reset')}>
          Give them up…
        </button>
      )}
      {asked === 'name' && <NameStations of={of} onClose={close} />}
      {asked === 'reset' && <ResetStations of={of} onClose={close} />}
    </span>
  );
}
