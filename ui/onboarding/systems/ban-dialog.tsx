import { call } from '../../api/call.ts';
import { Confirm } from '../../kit/confirm.tsx';
import { count } from '../../kit/kit.tsx';
import { Keys } from '../picking/keys-list.tsx';
import { forgetWaiting } from './accepting.ts';
import { batchMax, chunks } from './batches.ts';
import { inOrder, type Waiting } from './groups.ts';

type Some = readonly Pick<Waiting, 'fp' | 'fqdn' | 'fingerprint'>[];
type Props = { readonly systems: Some; readonly onClose: () => void; readonly onBanned: () => void };

/**
 * Bans keys; gives how many. Throws a Problem for a refusal of a whole call, and an Error that says which keys were not
 * banned, and why.
 */
async function banned(systems: Some): Promise<number> {
  let n = 0;
  const not: string[] = [];
  for (const part of chunks(systems, batchMax)) {
    const { results } = await call('ban', { body: { systems: part.map(({ fp }) => fp) } });
    const done = results.filter((one) => one.done).map(({ fp }) => fp);
    forgetWaiting(done);
    n += done.length;
    not.push(...results.filter((one) => !one.done).map(({ fp, because }) => `${fp.slice(0, 16)}: ${because}`));
  }
  if (not.length > 0) throw new Error(`${count(n, 'key')} banned; ${not.join('; ')}`);
  return n;
}

/** Asks before keys are banned: that cannot be taken back. */
export const BanDialog = ({ systems, onClose, onBanned }: Props) => (
  <Confirm
    title={`Ban ${count(systems.length, 'key')} for ever?`}
    action={`Ban ${count(systems.length, 'key')} for ever`}
    leave={`Keep ${systems.length === 1 ? 'it' : 'them'} waiting`}
    isDanger
    does={() => banned(systems)}
    done={(n) => {
      onBanned();
      return `${count(n, 'key')} banned`;
    }}
    onClose={onClose}
  >
    <p>A banned key is refused wherever it knocks, and no one can take that back. Its machine comes in with another key only.</p>
    <Keys of={inOrder(systems)} />
  </Confirm>
);
