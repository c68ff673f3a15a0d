import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { may, type Rights } from '../../api/rights.ts';
import { Field, number } from '../../kit/kit.tsx';
import { asks } from '../../live/queries.ts';
import type { Picking } from '../picking/use-picking.ts';
import { PickKeys } from '../systems/accept-form.tsx';
import { ZoneField } from '../systems/zone-field.tsx';
import type { Host } from './hosts.ts';
import { KindSelect } from './kind-select.tsx';
import type { Admission, HostOrders } from './orders.ts';

type Props = {
  readonly picking: Picking<Host>;
  readonly rights: Rights | undefined;
  readonly orders: HostOrders;
  readonly onReject: () => void;
  readonly onDone: () => void;
};

/** Into which zone, and as what, the picked hosts are admitted. */
export function AdmitForm({ picking, rights, orders, onReject, onDone }: Props) {
  const [as, setAs] = useState<Admission>({ zone: undefined, kind: undefined, anyWatch: false });
  const { items, unseen } = picking;
  const zones = (useQuery(asks.zones).data ?? []).filter(({ name }) => may(rights, 'admitHosts', name)).map(({ name }) => name);
  const foreign = items.filter(({ foreignWatch }) => foreignWatch).length;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (items.length === 0 || orders.isBusy) return;
    void orders.admit(items, as);
    setAs({ ...as, anyWatch: false });
    picking.clear();
    document.getElementById('main')?.focus({ preventScroll: true });
    onDone();
  };
  return (
    <form className="accept-form" onSubmit={submit}>
      <h2>{items.length === 0 ? 'Pick hosts' : `Admit ${number(items.length)}`}</h2>
      <p className="soft">Compare each fingerprint with the one that its host shows: muster-agent fingerprint</p>
      {unseen > 0 && <p className="note">The filter hides {number(unseen)} of them.</p>}
      <ZoneField items={items} zones={zones} zone={as.zone} onZone={(zone) => setAs({ ...as, zone })} />
      <Field label="Kind">
        {(id) => <KindSelect id={id} any="as each asks" kind={as.kind} onKind={(kind) => setAs({ ...as, kind })} />}
      </Field>
      {foreign > 0 && <AnyWatch n={foreign} isChecked={as.anyWatch} onCheck={(anyWatch) => setAs({ ...as, anyWatch })} />}
      <div className="actions">
        <button type="submit" className="primary" aria-disabled={items.length === 0 || orders.isBusy}>
          {items.length === 0 ? 'Admit' : `Admit ${number(items.length)}`} <kbd>a</kbd>
        </button>
        <button type="button" className="danger" disabled={items.length === 0} onClick={onReject}>
          Reject… <kbd>b</kbd>
        </button>
      </div>
      <PickKeys does="admit" ends="reject" />
    </form>
  );
}

type AnyProps = { readonly n: number; readonly isChecked: boolean; readonly onCheck: (isChecked: boolean) => void };

const AnyWatch = ({ n, isChecked, onCheck }: AnyProps) => (
  <label className="check">
    <input type="checkbox" checked={isChecked} onChange={(event) => onCheck(event.target.checked)} />
    {number(n)} may be watched at an address that is not its own
  </label>
);
