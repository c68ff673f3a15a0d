import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { may } from '../api/rights.ts';
import { Ago, Empty, Panel, Refused, Status, short, Waiting } from '../kit/kit.tsx';
import { type Column, Table } from '../kit/table.tsx';
import { spanText } from '../kit/time.ts';
import { asks } from '../live/queries.ts';
import { Why } from '../why/why.tsx';
import { type SiteOrders, siteOrdersOf, stationsOf } from './asks.ts';
import { PowerCycle } from './power-cycle.tsx';
import { PowerSettings } from './power-settings.tsx';

/** What the coordinator was ordered to do on its site, how hosts are power-cycled there, and which wait for that. */
export function SiteOrdersPart({ zone }: { readonly zone: string }) {
  const { data, error } = useQuery(siteOrdersOf(zone));
  if (error && !data) return <Refused error={error} />;
  if (!data) return <Waiting />;
  return (
    <div className="split">
      <div className="services-list">
        <Orders of={data} />
        <Power of={data} />
      </div>
      <aside aria-label="Why the orders are as they are">
        <Panel title="Why and how">
          {data.power === undefined && data.items.length === 0 ? (
            <p className="soft">Nothing was ever set or ordered here.</p>
          ) : (
            <Why kind="site-orders" id={zone} zone={zone} />
          )}
        </Panel>
      </aside>
    </div>
  );
}

/** The orders, and giving another one where a station can carry it out. */
function Orders({ of }: { readonly of: SiteOrders }) {
  const { zone, items } = of;
  const stations = useQuery(stationsOf(zone)).data;
  const rights = useQuery(asks.whoAmI).data?.rights;
  const [isOrdering, setOrdering] = useState(false);
  const canAct = stations?.coordinator !== undefined;
  const order = canAct && may(rights, 'orderOnSite', zone) && (
    <button type="button" className="primary" onClick={() => setOrdering(true)}>
      Power-cycle a host…
    </button>
  );
  return (
    <Panel title="Orders on site" actions={order}>
      {stations && !canAct && (
        <p className="note">
          No station coordinates{stations.stations.length === 0 ? ', as none is named' : ', as no majority is heard'}: nobody on site could
          carry an order out.
        </p>
      )}
      <Wanted of={of} />
      {items.length === 0 ? (
        <Empty>No order has been given here.</Empty>
      ) : (
        <Table of={items} columns={columns} keyOf={({ order: n }) => String(n)} />
      )}
      {isOrdering && <PowerCycle of={of} onClose={() => setOrdering(false)} />}
    </Panel>
  );
}

const Wanted = ({ of: { wanted } }: { readonly of: SiteOrders }) =>
  wanted.map(({ host, since }) => (
    <p key={host} className="note">
      {host} has been down for <Ago at={since} />, and waits for a power cycle by the rule.
    </p>
  ));

type SiteOrder = SiteOrders['items'][number];

const columns: readonly Column<SiteOrder>[] = [
  { title: 'No.', is: 'roomy', cell: ({ order }) => order },
  {
    title: 'Order',
    cell: ({ host, dryRun }) => (
      <>
        power-cycle <b title={host}>{short(host)}</b> {dryRun && <span className="tag">dry run</span>}
      </>
    ),
  },
  {
    title: 'Came to',
    cell: ({ state, exit }) => (
      <>
        <Status is={state} /> {exit !== undefined && <small className="soft">exit {exit}</small>}
      </>
    ),
  },
  {
    title: 'By',
    is: 'roomy',
    cell: ({ by, epoch }) => (
      <>
        {by === 'rule' ? 'the rule' : 'an operator'} <small className="soft">epoch {epoch}</small>
      </>
    ),
  },
  { title: 'Given', is: 'roomy', cell: ({ at }) => <Ago at={at} suffix=" ago" /> },
  { title: 'It says', is: 'says', cell: ({ says }) => says },
];

const autos = {
  off: 'Muster power-cycles no host by itself.',
  'dry-run': 'For a host that is down Muster only tries what it would do.',
  on: 'Muster power-cycles a host that is down, as a majority of the stations does not hear it either.',
} as const;

function Power({ of }: { readonly of: SiteOrders }) {
  const rights = useQuery(asks.whoAmI).data?.rights;
  const [isEditing, setEditing] = useState(false);
  const { zone, power, bmcs } = of;
  return (
    <Panel
      title="How hosts are power-cycled"
      actions={
        may(rights, 'editPower', zone) ? (
          <button type="button" onClick={() => setEditing(true)}>
            Change…
          </button>
        ) : undefined
      }
    >
      <p>
        {power ? `Each host at most once in ${spanText(power.everyMs)}.` : 'Nothing is set: each host at most once in 10 min.'}{' '}
        {autos[power?.auto ?? 'off']}
      </p>
      <p className="soft">
        Each station names its own power program, which Muster can neither see nor change. Addresses of BMCs come from the facts, and from
        the list below.
      </p>
      {bmcs.length > 0 && (
        <ul className="plain-list">
          {bmcs.map(({ host, address, user, secret }) => (
            <li key={host}>
              <b>{host}</b> {user}@{address} <span className="soft">password {secret}</span>
            </li>
          ))}
        </ul>
      )}
      {isEditing && <PowerSettings of={of} onClose={() => setEditing(false)} />}
    </Panel>
  );
}
