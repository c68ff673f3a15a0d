import { Fingerprint } from '../../kit/fingerprint.tsx';
import { Ago, Empty, number } from '../../kit/kit.tsx';
import { PickList } from '../picking/pick-list.tsx';
import type { Picking } from '../picking/use-picking.ts';
import type { Host, HostGroup, NotDone } from './hosts.ts';
import type { HostOrders } from './orders.ts';

type Props = {
  readonly groups: readonly HostGroup[];
  readonly picking: Picking<Host>;
  readonly orders: HostOrders;
  readonly isPickable: boolean;
};

/** The hosts of the pool, by what becomes of them. */
export default function HostList({ groups, picking, orders, isPickable }: Props) {
  if (groups.length === 0) return <Empty>None of them matches the filter.</Empty>;
  return (
    <PickList
      label="Hosts in the pool"
      groups={groups}
      picking={picking}
      isPickable={isPickable}
      titleOf={({ title }) => title}
      nameOf={({ fqdn, fingerprint }) => `${fqdn}, fingerprint ${fingerprint.slice(0, 23)}`}
      head={({ title, hint, items }) => (
        <div className="group-head">
          <h2>{title}</h2>
          <span className="soft">
            {number(items.length)} · {hint}
          </span>
        </div>
      )}
      row={(host, boxId) => <Row of={host} boxId={boxId} result={orders.refused.get(host.fp)} />}
    />
  );
}

type RowProps = { readonly of: Host; readonly boxId: string; readonly result: NotDone | undefined };

function Row({ of, boxId, result }: RowProps) {
  const { fqdn, fingerprint, zone, kind, capacity, watch, foreignWatch, source, because, firstSeenAt } = of;
  const dot = fqdn.indexOf('.');
  return (
    <div className="system-row">
      <label className="name" htmlFor={boxId}>
        <b>{dot < 0 ? fqdn : fqdn.slice(0, dot)}</b>
        <span>{dot < 0 ? '' : fqdn.slice(dot)}</span>
      </label>
      <Fingerprint of={fingerprint} />
      <span className="asked">{zone ?? <span className="soft">no zone</span>}</span>
      <span className="machine">
        <span>
          {kind}
          {capacity !== undefined && ` · for ${number(capacity)}`}
        </span>
        <span title="where it called from">{source === 'unknown' ? '' : source}</span>
      </span>
      <Ago at={firstSeenAt} />
      <div className="remarks">
        <p className={foreignWatch ? 'odd' : 'soft'}>{because}</p>
        {foreignWatch && !because.includes(watch) && <p className="odd">It asks to be watched at {watch}, which is not its own address.</p>}
        {result && (
          <p className="bad">
            {result.needs === 'anyWatch'
              ? 'It may be watched there only if you say so: pick it again, and tick the box that appears in the form.'
              : result.because}
          </p>
        )}
      </div>
    </div>
  );
}
