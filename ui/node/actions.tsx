import { useQuery } from '@tanstack/react-query';
import type { Reply } from '../api/call.ts';
import { call } from '../api/call.ts';
import { may } from '../api/rights.ts';
import { doing } from '../kit/toasts.tsx';
import { asks } from '../live/queries.ts';
import { ReplaceDialog } from './replace.tsx';
import { WhatIf } from './what-if.tsx';

type Node = Reply<'getNode'>;
type Props = { readonly node: Node; readonly asked: string | undefined; readonly onAsk: (what: string | undefined) => void };

/** What can be done with a node. Whatever moves client systems is first shown, by the functions that would do it. */
export function Actions({ node, asked, onAsk }: Props) {
  const rights = useQuery(asks.whoAmI).data?.rights;
  const { id, fqdn, zone, status } = node;
  const isServing = !['dropped', 'absent', 'waiting'].includes(status);
  const [mayLeave, mayDrop, mayReplace] = [may(rights, 'leaveNode', zone), may(rights, 'dropNode', zone), may(rights, 'replaceNode', zone)];
  const leave = (mode: 'hold' | 'stay', done: string): void => void doing(call('leaveNode', { params: { id }, body: { mode } }), done);
  const close = (): void => onAsk(undefined);
  return (
    <div className="actions">
      {isServing && (
        <button type="button" className="primary" onClick={() => onAsk('lose')}>
          What if it were lost?
        </button>
      )}
      {mayLeave && status === 'up' && (
        <>
          <button type="button" onClick={() => onAsk('drain')}>
            Drain…
          </button>
          <button type="button" onClick={() => leave('hold', `${fqdn} may be away: its client systems wait for it`)}>
            Hold
          </button>
        </>
      )}
      {mayLeave && (status === 'leaving' || status === 'quarantined') && (
        <button type="button" onClick={() => leave('stay', `${fqdn} stays`)}>
          {status === 'leaving' ? 'Let it stay' : 'Release it'}
        </button>
      )}
      {mayDrop && isServing && (
        <button type="button" className="danger" onClick={() => onAsk('drop')}>
          Drop…
        </button>
      )}
      {mayReplace && (
        <button type="button" onClick={() => onAsk('replace')}>
          Replace…
        </button>
      )}
      {isWhat(asked) && <WhatIf what={asked} node={node} onClose={close} />}
      {asked === 'replace' && mayReplace && <ReplaceDialog node={node} onClose={close} />}
    </div>
  );
}

const isWhat = (asked: string | undefined): asked is 'drain' | 'drop' | 'lose' => asked === 'drain' || asked === 'drop' || asked === 'lose';
