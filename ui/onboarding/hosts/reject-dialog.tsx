import { count, Dialog } from '../../kit/kit.tsx';
import { Pairs } from '../picking/fingerprint.tsx';
import type { Host } from './hosts.ts';
import type { HostOrders } from './orders.ts';

type Props = {
  readonly hosts: readonly Host[];
  readonly orders: HostOrders;
  readonly onClose: () => void;
  readonly onRejected: () => void;
};

const listedMax = 8;

/** Asks before hosts are rejected: their agents end. */
export function RejectDialog({ hosts, orders, onClose, onRejected }: Props) {
  const nodes = hosts.filter(({ dropped }) => dropped).length;
  const reject = (): void => {
    void orders.reject(hosts);
    onRejected();
    onClose();
  };
  return (
    <Dialog label="Reject" onClose={onClose}>
      <h2>Reject {count(hosts.length, 'host')}?</h2>
      <p>
        {hosts.length === 1 ? 'Its agent ends' : 'Their agents end'} with the next call, and {hosts.length === 1 ? 'it stays' : 'they stay'}{' '}
        out until somebody admits {hosts.length === 1 ? 'it' : 'them'}, or a newer token does.
        {nodes > 0 && ` ${count(nodes, 'of them was a node, and is', 'of them were nodes, and are')} removed for good.`}
      </p>
      <ul className="banning">
        {hosts.slice(0, listedMax).map(({ fp, fqdn, fingerprint }) => (
          <li key={fp}>
            <b>{fqdn}</b> <Pairs of={fingerprint} />
          </li>
        ))}
        {hosts.length > listedMax && <li className="soft">and {count(hosts.length - listedMax, 'other')}</li>}
      </ul>
      <div className="actions">
        <button type="button" onClick={onClose}>
          Let {hosts.length === 1 ? 'it' : 'them'} wait
        </button>
        <button type="button" className="danger" onClick={reject}>
          Reject {count(hosts.length, 'host')}
        </button>
      </div>
    </Dialog>
  );
}
