import { useQuery } from '@tanstack/react-query';
import { call, type Reply } from '../api/call.ts';
import { may } from '../api/rights.ts';
import { Dialog, Refused, short, Waiting } from '../kit/kit.tsx';
import { useOrder } from '../kit/order.tsx';
import { asks } from '../live/queries.ts';
import { previewOf } from '../preview/preview.ts';
import { Preview } from '../preview/preview.tsx';

type Node = Reply<'getNode'>;
export type What = 'drain' | 'drop' | 'lose';

const titles = { drain: 'were drained', drop: 'were dropped', lose: 'were lost' } as const;
type HoldingRule = 6 | 7 | 8 | 16;

/** What would become of everybody if a node left: the planner's own answer, and then the order itself. */
export function WhatIf({ what, node, onClose }: { readonly what: What; readonly node: Node; readonly onClose: () => void }) {
  const { id, fqdn, zone } = node;
  const { data, error } = useQuery(previewOf(zone, { [what]: what === 'lose' ? fqdn : id }));
  const rights = useQuery(asks.whoAmI).data?.rights;
  const { isBusy, error: refused, order } = useOrder();
  const rules = (data?.guards ?? []).map(({ rule }) => rule).filter((rule): rule is HoldingRule => [6, 7, 8, 16].includes(rule ?? 0));
  const does = () =>
    what === 'drain'
      ? call('leaveNode', { params: { id }, body: { mode: 'drain' } })
      : call('dropNode', { params: { id }, body: { overrule: rules } });
  const press = async (): Promise<void> => {
    if (await order<{ readonly because: string }>(does, ({ because }) => `${fqdn}: ${because}`)) onClose();
  };
  const canOrder = what !== 'lose' && may(rights, what === 'drain' ? 'leaveNode' : 'dropNode', zone);
  return (
    <Dialog label={`If ${fqdn} ${titles[what]}`} onClose={onClose} isWide>
      <h2>
        If {short(fqdn)} {titles[what]}
      </h2>
      <Refused error={error} />
      {!data && !error && <Waiting what="Asking the planner" />}
      {data && <Preview of={data} about={[id]} />}
      <Refused error={refused} />
      <div className="actions">
        {canOrder && data && !error && (
          <button type="button" className={what === 'drop' ? 'danger' : 'primary'} disabled={isBusy} onClick={() => void press()}>
            {what === 'drain'
              ? 'Drain it'
              : rules.length > 0
                ? `Drop it, and overrule ${rules.map((rule) => `rule ${rule}`).join(' and ')}`
                : 'Drop it'}
          </button>
        )}
        <button type="button" onClick={onClose}>
          {canOrder ? 'Leave it as it is' : 'Close'}
        </button>
      </div>
    </Dialog>
  );
}
