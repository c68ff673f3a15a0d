import { Confirm } from '../../kit/confirm.tsx';
import { count } from '../../kit/kit.tsx';
import { Keys } from '../picking/keys-list.tsx';
import type { Host } from './hosts.ts';
import { countText, type HostOrders } from './orders.ts';

type Props = {
  readonly hosts: readonly Host[];
  readonly orders: HostOrders;
  readonly onClose: () => void;
  readonly onRejected: () => void;
};

/** Asks before hosts are rejected: their agents end. */
export function RejectDialog({ hosts, orders, onClose, onRejected }: Props) {
  const nodes = hosts.filter(({ dropped }) => dropped).length;
  const [it, itStays, itsAgent] = hosts.length === 1 ? ['it', 'it stays', 'Its agent ends'] : ['them', 'they stay', 'Their agents end'];
  return (
    <Confirm
      title={`Reject ${count(hosts.length, 'host')}?`}
      action={`Reject ${count(hosts.length, 'host')}`}
      leave={`Let ${it} wait`}
      isDanger
      does={() => orders.reject(hosts)}
      done={(n) => {
        onRejected();
        return countText(n, 'rejected');
      }}
      onClose={onClose}
    >
      <p>
        {itsAgent} with the next call, and {itStays} out until somebody admits {it}, or a newer token does.
        {nodes > 0 && ` ${count(nodes, 'of them was a node, and is', 'of them were nodes, and are')} removed for good.`}
      </p>
      <Keys of={hosts} />
    </Confirm>
  );
}
