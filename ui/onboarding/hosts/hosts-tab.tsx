import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useDeferredValue, useMemo, useState } from 'react';
import { may, mayAnywhere, type Rights } from '../../api/rights.ts';
import { useKeys } from '../../kit/keys.ts';
import { count, Empty, Refused, Waiting } from '../../kit/kit.tsx';
import { asks } from '../../live/queries.ts';
import { poolAsks } from '../asks.ts';
import { FormPlace, pressSubmit } from '../picking/form-place.tsx';
import { SearchLine } from '../picking/search-line.tsx';
import { useNarrow } from '../picking/use-narrow.ts';
import { usePicking } from '../picking/use-picking.ts';
import { AdmitForm } from './admit-form.tsx';
import { filteredHosts, type Host, hostGroups } from './hosts.ts';
import { useHostOrders } from './orders.ts';
import { RejectDialog } from './reject-dialog.tsx';
import { Rules } from './rules.tsx';

/** What draws long lists comes after the rest of the tab. */
const HostList = lazy(() => import('./host-list.tsx'));

type Search = Readonly<Record<string, string>>;

/** The hosts that wait to be nodes, and the rules by which hosts need not wait. */
export default function HostsTab({ search }: { readonly search: Search }) {
  const { data, error } = useQuery(poolAsks.hosts);
  const rights = useQuery(asks.whoAmI).data?.rights;
  return (
    <>
      <Refused error={error} />
      {data === undefined && !error && <Waiting />}
      {data && <HostPool hosts={data} rights={rights} search={search} />}
      {may(rights, 'listAdmissionRules') && <Rules rights={rights} />}
    </>
  );
}

type PoolProps = { readonly hosts: readonly Host[]; readonly rights: Rights | undefined; readonly search: Search };

function HostPool({ hosts, rights, search }: PoolProps) {
  const pool = usePool({ hosts, rights, search });
  const { picking, orders, mayDecide, isNarrow, over, setOver, meant } = pool;
  const close = (): void => setOver(undefined);
  if (hosts.length === 0) return <NoHostWaits />;
  return (
    <div className="split">
      <Waiters of={pool} hosts={hosts} search={search} />
      {mayDecide && (
        <FormPlace
          verb="Admit"
          isNarrow={isNarrow}
          n={picking.items.length}
          isOpen={over === 'form'}
          onOpen={() => setOver('form')}
          onClose={close}
        >
          <AdmitForm {...{ picking, rights, orders }} onReject={() => setOver('reject')} onDone={close} />
        </FormPlace>
      )}
      {over === 'reject' && <RejectDialog hosts={meant} orders={orders} onClose={close} onRejected={picking.clear} />}
    </div>
  );
}

/** The groups of hosts as the address asks for them, what is picked of them, and what the keys do with that. */
function usePool({ hosts, rights, search }: PoolProps) {
  const text = useDeferredValue(search['q'] ?? '');
  const groups = useMemo(() => hostGroups(filteredHosts(hosts, text)), [hosts, text]);
  const canPick = ({ zone }: Host): boolean => may(rights, 'admitHosts', zone);
  const picking = usePicking({ all: hosts, groups, canPick });
  const isNarrow = useNarrow();
  const [over, setOver] = useState<'form' | 'reject'>();
  const mayDecide = mayAnywhere(rights, 'admitHosts');
  const meant = picking.items.length > 0 || !picking.current ? picking.items : [picking.current];
  const admit = (): void => {
    const { current, items } = picking;
    if (items.length === 0 && current && canPick(current)) picking.toggle([current.fp]);
    if (isNarrow) setOver('form');
    else pressSubmit();
  };
  useKeys(mayDecide ? { a: admit, b: () => meant.length > 0 && setOver('reject') } : {});
  return { groups, picking, orders: useHostOrders(), mayDecide, isNarrow, over, setOver, meant };
}

type WaitersProps = Omit<PoolProps, 'rights'> & { readonly of: ReturnType<typeof usePool> };

/** The hosts, and what narrows them down. */
function Waiters({ of: { groups, picking, orders, mayDecide }, hosts, search }: WaitersProps) {
  const waiting = hosts.filter(({ standing }) => standing === 'waiting').length;
  return (
    <section aria-label="Hosts that wait">
      <SearchLine search={search} hint="Filter by name, fingerprint, zone, kind or address  ( / )" />
      {!mayDecide && <p className="note">You may look at the hosts that wait. Admitting them needs the right operate.</p>}
      <p role="status">{count(waiting, 'host waits', 'hosts wait')}</p>
      <Suspense fallback={<Waiting />}>
        <HostList groups={groups} picking={picking} orders={orders} isPickable={mayDecide} />
      </Suspense>
    </section>
  );
}

const NoHostWaits = () => (
  <Empty>
    No host waits. One comes here when its agent asks to join without a token, and no rule admits it:
    <br />
    <code>muster-agent --endpoint {location.origin}</code>
  </Empty>
);
