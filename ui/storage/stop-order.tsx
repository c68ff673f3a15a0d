import { useState } from 'react';
import { Problem } from '../api/call.ts';
import { Confirm } from '../kit/confirm.tsx';

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
  const [canForce, setCanForce] = useState(false);
  const stop = async (): Promise<{ readonly because: string }> => {
    try {
      return await order(canForce);
    } catch (error) {
      setCanForce(error instanceof Problem && error.type === 'refused');
      throw error;
    }
  };
  return (
    <Confirm
      title={`Stop ${what}`}
      action={canForce ? 'Stop it all the same' : 'Stop it'}
      leave="Leave it as it is"
      isDanger
      does={stop}
      done={({ because }) => because}
      onClose={onClose}
    >
      <p>{does}</p>
    </Confirm>
  );
}
