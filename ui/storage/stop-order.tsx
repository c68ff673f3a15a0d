import { Problem } from '../api/call.ts';
import { Dialog, Refused } from '../kit/kit.tsx';
import { closing, useOrder } from '../kit/order.tsx';

type Props = {
  readonly what: string;
  readonly does: string;
  readonly order: (force: boolean) => Promise<{ readonly because: string }>;
  readonly onClose: () => void;
};

/**
 * Asks before something is stopped. A stop that would cost the cluster its liveness is refused with the reason, and can
 * then be forced.
 */
export function StopOrder({ what, does, order, onClose }: Props) {
  const { isBusy, error, order: give } = useOrder();
  const canForce = error instanceof Problem && error.type === 'refused';
  const stop = (): Promise<boolean> =>
    give(
      () => order(canForce),
      closing(onClose, ({ because }) => because),
    );
  return (
    <Dialog label={`Stop ${what}`} onClose={onClose}>
      <h2>Stop {what}</h2>
      <p>{does}</p>
      <Refused error={error} />
      <div className="actions">
        <button type="button" className="danger" disabled={isBusy} onClick={() => void stop()}>
          {canForce ? 'Stop it all the same' : 'Stop it'}
        </button>
        <button type="button" onClick={onClose}>
          Leave it as it is
        </button>
      </div>
    </Dialog>
  );
}
