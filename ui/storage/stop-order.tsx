import { useState } from 'react';
import { Problem } from '../api/call.ts';
import { Dialog, Refused } from '../kit/kit.tsx';
import { say } from '../kit/toasts.tsx';

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
  const [refused, setRefused] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const canForce = refused instanceof Problem && refused.type === 'refused';
  const give = async (): Promise<void> => {
    setBusy(true);
    try {
      say((await order(canForce)).because);
      onClose();
    } catch (error) {
      setRefused(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog label={`Stop ${what}`} onClose={onClose}>
      <h2>Stop {what}</h2>
      <p>{does}</p>
      <Refused error={refused} />
      <div className="actions">
        <button type="button" className="danger" disabled={isBusy} onClick={() => void give()}>
          {canForce ? 'Stop it all the same' : 'Stop it'}
        </button>
        <button type="button" onClick={onClose}>
          Leave it as it is
        </button>
      </div>
    </Dialog>
  );
}
