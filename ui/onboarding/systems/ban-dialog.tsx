import { useState } from 'react';
import { call } from '../../api/call.ts';
import { count, Dialog, Refused } from '../../kit/kit.tsx';
import { say } from '../../kit/toasts.tsx';
import { Pairs } from '../picking/fingerprint.tsx';
import { forgetWaiting } from './accepting.ts';
import { batchMax, chunks } from './batches.ts';
import { inOrder, type Waiting } from './groups.ts';

type Some = readonly Pick<Waiting, 'fp' | 'fqdn' | 'fingerprint'>[];
type Props = { readonly systems: Some; readonly onClose: () => void; readonly onBanned: () => void };

/** Bans keys; gives how many were banned, and why others were not. Throws a Problem for a refusal of a whole call. */
async function banned(systems: Some): Promise<{ readonly n: number; readonly not: readonly string[] }> {
  let n = 0;
  const not: string[] = [];
  for (const part of chunks(systems, batchMax)) {
    const { results } = await call('ban', { body: { systems: part.map(({ fp }) => fp) } });
    const done = results.filter((one) => one.done).map(({ fp }) => fp);
    forgetWaiting(done);
    n += done.length;
    not.push(...results.filter((one) => !one.done).map(({ fp, because }) => `${fp.slice(0, 16)}: ${because}`));
  }
  return { n, not };
}

const listedMax = 8;

/** Asks before keys are banned: that cannot be taken back. */
export function BanDialog({ systems, onClose, onBanned }: Props) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const ban = async (): Promise<void> => {
    setBusy(true);
    try {
      const { n, not } = await banned(systems);
      say(`${count(n, 'key')} banned`);
      onBanned();
      if (not.length === 0) return onClose();
      setError(new Error(not.join('; ')));
    } catch (refused) {
      setError(refused);
    }
    setBusy(false);
  };
  return (
    <Dialog label="Ban" onClose={onClose}>
      <h2>Ban {count(systems.length, 'key')} for ever?</h2>
      <p>A banned key is refused wherever it knocks, and no one can take that back. Its machine comes in with another key only.</p>
      <ul className="banning">
        {inOrder(systems)
          .slice(0, listedMax)
          .map(({ fp, fqdn, fingerprint }) => (
            <li key={fp}>
              <b>{fqdn}</b> <Pairs of={fingerprint} />
            </li>
          ))}
        {systems.length > listedMax && <li className="soft">and {count(systems.length - listedMax, 'other')}</li>}
      </ul>
      <Refused error={error} />
      <div className="actions">
        <button type="button" onClick={onClose}>
          Keep {systems.length === 1 ? 'it' : 'them'} waiting
        </button>
        <button type="button" className="danger" disabled={isBusy} onClick={() => void ban()}>
          Ban {count(systems.length, 'key')} for ever
        </button>
      </div>
    </Dialog>
  );
}
